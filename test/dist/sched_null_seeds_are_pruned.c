/*
 * sched_null_seeds_are_pruned.c - a seed that says that it had nothing to do does not come back.
 *
 * Role: in each iteration some seeds say jd_task_null.  Whoever ran them, and however the next iterations are
 *       restored, they are gone and all others are there, with their arguments, each once.  What was not run
 *       by the rank that added it is told to that rank.  Tasks that tasks add, and tasks of finishes, prune
 *       nothing.  Seeds that are added anew are not pruned by what was said of earlier ones.
 * Owner: the body; each seed writes its own row, at the rank where it runs.
 * See: doc/history.md "Seeds that are pruned".
 */
#include "test/dist/sched_kit.h"

enum { WORK, CHILD, NESTED };
enum { SEEDS = 40, ROUNDS = 3, LONG = 150, NEVER = 99, MOST_RANKS = 64 };

struct work {
    uint32_t rank, index;
    uint32_t null_at; /* the iteration in which it says so */
    unsigned char rest[LONG];
};

/* What ran at this rank in this iteration, of each rank's seeds. */
struct ran {
    _Atomic uint32_t iteration;
    _Atomic uint32_t wrong;
    _Atomic uint32_t seed[MOST_RANKS][SEEDS];
};

static const enum jd_restore hows[] = {
    JD_RESTORE_SEED,   JD_RESTORE_RETAIN, JD_RESTORE_SEED, JD_RESTORE_SEED,
    JD_RESTORE_RETAIN, JD_RESTORE_RETAIN, JD_RESTORE_SEED};
enum { ITERATIONS = sizeof hows / sizeof *hows };

static size_t size_of(uint32_t index)
{
    return index % 3 ? offsetof(struct work, rest) : sizeof(struct work);
}

/* Rank 0 has many that are null at once, rank 1 none at all. */
static uint32_t null_at(uint32_t rank, uint32_t index)
{
    if (rank == 1 || index % 2)
        return NEVER;
    return rank == 0 && index < SEEDS / 2 ? 0 : (index + rank) % (ITERATIONS + 1);
}

static void child(jd_self *me, void *arg)
{
    (void)arg;
    if (jd_task_null(me)) /* without effect, but no error */
        jd_abort(me, 99, "a created task may say so, too");
}

static void nested(jd_self *me, void *arg)
{
    _Atomic uint32_t *wrong = *(void **)arg;
    *wrong += jd_task_null(me) != JD_ESTATE;
}

static void open_finish(jd_self *me, void *arg)
{
    must(me, jd_async_local(me, NESTED, &arg, sizeof arg));
}

static void work(jd_self *me, void *arg)
{
    struct ran *ran = jd_coll_local(jd_coll_mine(me));
    const struct work *w = arg;
    jd_compute(me, 3000);
    ran->wrong += size_of(w->index) == sizeof *w && w->rest[LONG - 1] != 0x5a;
    if (w->null_at <= ran->iteration && w->index % 4)
        must(me, jd_task_null(me));
    if (w->index % 7 == 1)
        must(me, jd_coll_add(me, jd_coll_mine(me), CHILD, NULL, 0));
    if (w->index % 7 == 2)
        must(me, jd_finish(me, open_finish, &ran->wrong));
    if (w->index % 7 == 3)
        jd_yield(me);
    if (w->null_at <= ran->iteration && w->index % 4 == 0)
        must(me, jd_task_null(me));
    ran->seed[w->rank][w->index]++;
}

static const jd_task_def tasks[] = {[WORK] = JD_TASK(work),
                                    [CHILD] = JD_TASK(child),
                                    [NESTED] = JD_TASK(nested),
                                    JD_TASK_END};

/* In the last round only every second rank has seeds. */
static uint32_t seeds_of(uint32_t rank, int round)
{
    return round == ROUNDS - 1 && rank % 2 ? 0 : SEEDS;
}

static void seed(jd_self *me, jd_coll *c, int round)
{
    for (uint32_t i = 0; i < seeds_of(jd_rank(me), round); i++) {
        struct work w = {.rank = jd_rank(me), .index = i};
        w.null_at = null_at(w.rank, i);
        w.rest[LONG - 1] = 0x5a;
        must(me, jd_coll_add(me, c, WORK, &w, size_of(i)));
    }
}

/* Has each seed run as often, over all ranks, as it should? */
static bool as_expected(jd_self *me, struct ran *ran, int round, uint32_t iteration)
{
    bool right = ran->wrong == 0;
    for (uint32_t r = 0; r < jd_nranks(me); r++) {
        uint64_t n[SEEDS];
        for (uint32_t i = 0; i < SEEDS; i++)
            n[i] = atomic_exchange(&ran->seed[r][i], 0);
        must(me, jd_allreduce_u64(me, n, SEEDS, JD_SUM));
        for (uint32_t i = 0; i < SEEDS; i++)
            right =
                right && n[i] == (i < seeds_of(r, round) && null_at(r, i) >= iteration);
    }
    return right;
}

static uint64_t null_in(jd_self *me, int round, uint32_t iteration)
{
    uint64_t n = 0;
    for (uint32_t r = 0; r < jd_nranks(me); r++)
        for (uint32_t i = 0; i < seeds_of(r, round); i++)
            n += null_at(r, i) == iteration;
    return n;
}

static void iterate(jd_self *me, jd_coll *c, struct ran *ran, int round)
{
    seed(me, c, round);
    for (uint32_t i = 0; i <= ITERATIONS; i++) {
        ran->iteration = i;
        must(me, jd_barrier(me));
        double since = jd_now(me);
        must(me, jd_coll_process(me, c));
        double took = jd_now(me) - since;
        jd_coll_info info = info_of(me, c);
        ok_all(me, as_expected(me, ran, round, i),
               "iteration %u: who had something to do has run", i);
        ok_all(me, sum_of(me, info.null) == null_in(me, round, i),
               "and it is said how many not");
        ok_all(me, 1e-9 * (double)info.load <= took * jd_nworkers(me) + 1e-6,
               "no worker was loaded longer than it was there");
        if (i < ITERATIONS)
            must(me, jd_coll_restore(me, c, hows[i]));
    }
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    struct ran *ran = calloc(1, sizeof *ran);
    jd_coll_props props = {.name = "pruned", .timed = 1, .local = ran};
    jd_coll *c;
    if (!ran || jd_nranks(me) > MOST_RANKS)
        jd_abort(me, 99, "no room");
    must(me, jd_coll_create(me, &props, &c));
    for (int round = 0; round < ROUNDS; round++) {
        iterate(me, c, ran, round);
        /* What was found last is told to nobody, because the next round begins anew. */
        must(me, jd_coll_restore(me, c, JD_RESTORE_RETAIN));
        must(me, jd_coll_process(me, c));
        memset(ran, 0, sizeof *ran);
    }
    must(me, jd_coll_destroy(me, c));
    free(ran);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
