/*
 * loads.c - what it costs a rank to publish its load.
 *
 * Role: rank 0 works alone, with a policy that publishes loads and with one that does not,
 *       by turns in one run; nobody steals with either, and nobody reads.  Empty tasks,
 *       tasks about as short as a node of uts, and a nested loop of 10 us leaves.
 * Owner: rank 0's body; rank 1 is there so that shelves are shared at all.
 * Invariants: I1 inline: the thread that works is the one that publishes.
 * See: bench/README.md; publish() in sched/ask.c.
 *
 *     ./dev bench loads [ROUNDS]
 */
#include "sched/finish/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TREE, NODE, ROW, LEAF };
enum { MOST = 101, NODE_STEPS = 80, LEAF_NS = 10000, LEAVES = 100, WARM = 3 };

/* ---- two policies that differ in one word -------------------------------------------- */

static struct jdi_steal_move nothing(struct jdi_steal *s, uint64_t now)
{
    (void)s, (void)now;
    return jdi_steal_nothing();
}

static enum jdi_steal_verdict refuse(struct jdi_steal *s,
                                     const struct jdi_steal_request *q, bool spare)
{
    (void)s, (void)q, (void)spare;
    return JDI_STEAL_REFUSE;
}

static bool patient(const struct jdi_steal *s)
{
    (void)s;
    return true;
}

static const struct jdi_steal_ops quiet = {
    .name = "quiet", .hungry = nothing, .asked = refuse, .patient = patient};
static const struct jdi_steal_ops publishing = {.name = "publishing",
                                                .reads = true,
                                                .hungry = nothing,
                                                .asked = refuse,
                                                .patient = patient};

/* ---- work ---------------------------------------------------------------------------- */

static void must(int error)
{
    if (error) {
        fprintf(stderr, "loads: %s\n", jd_strerror(error));
        exit(1);
    }
}

static void children(jd_self *me, uint32_t fn, uint32_t depth)
{
    if (!depth--)
        return;
    must(jd_async(me, fn, &depth, sizeof depth));
    must(jd_async(me, fn, &depth, sizeof depth));
}

static void tree(jd_self *me, void *arg)
{
    children(me, TREE, *(uint32_t *)arg);
}

/* Some dependent multiplications: processor time that does not ask a clock. */
static void node(jd_self *me, void *arg)
{
    volatile uint64_t x = 1;
    for (int i = 0; i < NODE_STEPS; i++)
        x = x * 3;
    children(me, NODE, *(uint32_t *)arg);
}

static void leaf(jd_self *me, void *arg)
{
    const jd_range *r = arg;
    for (int64_t i = r->begin; i < r->end; i++)
        jd_compute(me, LEAF_NS);
}

static void row(jd_self *me, void *arg)
{
    const jd_range *r = arg;
    for (int64_t i = r->begin; i < r->end; i++)
        must(jd_forasync(me, LEAF, 0, LEAVES, 1, NULL, 0));
}

static const jd_task_def tasks[] = {[TREE] = JD_TASK(tree),
                                    [NODE] = JD_TASK(node),
                                    [ROW] = JD_TASK(row),
                                    [LEAF] = JD_TASK(leaf),
                                    JD_TASK_END};

struct kind {
    const char *name;
    uint32_t fn, size; /* a tree of that depth, or so many rows */
    double tasks;
};

static const struct kind kinds[] = {{"empty tasks", TREE, 21, 4194303},
                                    {"short tasks", NODE, 18, 524287},
                                    {"leaves of 10 us", ROW, 50, 5000}};

/* ns of this thread: what others take of its core does not count. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void start(jd_self *me, void *arg)
{
    const struct kind *k = arg;
    uint32_t depth = k->size;
    must(k->fn == ROW ? jd_forasync(me, ROW, 0, k->size, 1, NULL, 0)
                      : jd_async(me, k->fn, &depth, sizeof depth));
}

/* ns for a task of the kind. */
static double run(jd_self *me, const struct kind *k, const struct jdi_steal_ops *policy)
{
    me->rank->steal = policy;
    double began = now();
    must(jd_finish(me, start, (void *)(uintptr_t)k));
    return (now() - began) / k->tasks;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(jd_self *me, const struct kind *k, int rounds)
{
    double with[MOST], without[MOST], ratio[MOST];
    uint64_t before = me->rank->stats->loads;
    for (int i = -WARM; i < rounds; i++) {
        double first = i % 2 ? run(me, k, &publishing) : 0;
        double b = run(me, k, &quiet);
        double a = i % 2 ? first : run(me, k, &publishing);
        if (i >= 0)
            with[i] = a, without[i] = b, ratio[i] = a / b;
    }
    double loads = (double)(me->rank->stats->loads - before) / (rounds + WARM);
    qsort(with, (size_t)rounds, sizeof *with, ascending);
    qsort(without, (size_t)rounds, sizeof *without, ascending);
    qsort(ratio, (size_t)rounds, sizeof *ratio, ascending);
    printf("%-16s %9.1f ns, publishing %9.1f ns, ratio %.3f (%.3f-%.3f), %.1f loads\n",
           k->name, without[rounds / 2], with[rounds / 2], ratio[rounds / 2], ratio[0],
           ratio[rounds - 1], loads);
}

static int body(jd_self *me, int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 15;
    if (jd_nranks(me) != 2 || rounds < 1 || rounds > MOST) {
        fprintf(stderr, "loads: wants 2 ranks and 1 to %d rounds\n", MOST);
        return 2;
    }
    me->rank->steal = &quiet;
    must(jd_barrier(me));
    for (size_t i = 0; jd_rank(me) == 0 && i < sizeof kinds / sizeof *kinds; i++)
        measure(me, &kinds[i], rounds);
    return jd_barrier(me) ? 1 : 0;
}

int main(int argc, char **argv)
{
    setenv("JACKDAW_WORKERS", "1", 1);
    setenv("JACKDAW_COMM", "inline", 1);
    return jd_launch(argc, argv, body, tasks);
}
