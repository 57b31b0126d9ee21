/*
 * sched_retain_ends_all_steals.c - retained seeds lie where they ran, in the order in which they ran.
 *
 * Role: each iteration of a load that stays the same begins with the seeds of the last one on the
 *       workers that ran them.  All tasks are at rank 0 first.  If the tasks are flat, then by the
 *       fifth iteration no worker has a whole task more than the mean, and from then on no task
 *       changes worker or rank.  Of tasks whose times differ by 3 hardly one moves after the fifth
 *       iteration.  Where a rank answers only between its own tasks, the load evens out later, but
 *       once it is even nothing moves there either.  Eight seeds of each.
 * Owner: the body; rank 0 writes `seen`; time is virtual.
 * See: doc/transfer.md "Seeds that are retained".
 */
#include "test/dist/sched_kit.h"

enum { STEP };
enum { ITERATIONS = 24, SETTLED = 5, TASKS = 1600, TASK_NS = 100000, SEEDS = 8, FEW = 4 };

/* What a job shows. */
struct seen {
    uint64_t moved[ITERATIONS]; /* tasks that changed rank or worker */
    double excess[ITERATIONS];  /* of the most loaded worker over the mean, in ns */
};

static bool
    uneven; /* the load of the job that runs; both are set before it is launched */
static struct seen seen;

static void step(jd_self *me, void *arg)
{
    struct tally *t = jd_coll_local(jd_coll_mine(me));
    uint64_t ns = *(uint64_t *)arg;
    jd_compute(me, ns);
    tally_note(me, t, ns);
}

static const jd_task_def tasks[] = {[STEP] = JD_TASK(step), JD_TASK_END};

static void seed(jd_self *me, jd_coll *c)
{
    for (uint64_t i = 0; jd_rank(me) == 0 && i < TASKS; i++) {
        uint64_t ns = uneven ? TASK_NS / 2 + i * 7919 % TASK_NS : TASK_NS;
        must(me, jd_coll_add(me, c, STEP, &ns, sizeof ns));
    }
}

static void look(jd_self *me, jd_coll *c, struct tally *t, int i)
{
    jd_coll_info info = info_of(me, c);
    uint64_t most = 0, moved = info.stolen_in + info.stolen_local;
    for (unsigned w = 0; w < jd_nworkers(me); w++)
        most = t->row[w].sum > most ? t->row[w].sum : most;
    uint64_t all = sum_of(me, tally_take(me, t).sum);
    must(me, jd_allreduce_u64(me, &most, 1, JD_MAX));
    moved = sum_of(me, moved);
    if (jd_rank(me) == 0) {
        seen.moved[i] = moved;
        seen.excess[i] = (double)most - (double)all / jd_nranks(me) / jd_nworkers(me);
    }
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    static struct tally tally[64];
    jd_coll_props props = {.local = &tally[jd_rank(me)]};
    bool right = true;
    jd_coll *c;
    must(me, jd_coll_create(me, &props, &c));
    seed(me, c);
    for (int i = 0; i < ITERATIONS; i++) {
        must(me, jd_barrier(me));
        must(me, jd_coll_process(me, c));
        look(me, c, props.local, i);
        right = adds_up(me, c, TASKS) && right;
        if (i + 1 < ITERATIONS)
            must(me, jd_coll_restore(me, c, JD_RESTORE_RETAIN));
    }
    must(me, jd_coll_destroy(me, c));
    return !right;
}

static void tell_iterations(void)
{
    for (int i = 0; i < ITERATIONS; i++)
        diag("iteration %d: %d tasks moved, the most loaded worker has %.0f us too much",
             i + 1, (int)seen.moved[i], seen.excess[i] / 1e3);
}

/* The first iteration in which no worker had a whole task too much. */
static int even_at(void)
{
    int i = 0;
    while (i < ITERATIONS && seen.excess[i] >= TASK_NS)
        i++;
    return i;
}

/* Tasks that moved in the iterations after i. */
static int moved_after(int i)
{
    uint64_t moved = 0;
    for (i++; i < ITERATIONS; i++)
        moved += seen.moved[i];
    return (int)moved;
}

static bool launch(int seed_of_job)
{
    char text[16];
    snprintf(text, sizeof text, "%d", seed_of_job);
    setenv("JACKDAW_SEED", text, 1);
    return jd_launch(0, NULL, body, tasks) == 0;
}

static void ranks_of(const char *ranks, const char *workers, const char *comm)
{
    setenv("JACKDAW_RANKS", ranks, 1);
    setenv("JACKDAW_WORKERS", workers, 1);
    setenv("JACKDAW_COMM", comm, 1);
}

static void test_dedicated(void)
{
    ranks_of("4", "8", "dedicated");
    for (int s = 1; s <= SEEDS; s++) {
        uneven = false;
        if (!ok(launch(s) && even_at() < SETTLED && !moved_after(even_at()),
                "flat tasks, seed %d: even soon, then at rest", s))
            tell_iterations();
        uneven = true;
        if (!ok(launch(s) && moved_after(SETTLED - 1) <= FEW,
                "uneven tasks, seed %d: hardly one moves", s))
            tell_iterations();
    }
}

static void test_inline(void)
{
    int even = 0;
    ranks_of("16", "1", "inline");
    uneven = false;
    for (int s = 1; s <= SEEDS; s++) {
        if (!ok(launch(s) && !moved_after(even_at()),
                "inline, seed %d: at rest once even", s))
            tell_iterations();
        even += even_at() < ITERATIONS;
    }
    ok(even >= SEEDS / 2, "inline: %d of %d loads became even", even, SEEDS);
}

int main(void)
{
    test_dedicated();
    test_inline();
    return done_testing();
}
