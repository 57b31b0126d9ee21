/*
 * sched_recalls_replace_steals.c - a phase that begins with the log of the last one needs hardly a steal.
 *
 * Role: an unbalanced tree from one seed, and a flat load of seeds that all lie at rank 0, on 8 and 16 ranks of one
 *       worker and of three, four seeds of the job each.  From the second phase on there is a tenth of the steals or
 *       fewer, no phase is slower than the first by more than a fiftieth.
 * Owner: the body; rank 0 writes `seen`; time is virtual.
 * See: doc/steallog.md; test/dist/sched_recalls_send_tasks_ahead.c.
 */
#include "test/dist/sched_kit.h"

enum { NODE, LEAF };
enum { PHASES = 4, ROOTS = 300, FLAT = 1600, LEAF_NS = 20000, SEEDS = 4 };

struct node {
    uint64_t number;
    uint32_t depth;
};

static bool flat; /* the load of the job that runs; set before it is launched */
static struct {
    uint64_t steals, tasks;
    double s;
} seen[PHASES];
static bool right;
static _Atomic uint64_t ran;

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x7FB5D329728EA185);
    return x ^ x >> 29;
}

/* A binomial tree: one node in 8 has 7 children. */
static void node(jd_self *me, void *arg)
{
    struct node n = *(struct node *)arg;
    unsigned children = n.depth ? (mixed(n.number) >> 20 & 7) ? 0 : 7 : ROOTS;
    atomic_fetch_add_explicit(&ran, 1, memory_order_relaxed);
    jd_compute(me, 1000);
    for (unsigned i = 0; i < children && n.depth < 60; i++) {
        struct node *c = jd_coll_add_inplace(me, jd_coll_mine(me), NODE, sizeof *c);
        if (!c)
            jd_abort(me, 99, "no slot");
        *c = (struct node){mixed(n.number * 16 + i + 1), n.depth + 1};
    }
}

static void leaf(jd_self *me, void *arg)
{
    (void)arg;
    atomic_fetch_add_explicit(&ran, 1, memory_order_relaxed);
    jd_compute(me, LEAF_NS);
}

static const jd_task_def tasks[] = {
    [NODE] = JD_TASK(node), [LEAF] = JD_TASK(leaf), JD_TASK_END};

static void seed(jd_self *me, jd_coll *c)
{
    struct node root = {.number = 77};
    if (jd_rank(me) == 0 && !flat)
        must(me, jd_coll_add(me, c, NODE, &root, sizeof root));
    for (int i = 0; jd_rank(me) == 0 && flat && i < FLAT; i++)
        must(me, jd_coll_add(me, c, LEAF, NULL, 0));
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    jd_coll_props props = {.recall = 1};
    jd_coll *c;
    must(me, jd_coll_create(me, &props, &c));
    seed(me, c);
    for (int i = 0; i < PHASES; i++) {
        if (i)
            must(me, jd_coll_restore(me, c, JD_RESTORE_SEED));
        must(me, jd_barrier(me));
        double from = jd_now(me);
        must(me, jd_coll_process(me, c));
        double took = jd_now(me) - from;
        jd_coll_info info = info_of(me, c);
        uint64_t steals = sum_of(me, info.steals);
        must(me, jd_allreduce_f64(me, &took, 1, JD_MAX));
        bool whole = adds_up(me, c, ran);
        if (jd_rank(me) == 0) {
            right = right && whole;
            seen[i].steals = steals;
            seen[i].tasks = ran;
            seen[i].s = took;
            ran = 0;
        }
        must(me, jd_barrier(me));
    }
    must(me, jd_coll_destroy(me, c));
    return 0;
}

/* What the later phases have at the most, of the first one's steals and of its time. */
static void judge(const char *what, int seed_of_job)
{
    uint64_t most = 0;
    double slowest = 0;
    for (int i = 1; i < PHASES; i++) {
        most = seen[i].steals > most ? seen[i].steals : most;
        slowest = seen[i].s > slowest ? seen[i].s : slowest;
        right = right && seen[i].tasks == seen[0].tasks;
    }
    ok(right && seen[0].steals >= 20 && most <= seen[0].steals / 10,
       "%s, seed %d: %d steals, then %d at the most", what, seed_of_job,
       (int)seen[0].steals, (int)most);
    ok(slowest <= seen[0].s * 1.02, "%s, seed %d: %.0f us, then %.0f at the most", what,
       seed_of_job, seen[0].s * 1e6, slowest * 1e6);
}

static void job(const char *ranks, const char *workers, const char *comm,
                const char *what)
{
    setenv("JACKDAW_RANKS", ranks, 1);
    setenv("JACKDAW_WORKERS", workers, 1);
    setenv("JACKDAW_COMM", comm, 1);
    for (int s = 1; s <= SEEDS; s++) {
        char text[16];
        snprintf(text, sizeof text, "%d", s);
        setenv("JACKDAW_SEED", text, 1);
        right = true;
        ran = 0;
        right = jd_launch(0, NULL, body, tasks) == 0 && right;
        judge(what, s);
    }
}

int main(void)
{
    flat = false;
    job("16", "1", "inline", "a tree on 16 ranks");
    job("8", "3", "dedicated", "a tree on 8 ranks of 3 workers");
    flat = true;
    job("16", "1", "inline", "seeds on 16 ranks");
    job("8", "3", "dedicated", "seeds on 8 ranks of 3 workers");
    return done_testing();
}
