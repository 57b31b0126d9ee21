/*
 * sched_refusals_of_wrong_arguments.c
 *
 * Role: arguments that cannot be, and properties in which ranks differ, are refused with the documented
 *       code, to bodies and tasks alike, and the job goes on.
 * Owner: as sched_refusals_kit.h.
 * See: include/jackdaw.h.
 */
#include "test/dist/sched_refusals_kit.h"

enum { NOTHING, ASK_BAD, LINGER, TASKS };
enum { SIZE = 20, LARGEST = 16 << 20 };

static void ask_bad(jd_self *me, void *arg)
{
    char bytes[SIZE + 1] = {0};
    jd_coll *mine = jd_coll_mine(me);
    (void)arg;
    const int answer[] = {
        jd_coll_add(me, mine, NOTHING, bytes, sizeof bytes) == JD_ETOOBIG,
        jd_coll_add_inplace(me, mine, NOTHING, sizeof bytes) == NULL,
        jd_coll_add(me, mine, TASKS, bytes, 1) == JD_EINVAL,
        jd_coll_add(me, mine, UINT16_MAX, bytes, 1) == JD_EINVAL,
        jd_coll_add_inplace(me, mine, TASKS, 1) == NULL,
        jd_coll_add(me, mine, NOTHING, NULL, 1) == JD_EINVAL,
        jd_coll_add(me, NULL, NOTHING, bytes, 1) == JD_EINVAL,
        jd_coll_add_inplace(me, NULL, NOTHING, 1) == NULL,
        jd_coll_hold(me, NULL) == JD_EINVAL,
        jd_coll_release(me, NULL) == JD_EINVAL,
    };
    note(shared_of(me), answer, sizeof answer / sizeof *answer);
}

/* Keeps its collection open. */
static void linger(jd_self *me, void *arg)
{
    (void)arg;
    while (!atomic_load(&shared_of(me)->go))
        jd_yield(me);
}

static const jd_task_def tasks[] = {[NOTHING] = JD_TASK(nothing),
                                    [ASK_BAD] = JD_TASK(ask_bad),
                                    [LINGER] = JD_TASK(linger),
                                    JD_TASK_END};

static void test_arguments(jd_self *me)
{
    struct shared s = {0};
    char bytes[SIZE + 1] = {0};
    jd_coll *c = make(me, &(jd_coll_props){.arg_size = SIZE, .uniform = 1, .local = &s});
    ok_all(me, jd_coll_add(me, c, NOTHING, bytes, SIZE + 1) == JD_ETOOBIG, "not uniform");
    ok_all(me, !jd_coll_add_inplace(me, c, NOTHING, SIZE + 1), "nor in place");
    ok_all(me, jd_coll_add(me, c, TASKS, bytes, 1) == JD_EINVAL, "no such task");
    ok_all(me, jd_coll_add(me, c, NOTHING, bytes, SIZE) == 0, "just the size");
    ok_all(me, jd_coll_add(me, c, NOTHING, NULL, 1) == JD_EINVAL, "bytes from nowhere");
    ok_all(me,
           jd_coll_add(me, NULL, NOTHING, bytes, 1) == JD_EINVAL &&
               !jd_coll_add_inplace(me, NULL, NOTHING, 1),
           "no collection to add to");
    ok_all(me,
           jd_coll_process(me, NULL) == JD_EINVAL && jd_coll_wait(me, NULL) == JD_EINVAL,
           "nor to process");
    ok_all(me, all_answers(me, c, &s, ASK_BAD, 10, true), "the same for tasks");
    must(me, jd_coll_destroy(me, c));

    char *large = calloc(1, LARGEST + 1);
    if (!large)
        jd_abort(me, 99, "no memory");
    c = make(me, NULL);
    ok_all(me, jd_coll_add(me, c, NOTHING, large, LARGEST + 1) == JD_ETOOBIG,
           "larger than any argument");
    ok_all(me, !jd_coll_add_inplace(me, c, NOTHING, SIZE_MAX), "as large as can be");
    must(me, jd_coll_process(me, c));
    ok_all(me, adds_up(me, c, 0), "what was refused is not there");
    must(me, jd_coll_destroy(me, c));
    free(large);
    ok_all(me, jd_task_find(me, "linger") == LINGER, "a task is found by name");
    ok_all(me,
           jd_task_find(me, "lingers") == JD_EINVAL &&
               jd_task_find(me, NULL) == JD_EINVAL,
           "or not");
}

/* ---- disagreement ------------------------------------------------------------------- */

/* One rank asks for something else; all are told, unless it is alone. */
static void differs(jd_self *me, jd_coll_props odd, const char *what)
{
    const jd_coll_props usual = {.name = "usual"};
    jd_coll *c = NULL;
    uint32_t last = jd_nranks(me) - 1;
    int error = jd_coll_create(me, jd_rank(me) == last ? &odd : &usual, &c);
    ok_all(me, error == (last ? JD_EMISMATCH : 0) && (c == NULL) == (error != 0),
           "a %s that differs", what);
    if (c)
        must(me, jd_coll_destroy(me, c));
}

static void test_mismatch(jd_self *me)
{
    int here = 0;
    differs(me, (jd_coll_props){.name = "other"}, "name");
    differs(me, (jd_coll_props){.name = "usual", .arg_size = 64}, "size");
    differs(me, (jd_coll_props){.name = "usual", .uniform = 1}, "uniformity");
    differs(me, (jd_coll_props){.name = "usual", .no_restore = 1}, "record");

    const jd_coll_props mine = {.name = "usual", .local = jd_rank(me) ? &here : NULL};
    jd_coll *c = make(me, &mine);
    ok_all(me, jd_coll_local(c) == mine.local, "each rank has its own data");
    must(me, jd_coll_destroy(me, c));

    bool last = jd_rank(me) == jd_nranks(me) - 1;
    const jd_coll_props wrong = {.arg_size = last ? 4097 : 0};
    c = NULL;
    int error = jd_coll_create(me, &wrong, &c);
    ok_all(me, error == (last ? JD_EINVAL : JD_EMISMATCH) && !c, "a size out of range");
    const jd_coll_props largest = {.arg_size = 4096};
    ok_all(me, jd_coll_create(me, &largest, &c) == 0, "the job goes on");
    must(me, jd_coll_destroy(me, c));
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    test_arguments(me);
    test_mismatch(me);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
