/*
 * sched_finish_that_is_cancelled_ends.c
 *
 * Role: a finish full of tasks that would never end is cancelled: it ends and says so, finishes
 *       inside it too, the next one does not, and a job may end right after it.  Argument: how many
 *       finishes are cancelled (10).
 * Owner: as sched_finish_kit.h.
 * See: doc/async.md "Cancellation".
 */
#include "test/dist/sched_finish_kit.h"

enum { WALK = OWN, ROAM };

static void walk_inside(jd_self *me, void *arg)
{
    (void)arg;
    must(me, jd_async(me, SPIN, &(uint64_t){0}, 8));
}

/* Opens a finish inside of the cancelled one: that one is cancelled too. */
static void walk(jd_self *me, void *arg)
{
    (void)arg;
    int e = jd_finish(me, walk_inside, NULL);
    complain(me, e == JD_ECANCELED);
    note(me, 1);
}

/* From rank to rank until it is cancelled. */
static void roam(jd_self *me, void *arg)
{
    (void)arg;
    if (!jd_cancelled(me))
        must(me, jd_async_at(me, (jd_rank(me) + 1) % jd_nranks(me), ROAM, NULL, 0));
}

static const jd_task_def tasks[] = {
    SHARED_TASKS, [WALK] = JD_TASK(walk), [ROAM] = JD_TASK(roam), JD_TASK_END};

static void test_cancel(jd_self *me, long times)
{
    long right = 0;
    for (long i = 0; i < times; i++) {
        jd_scope s;
        must(me, jd_finish_begin(me, &s));
        must(me, jd_async(me, i % 2 ? WALK : SPIN, &(uint64_t){0}, 8));
        must(me, jd_async(me, STOP, NULL, 0));
        right += jd_finish_end(me, &s) == JD_ECANCELED;
        must(me, jd_barrier(me));
    }
    ok_all(me, right == times, "what is cancelled ends, and says so");
    uint64_t depth = 3;
    tally_take(me, &here(me)->tally);
    must(me, jd_barrier(me));
    must(me, jd_finish(me, spawn_tree, &depth));
    uint64_t n = jd_nranks(me);
    ok_all(me, ran(me, n * heap_nodes(3), n * heap_sum(3)), "the next one does not");
    ok_all(me, !atomic_load(&here(me)->wrong), "finishes inside were cancelled too");
}

/* The job ends at once after it: what ranks still have to tell each other may not be lost. */
static void cancel_and_leave(jd_self *me)
{
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    for (uint32_t i = 0; i < jd_nranks(me); i++)
        must(me, jd_async_at(me, i, ROAM, NULL, 0));
    must(me, jd_async(me, STOP, NULL, 0));
    int error = jd_finish_end(me, &s);
    if (error != JD_ECANCELED)
        jd_abort(me, 99, "cancelled, and jd_finish_end says %d", error);
}

static int body(jd_self *me, int argc, char **argv)
{
    struct here *mine = begin_counting(me);
    test_cancel(me, argc > 1 ? atol(argv[1]) : 10);
    end_counting(me, mine);
    int status = end_of_tests(me);
    cancel_and_leave(me);
    return status;
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
