/*
 * sched_balancers_even_out_ranks.c - after a balancer, ranks and workers have the same load.
 *
 * Role: in virtual time the own times of all tasks are exact.  Of a distribution that is as uneven as can be, and
 *       of one of the paper's, a balancer makes one whose largest load is within a few per cent of the least that can
 *       be: the mean, or the longest task.  With stealing switched off the next phase has that load, at its ranks and,
 *       because the seeds of a rank are dealt out, at its workers.  What is even already stays where it is, and so does
 *       what JACKDAW_BALANCE_DONATE permits.
 * Owner: the body; time is virtual.
 * See: doc/balance.md section 6; paper 003, section 5.
 */
#include "test/dist/sched_kit.h"

enum { WORK };
enum { SEEDS = 60, STEP_NS = 20000 };
enum shape { SKEWED, DEALT, GIANT, EVEN, SHAPES };
static const char *const shape_names[] = {"skewed", "dealt", "giant", "even"};

static struct {
    enum shape shape;
    enum jd_restore how;
    double ranks, workers; /* largest load over the least that can be */
    double before;
    uint64_t moved; /* seeds that are elsewhere than they were added */
} shared;

static void work(jd_self *me, void *arg)
{
    jd_compute(me, *(const uint64_t *)arg);
}

static const jd_task_def tasks[] = {[WORK] = JD_TASK(work), JD_TASK_END};

/* SKEWED: all at rank 0.  DEALT: every fourth rank has four times as many, and longer ones.  GIANT: one seed
 * takes more than the mean.  EVEN: all the same. */
static uint32_t seeds_of(uint32_t rank)
{
    switch (shared.shape) {
    case SKEWED:
        return rank == 0 ? 8 * SEEDS : 0;
    case DEALT:
        return rank % 4 == 1 ? 4 * SEEDS : SEEDS;
    default:
        return SEEDS;
    }
}

static uint64_t time_of(uint32_t rank, uint32_t i)
{
    if (shared.shape == GIANT && rank == 2 && i == 7)
        return UINT64_C(80) * STEP_NS;
    if (shared.shape == EVEN)
        return STEP_NS;
    return STEP_NS + UINT64_C(971) * (i % 37) + (rank % 4 == 1 ? STEP_NS : 0);
}

static double least_of(const jd_spread *s, uint64_t longest)
{
    return s->mean > (double)longest ? s->mean : (double)longest;
}

static int count_foreign(void *ctx, const jd_seed_time *t)
{
    jd_self *me = ctx;
    shared.moved += t->rank != jd_rank(me);
    return 0;
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    jd_coll_props props = {.name = "uneven", .timed = 1};
    jd_coll_spread load;
    jd_coll *c;
    must(me, jd_coll_create(me, &props, &c));
    for (uint32_t i = 0; i < seeds_of(jd_rank(me)); i++) {
        uint64_t ns = time_of(jd_rank(me), i);
        must(me, jd_coll_add(me, c, WORK, &ns, sizeof ns));
    }
    must(me, jd_coll_stealing(me, c, JD_STEAL_NONE));
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_get_load(me, c, &load));
    if (jd_rank(me) == 0)
        shared.before = load.ranks.imbalance;
    must(me, jd_coll_restore(me, c, shared.how));
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_get_load(me, c, &load));
    must(me, jd_coll_each_time(me, c, count_foreign, me));
    if (jd_rank(me) == 0) {
        shared.ranks = (double)load.ranks.most / least_of(&load.ranks, load.longest);
        shared.workers =
            (double)load.workers.most / least_of(&load.workers, load.longest);
    }
    must(me, jd_coll_destroy(me, c));
    return 0;
}

static void run(enum shape shape, enum jd_restore how, const char *name, double most)
{
    shared.shape = shape;
    shared.how = how;
    shared.moved = 0;
    ok(jd_launch(0, NULL, body, tasks) == 0, "%s of what is %s ends", name,
       shape_names[shape]);
    diag("%.3f before, %.4f after, workers %.4f", shared.before, shared.ranks,
         shared.workers);
    ok(shared.ranks <= most, "its largest load is %.3f of the least or less", most);
    ok(shared.workers <= most + 0.02, "so is that of its workers, nearly");
    ok((shared.moved == 0) == (shape == EVEN), "%llu seeds have moved",
       (unsigned long long)shared.moved);
}

int main(void)
{
    setenv("JACKDAW_RANKS", "8", 1);
    setenv("JACKDAW_WORKERS", "3", 1);
    setenv("JACKDAW_SIM_LAW", "uniform:20000", 1);
    for (enum shape s = SKEWED; s < SHAPES; s++) {
        run(s, JD_RESTORE_CENTRAL, "central", 1.01);
        run(s, JD_RESTORE_TREE, "tree", 1.03);
        run(s, JD_RESTORE_GOSSIP, "gossip", 1.05);
    }
    setenv("JACKDAW_BALANCE_DONATE", "16", 1); /* a rank may have 16 times the average */
    shared.shape = SKEWED;
    shared.how = JD_RESTORE_CENTRAL;
    shared.moved = 0;
    ok(jd_launch(0, NULL, body, tasks) == 0 && shared.moved == 0,
       "nothing moves if no load is too much");
    return done_testing();
}
