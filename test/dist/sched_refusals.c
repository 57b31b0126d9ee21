/*
 * sched_refusals.c
 *
 * Role: a call that is not allowed returns the documented code, on every rank that takes part in
 *       the call, and the job goes on as if the call had not been made.  Argument: how often to
 *       create and destroy a collection.
 * Owner: the body; the rank where a task ran notes the codes that the task got.
 * Invariants: those of test/dist/sched_kit.h.
 * See: include/jackdaw.h.
 */
#include "test/dist/sched_kit.h"

enum { NOTHING, ASK_BODYS, ASK_OTHER, ASK_LATE, ASK_DYING, ASK_BAD, LINGER, TASKS };
enum { LOOK_AWAY_NS = 1000000, COLLS = 64, SIZE = 20, LARGEST = 16 << 20, ANSWERS = 13 };

struct shared {
    _Atomic bool asked, go;
    _Atomic int answer[ANSWERS];
    jd_coll *other;
};

static struct shared *shared_of(jd_self *me)
{
    return jd_coll_local(jd_coll_mine(me));
}

static void note(struct shared *s, const int *answer, int n)
{
    for (int i = 0; i < n; i++)
        atomic_store(&s->answer[i], answer[i]);
    atomic_store(&s->asked, true);
}

/* ---- tasks -------------------------------------------------------------------------- */

static void nothing(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

/* All that only the body may do. */
static void ask_bodys(jd_self *me, void *arg)
{
    jd_coll *mine = jd_coll_mine(me), *fresh = NULL;
    uint64_t word = 1;
    double number = 1;
    jd_coll_info info;
    (void)arg;
    const int answer[] = {
        jd_coll_create(me, NULL, &fresh),
        jd_coll_start(me, mine),
        jd_coll_process(me, mine),
        jd_coll_wait(me, mine),
        jd_coll_restore(me, mine, JD_RESTORE_SEED),
        jd_coll_destroy(me, mine),
        jd_coll_get_info(me, mine, &info),
        jd_barrier(me),
        jd_allreduce_u64(me, &word, 1, JD_SUM),
        jd_allreduce_f64(me, &number, 1, JD_SUM),
    };
    note(shared_of(me), answer, sizeof answer / sizeof *answer);
}

/* Another collection that is open, without a hold of this rank. */
static void ask_other(jd_self *me, void *arg)
{
    struct shared *s = shared_of(me);
    (void)arg;
    const int answer[] = {
        jd_coll_add(me, s->other, NOTHING, NULL, 0),
        jd_coll_add_inplace(me, s->other, NOTHING, 0) ? 0 : JD_ESTATE,
        jd_coll_hold(me, s->other),
        jd_coll_release(me, s->other),
        jd_coll_release(me, jd_coll_mine(me)),
    };
    note(s, answer, sizeof answer / sizeof *answer);
}

/* Another collection that has ended, or is seeded again. */
static void ask_late(jd_self *me, void *arg)
{
    struct shared *s = shared_of(me);
    (void)arg;
    const int answer[] = {
        jd_coll_add(me, s->other, NOTHING, NULL, 0),
        jd_coll_add_inplace(me, s->other, NOTHING, 0) ? 0 : JD_ESTATE,
    };
    note(s, answer, sizeof answer / sizeof *answer);
}

/* Another collection as soon as it is about to be destroyed.  Not on the last rank, whose
 * body destroys it later: there it lies open for thieves, under one that does nothing. */
static void ask_dying(jd_self *me, void *arg)
{
    struct shared *s = shared_of(me);
    (void)arg;
    if (jd_rank(me) == jd_nranks(me) - 1) {
        must(me, jd_coll_add(me, jd_coll_mine(me), ASK_DYING, NULL, 0));
        must(me, jd_coll_add(me, jd_coll_mine(me), NOTHING, NULL, 0));
        jd_compute(me, LOOK_AWAY_NS);
        return;
    }
    while (!jd_coll_hold(me, s->other)) {
        must(me, jd_coll_release(me, s->other));
        jd_yield(me);
    }
    ask_late(me, arg);
}

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

static const jd_task_def tasks[] = {
    [NOTHING] = JD_TASK(nothing),     [ASK_BODYS] = JD_TASK(ask_bodys),
    [ASK_OTHER] = JD_TASK(ask_other), [ASK_LATE] = JD_TASK(ask_late),
    [ASK_DYING] = JD_TASK(ask_dying), [ASK_BAD] = JD_TASK(ask_bad),
    [LINGER] = JD_TASK(linger),       JD_TASK_END};

static jd_coll *make(jd_self *me, const jd_coll_props *p)
{
    jd_coll *c = NULL;
    must(me, jd_coll_create(me, p, &c));
    return c;
}

/* The task has run once; did all its answers come out as `want`, where it ran? */
static bool answers(jd_self *me, struct shared *s, int n, int want)
{
    bool right = true;
    bool asked = atomic_exchange(&s->asked, false);
    for (int i = 0; asked && i < n; i++) {
        if (atomic_load(&s->answer[i]) != want)
            fprintf(stderr, "# answer %d is %d\n", i, atomic_load(&s->answer[i]));
        right = right && atomic_load(&s->answer[i]) == want;
    }
    return sum_of(me, asked) == 1 && right;
}

/* Run `task` once. */
static bool all_answers(jd_self *me, jd_coll *c, struct shared *s, jd_task task, int n,
                        int want)
{
    if (jd_rank(me) == 0)
        must(me, jd_coll_add(me, c, task, NULL, 0));
    must(me, jd_coll_process(me, c));
    return answers(me, s, n, want);
}

/* ---- the wrong place ---------------------------------------------------------------- */

static void test_from_tasks(jd_self *me)
{
    struct shared s = {0};
    jd_coll *c = make(me, &(jd_coll_props){.local = &s});
    s.other = make(me, &(jd_coll_props){.local = &s});
    ok_all(me, all_answers(me, c, &s, ASK_BODYS, 10, JD_ESTATE),
           "tasks may not do what only the body may");
    if (jd_rank(me) == 0)
        must(me, jd_coll_add(me, s.other, LINGER, NULL, 0));
    must(me, jd_coll_start(me, s.other));
    must(me, jd_barrier(me)); /* open everywhere */
    ok_all(me, all_answers(me, c, &s, ASK_OTHER, 5, JD_ESTATE),
           "nor touch another started collection without a hold");
    atomic_store(&s.go, true);
    must(me, jd_coll_wait(me, s.other));
    ok_all(me, adds_up(me, s.other, 1), "which is none the worse");
    must(me, jd_coll_destroy(me, s.other));
    must(me, jd_coll_destroy(me, c));
}

static void test_after_the_end(jd_self *me)
{
    struct shared s = {0};
    jd_coll *c = make(me, &(jd_coll_props){.local = &s});
    s.other = make(me, NULL);
    must(me, jd_coll_process(me, s.other));
    must(me, jd_coll_hold(me, s.other));
    ok_all(me, all_answers(me, c, &s, ASK_LATE, 2, JD_ESTATE),
           "one that has ended takes nothing from tasks, hold or not");
    must(me, jd_coll_add(me, s.other, NOTHING, NULL, 0));
    ok_all(me, all_answers(me, c, &s, ASK_LATE, 2, 0), "seeded by the body, it does");
    must(me, jd_coll_release(me, s.other));
    must(me, jd_coll_process(me, s.other));
    ok_all(me, adds_up(me, s.other, 2 + jd_nranks(me)), "and runs it all");
    must(me, jd_coll_destroy(me, s.other));
    must(me, jd_coll_destroy(me, c));
}

/* While ranks wait in destroy for the last one, a task there finds the door shut. */
static void test_while_destroyed(jd_self *me)
{
    struct shared s = {0};
    bool last = jd_rank(me) == jd_nranks(me) - 1;
    if (jd_nranks(me) == 1)
        return;
    jd_coll *c = make(me, &(jd_coll_props){.local = &s});
    s.other = make(me, NULL);
    if (jd_rank(me) == 0)
        must(me, jd_coll_add(me, c, ASK_DYING, NULL, 0));
    must(me, jd_coll_start(me, c));
    if (!last)
        must(me, jd_coll_destroy(me, s.other));
    must(me, jd_coll_wait(me, c));
    if (last)
        must(me, jd_coll_destroy(me, s.other));
    ok_all(me, answers(me, &s, 2, JD_ESTATE), "nor does one that is being destroyed");
    must(me, jd_coll_destroy(me, c));
}

/* A collection that is open although it has no task here. */
static void test_from_the_body(jd_self *me)
{
    jd_coll_info info;
    jd_coll *c = make(me, NULL);
    ok_all(me, jd_coll_wait(me, c) == JD_ESTATE, "wait before start");
    ok_all(me, jd_coll_restore(me, c, JD_RESTORE_SEED) == JD_ESTATE,
           "restore of a new one");
    ok_all(me, jd_coll_release(me, c) == JD_ESTATE, "release without a hold");
    must(me, jd_coll_hold(me, c));
    must(me, jd_coll_start(me, c));
    ok_all(me, jd_coll_start(me, c) == JD_ESTATE, "start of a started one");
    ok_all(me, jd_coll_process(me, c) == JD_ESTATE, "process of a started one");
    ok_all(me, jd_coll_restore(me, c, JD_RESTORE_SEED) == JD_ESTATE, "restore of it");
    ok_all(me, jd_coll_destroy(me, c) == JD_ESTATE, "destroy of it");
    ok_all(me, jd_coll_get_info(me, c, &info) == JD_ESTATE, "info of it");
    ok_all(me, jd_coll_hold(me, c) == 0 && jd_coll_release(me, c) == 0,
           "under a hold another hold is fine");
    ok_all(me, jd_coll_add(me, c, NOTHING, NULL, 0) == 0, "and so is an add");
    must(me, jd_coll_release(me, c));
    must(me, jd_coll_wait(me, c));
    ok_all(me, adds_up(me, c, jd_nranks(me)) && info_of(me, c).retained == 0,
           "what was added then is no seed");
    ok_all(me, jd_coll_restore(me, c, (enum jd_restore)9) == JD_EINVAL,
           "an unknown restore");
    ok_all(me, jd_coll_restore(me, c, JD_RESTORE_SEED) == 0, "restore");
    ok_all(me, jd_coll_restore(me, c, JD_RESTORE_SEED) == JD_ESTATE, "and again at once");
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_add(me, c, NOTHING, NULL, 0));
    ok_all(me, jd_coll_restore(me, c, JD_RESTORE_RETAIN) == JD_ESTATE,
           "restore after adds");
    must(me, jd_coll_process(me, c));
    ok_all(me, adds_up(me, c, jd_nranks(me)), "which are there still");
    must(me, jd_coll_destroy(me, c));

    c = make(me, &(jd_coll_props){.no_restore = 1});
    must(me, jd_coll_add(me, c, NOTHING, NULL, 0));
    must(me, jd_coll_process(me, c));
    ok_all(me, jd_coll_restore(me, c, JD_RESTORE_SEED) == JD_ESTATE,
           "restore without records");
    must(me, jd_coll_destroy(me, c));
}

/* ---- the wrong argument ------------------------------------------------------------- */

static void test_arguments(jd_self *me)
{
    struct shared s = {0};
    char bytes[SIZE + 1] = {0};
    jd_coll *c = make(me, &(jd_coll_props){.arg_size = SIZE, .uniform = 1, .local = &s});
    ok_all(me, jd_coll_add(me, c, NOTHING, bytes, SIZE + 1) == JD_ETOOBIG, "not uniform");
    ok_all(me, !jd_coll_add_inplace(me, c, NOTHING, SIZE + 1), "nor in place");
    ok_all(me, jd_coll_add(me, c, TASKS, bytes, 1) == JD_EINVAL, "no such task");
    ok_all(me, jd_coll_add(me, c, NOTHING, bytes, SIZE) == 0, "just the size");
    ok_all(me, all_answers(me, c, &s, ASK_BAD, 5, true), "the same for tasks");
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

/* ---- too early, too many ------------------------------------------------------------ */

static void test_destroy_with_tasks(jd_self *me)
{
    bool last = jd_rank(me) == jd_nranks(me) - 1;
    jd_coll *c = make(me, NULL);
    if (last)
        must(me, jd_coll_add(me, c, NOTHING, NULL, 0));
    ok_all(me, jd_coll_destroy(me, c) == JD_ESTATE, "destroy with a task on one rank");
    must(me, jd_coll_process(me, c));
    ok_all(me, adds_up(me, c, 1), "which runs all the same");
    if (last)
        must(me, jd_coll_hold(me, c));
    ok_all(me, jd_coll_destroy(me, c) == JD_ESTATE, "destroy with a hold on one rank");
    if (last)
        must(me, jd_coll_release(me, c));
    ok_all(me, jd_coll_destroy(me, c) == 0, "destroy of what is at rest");
}

static void test_many_colls(jd_self *me)
{
    jd_coll *c[COLLS], *more = NULL;
    for (int i = 0; i < COLLS; i++)
        c[i] = make(me, NULL);
    ok_all(me, jd_coll_create(me, NULL, &more) == JD_ENOMEM && !more, "65 collections");
    for (int i = 0; i < COLLS; i++)
        for (int k = 0; k < i; k++)
            must(me, jd_coll_add(me, c[i], NOTHING, NULL, 0));
    for (int i = 0; i < COLLS; i++)
        must(me, jd_coll_start(me, c[i]));
    for (int i = COLLS - 1; i >= 0; i--)
        must(me, jd_coll_wait(me, c[i]));
    uint64_t wrong = 0;
    for (int i = 0; i < COLLS; i++)
        wrong += !adds_up(me, c[i], (uint64_t)i * jd_nranks(me));
    ok_all(me, !wrong, "64 of them at work at once");
    must(me, jd_coll_destroy(me, c[COLLS / 2]));
    ok_all(me, jd_coll_create(me, NULL, &c[COLLS / 2]) == 0, "room for one more again");
    for (int i = 0; i < COLLS; i++)
        must(me, jd_coll_destroy(me, c[i]));
}

static void test_create_again(jd_self *me, long times)
{
    double start = tap_seconds();
    for (long i = 0; i < times; i++) {
        jd_coll *c = make(me, &(jd_coll_props){.name = i % 2 ? "odd" : NULL});
        if (i % 3 == 0) {
            must(me, jd_coll_add(me, c, NOTHING, NULL, 0));
            must(me, jd_coll_process(me, c));
        }
        must(me, jd_coll_destroy(me, c));
    }
    ok_all(me, true, "create and destroy %ld times", times);
    if (jd_rank(me) == 0)
        diag("%.2f s", tap_seconds() - start);
}

static int body(jd_self *me, int argc, char **argv)
{
    test_from_tasks(me);
    test_after_the_end(me);
    test_while_destroyed(me);
    test_from_the_body(me);
    test_arguments(me);
    test_mismatch(me);
    test_destroy_with_tasks(me);
    test_many_colls(me);
    test_create_again(me, argc > 1 ? atol(argv[1]) : 50);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
