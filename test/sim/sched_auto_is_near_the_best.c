/*
 * sched_auto_is_near_the_best.c - AUTO is within 3% of the best fixed choice, however the load changes.
 *
 * Role: in virtual time, loads that are even, uneven and the same, that drift, and that are new in each iteration; with
 *       stealing, and without it from the second iteration on.  What counts is the time of all iterations but the
 *       first, with their restores.
 * Owner: the body; time is virtual.
 * See: doc/balance.md section 8; bench/auto.sh, which goes through more of them.
 */
#include "test/dist/sched_kit.h"

#include <math.h>

enum { WORK };
enum { SEEDS = 30, ITERATIONS = 40, MEAN_NS = 100000, EPOCH = 10 };
enum load { EVEN, STATIONARY, DRIFTING, RANDOM, LOADS };
static const char *const load_names[] = {"even", "stationary", "drifting", "random"};

static struct {
    enum load load;
    enum jd_restore how;
    bool quiet;
    uint64_t iteration;
    double seconds;
} shared;

/* Exponential, with mean 1; the same for the same numbers. */
static double draw(uint64_t seed, uint64_t epoch)
{
    uint64_t x = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) ^
                 (epoch + 1) * UINT64_C(0xd1342543de82ef95);
    x = (x ^ x >> 31) * UINT64_C(0x94d049bb133111eb);
    x ^= x >> 29;
    return -log1p(-(double)(x >> 11) / (double)(UINT64_C(1) << 53));
}

static double time_of(uint64_t seed)
{
    uint64_t i = shared.iteration;
    double new = (double)(i % EPOCH) / EPOCH;
    switch (shared.load) {
    case EVEN:
        return 1;
    case STATIONARY:
        return draw(seed, 0);
    case DRIFTING:
        return (1 - new) * draw(seed, i / EPOCH) + new *draw(seed, i / EPOCH + 1);
    default:
        return draw(seed, i);
    }
}

static void work(jd_self *me, void *arg)
{
    jd_compute(me, (uint64_t)(MEAN_NS * time_of(*(const uint64_t *)arg)));
}

static const jd_task_def tasks[] = {[WORK] = JD_TASK(work), JD_TASK_END};

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    jd_coll_props props = {.timed = 1};
    double began = 0;
    jd_coll *c;
    must(me, jd_coll_create(me, &props, &c));
    uint64_t n = jd_rank(me) % 4 ? SEEDS : 3 * SEEDS;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t seed = i << 32 | jd_rank(me);
        must(me, jd_coll_add(me, c, WORK, &seed, sizeof seed));
    }
    for (uint64_t i = 0; i < ITERATIONS; i++) {
        if (i == 1)
            began = jd_now(me);
        if (i == 1 && shared.quiet)
            must(me, jd_coll_stealing(me, c, JD_STEAL_NONE));
        if (i)
            must(me, jd_coll_restore(me, c, shared.how));
        must(me, jd_barrier(me)); /* all ranks are in the same iteration */
        shared.iteration = i;
        must(me, jd_coll_process(me, c));
    }
    if (jd_rank(me) == 0)
        shared.seconds = jd_now(me) - began;
    must(me, jd_coll_destroy(me, c));
    return 0;
}

static double run(enum jd_restore how)
{
    shared.how = how;
    if (jd_launch(0, NULL, body, tasks))
        ok(false, "the job ends well");
    return shared.seconds;
}

static void compare(enum load load, bool quiet)
{
    static const enum jd_restore fixed[] = {JD_RESTORE_SEED, JD_RESTORE_RETAIN,
                                            JD_RESTORE_CENTRAL, JD_RESTORE_GOSSIP};
    double best = INFINITY;
    shared.load = load;
    shared.quiet = quiet;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        best = fmin(best, run(fixed[i]));
    double chosen = run(JD_RESTORE_AUTO);
    ok(chosen <= 1.03 * best, "%s, %s stealing: %.4f of the best", load_names[load],
       quiet ? "no" : "with", chosen / best);
}

int main(void)
{
    setenv("JACKDAW_RANKS", "8", 1);
    setenv("JACKDAW_WORKERS", "2", 1);
    setenv("JACKDAW_SEED", "1", 1);
    for (enum load load = EVEN; load < LOADS; load++) {
        compare(load, false);
        compare(load, true);
    }
    return done_testing();
}
