/*
 * sim_workers_have_their_own_clocks.c - workers of a simulated rank compute side by side.
 *
 * Role: as many tasks of 1 ms as there are workers take 1 ms and the time of one take, not the sum
 *       of the tasks; one task more takes another 1 ms.
 * Owner: the body.
 * Invariants: I1 the times are exact but for the end of the collection.
 * See: doc/sim.md "Workers".
 */
#include "test/dist/sched_kit.h"

enum { COMPUTE };
enum { TASK_NS = 1000000, TAKE_NS = 5000, WORKERS = 2, SLACK_NS = 2500 };

static void compute(jd_self *me, void *arg)
{
    (void)arg;
    jd_compute(me, TASK_NS);
}

static const jd_task_def tasks[] = {[COMPUTE] = JD_TASK(compute), JD_TASK_END};

/* Virtual ns from the start of n tasks to the end of all. */
static double time_of(jd_self *me, int n)
{
    jd_coll *c = NULL;
    must(me, jd_coll_create(me, NULL, &c));
    for (int i = 0; i < n; i++)
        must(me, jd_coll_add(me, c, COMPUTE, NULL, 0));
    double start = jd_now(me);
    must(me, jd_coll_process(me, c));
    double ns = 1e9 * (jd_now(me) - start);
    must(me, jd_coll_destroy(me, c));
    diag("%d tasks take %.0f ns", n, ns);
    return ns;
}

static void test_time(jd_self *me, int n, double least)
{
    double ns = time_of(me, n);
    ok(ns >= least && ns < least + SLACK_NS, "%d tasks take %.0f ns and hardly more", n,
       least);
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    ok(jd_nworkers(me) == WORKERS, "there are %d workers", WORKERS);
    test_time(me, 1, TASK_NS);
    /* The other one is woken when the first task begins, takes one and runs it. */
    test_time(me, 2, TASK_NS + TAKE_NS);
    /* The first is done sooner and finds another on its own shelf. */
    test_time(me, 3, 2 * TASK_NS);
    return done_testing();
}

int main(int argc, char **argv)
{
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "2", 1);
    setenv("JACKDAW_SIM_TASK", "0", 1);
    setenv("JACKDAW_SIM_TAKE", "5000", 1);
    return jd_launch(argc, argv, body, tasks);
}
