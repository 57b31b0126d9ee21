/*
 * sched_load_models_foresee.c - each load model balances the load for which it is made better than the others do.
 *
 * Role: in virtual time seeds grow and shrink along lines: TREND divides them so that the next phase is even, LAST
 *       does not.  Or they stay as they are, but in the last phase every second one was disturbed: MEDIAN divides them
 *       evenly, LAST does not.  Stealing is off.
 * Owner: the body; time is virtual.
 * See: doc/balance.md section 7.
 */
#include "test/dist/sched_kit.h"

enum { WORK };
enum { SEEDS = 48, PHASES = 4, UNIT_NS = 10000 };
enum load { LINES, DISTURBED };

static struct {
    enum load load;
    enum jd_load_model model;
    _Atomic uint32_t phase;
    double imbalance; /* of the phase after the balancer */
} shared;

/* How long a seed takes in this phase. */
static uint64_t time_of(uint32_t rank, uint32_t i, uint32_t phase)
{
    uint64_t base = UNIT_NS * (UINT64_C(8) + i % 5);
    if (shared.load == DISTURBED)
        return base * (phase + 1 == PHASES && (i + rank) % 2 && rank < 2 ? 3 : 1);
    return rank < 2 ? base + UNIT_NS * UINT64_C(4) * phase : base + UNIT_NS * (4 - phase);
}

static void work(jd_self *me, void *arg)
{
    const uint32_t *seed = arg;
    jd_compute(me, time_of(seed[0], seed[1], shared.phase));
}

static const jd_task_def tasks[] = {[WORK] = JD_TASK(work), JD_TASK_END};

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    jd_coll_props props = {.name = "lines", .timed = 1};
    jd_coll_spread load;
    jd_coll *c;
    must(me, jd_coll_create(me, &props, &c));
    for (uint32_t i = 0; i < SEEDS; i++) {
        uint32_t seed[] = {jd_rank(me), i};
        must(me, jd_coll_add(me, c, WORK, seed, sizeof seed));
    }
    must(me, jd_coll_stealing(me, c, JD_STEAL_NONE));
    must(me, jd_coll_load_model(me, c, shared.model, 0));
    for (uint32_t phase = 0; phase <= PHASES; phase++) {
        shared.phase = phase;
        must(me, jd_barrier(me));
        must(me, jd_coll_process(me, c));
        if (phase < PHASES)
            must(me,
                 jd_coll_restore(
                     me, c, phase + 1 < PHASES ? JD_RESTORE_RETAIN : JD_RESTORE_CENTRAL));
    }
    must(me, jd_coll_get_load(me, c, &load));
    if (jd_rank(me) == 0)
        shared.imbalance = load.ranks.imbalance;
    must(me, jd_coll_destroy(me, c));
    return 0;
}

static double run(enum load load, enum jd_load_model model)
{
    shared.load = load;
    shared.model = model;
    ok(jd_launch(0, NULL, body, tasks) == 0, "the job ends well");
    diag("model %d: %.4f", (int)model, shared.imbalance);
    return shared.imbalance;
}

int main(void)
{
    setenv("JACKDAW_RANKS", "4", 1);
    setenv("JACKDAW_WORKERS", "2", 1);
    double last = run(LINES, JD_LOAD_LAST), trend = run(LINES, JD_LOAD_TREND);
    ok(trend < 1.01 && last > 1.04, "TREND foresees lines, LAST does not");
    last = run(DISTURBED, JD_LOAD_LAST);
    double median = run(DISTURBED, JD_LOAD_MEDIAN);
    ok(median < 1.01 && last > 1.2, "MEDIAN passes over a disturbed phase");
    return done_testing();
}
