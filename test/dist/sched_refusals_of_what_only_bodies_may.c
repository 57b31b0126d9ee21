/*
 * sched_refusals_of_what_only_bodies_may.c
 *
 * Role: a task gets the documented code when it asks for what only the body may do, or touches another
 *       collection that is started, has ended, or is being destroyed; and the job goes on as if the
 *       call had not been made.
 * Owner: as sched_refusals_kit.h.
 * See: include/jackdaw.h.
 */
#include "test/dist/sched_refusals_kit.h"

enum { NOTHING, ASK_BODYS, ASK_OTHER, ASK_LATE, ASK_DYING, LINGER };
enum { LOOK_AWAY_NS = 1000000 };

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

/* Keeps its collection open. */
static void linger(jd_self *me, void *arg)
{
    (void)arg;
    while (!atomic_load(&shared_of(me)->go))
        jd_yield(me);
}

static const jd_task_def tasks[] = {[NOTHING] = JD_TASK(nothing),
                                    [ASK_BODYS] = JD_TASK(ask_bodys),
                                    [ASK_OTHER] = JD_TASK(ask_other),
                                    [ASK_LATE] = JD_TASK(ask_late),
                                    [ASK_DYING] = JD_TASK(ask_dying),
                                    [LINGER] = JD_TASK(linger),
                                    JD_TASK_END};

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

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    test_from_tasks(me);
    test_after_the_end(me);
    test_while_destroyed(me);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
