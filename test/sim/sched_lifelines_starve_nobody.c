/*
 * sched_lifelines_starve_nobody.c - work at one rank reaches all ranks, one task at a time.
 *
 * Role: 64 ranks with JACKDAW_STEAL=lifeline and JACKDAW_STEAL_AMOUNT=one, so that a rank
 *       which is fed has nothing to spare for the thieves that wait there.  All work is at rank
 *       0, a lifeline of 6 ranks: there from the beginning, or made bit by bit.  Other ranks take
 *       part too, and the job takes less time than these 7 would need without a pause.
 * Owner: the body; time is virtual.
 * See: doc/transfer.md "lifeline".  JACKDAW_STEAL and JACKDAW_STEAL_AMOUNT may be given.
 */
#include "test/dist/sched_kit.h"

enum { WORK, MAKE };
enum { TASK_NS = 1000000, TASKS = 640, MAKE_NS = 30000, NEIGHBOURS = 7 };

static void work(jd_self *me, void *arg)
{
    (void)arg;
    jd_compute(me, TASK_NS);
}

/* One of a chain: a task, and the next one. */
static void make(jd_self *me, void *arg)
{
    uint32_t left = *(uint32_t *)arg - 1;
    jd_compute(me, MAKE_NS);
    must(me, jd_coll_add(me, jd_coll_mine(me), WORK, NULL, 0));
    if (left)
        must(me, jd_coll_add(me, jd_coll_mine(me), MAKE, &left, sizeof left));
}

static const jd_task_def tasks[] = {
    [WORK] = JD_TASK(work), [MAKE] = JD_TASK(make), JD_TASK_END};

/* Seconds that a phase takes; what rank 0 put in was `n` tasks. */
static double phase(jd_self *me, uint32_t n, jd_task fn)
{
    jd_coll *c;
    uint32_t all = TASKS;
    must(me, jd_coll_create(me, NULL, &c));
    for (uint32_t i = 0; jd_rank(me) == 0 && i < n; i++)
        must(me, jd_coll_add(me, c, fn, &all, sizeof all));
    must(me, jd_barrier(me));
    double began = jd_now(me);
    must(me, jd_coll_process(me, c));
    double took = jd_now(me) - began;
    jd_coll_info info;
    must(me, jd_coll_get_info(me, c, &info));
    uint64_t ranks = info.executed > 0;
    must(me, jd_allreduce_u64(me, &ranks, 1, JD_SUM));
    if (jd_rank(me) == 0)
        ok(ranks > jd_nranks(me) / 2, "%u ranks of %u got tasks", (unsigned)ranks,
           (unsigned)jd_nranks(me));
    must(me, jd_coll_destroy(me, c));
    return took;
}

static void report(jd_self *me, double took, const char *what)
{
    double seven = 1e-9 * TASK_NS * TASKS / NEIGHBOURS;
    if (jd_rank(me) == 0)
        ok(took < seven, "%s: %.1f ms; rank 0 and its neighbours: %.1f", what, 1e3 * took,
           1e3 * seven);
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    report(me, phase(me, TASKS, WORK), "work at rank 0");
    report(me, phase(me, 1, MAKE), "work made at rank 0");
    return jd_rank(me) == 0 ? done_testing() : 0;
}

int main(int argc, char **argv)
{
    setenv("JACKDAW_RANKS", "64", 1);
    setenv("JACKDAW_SEED", "1", 0);
    setenv("JACKDAW_STEAL", "lifeline", 0);
    setenv("JACKDAW_STEAL_AMOUNT", "one", 0);
    return jd_launch(argc, argv, body, tasks);
}
