/*
 * sched_seeds_are_balanced.c - after a restore by a balancer each seed is there, once.
 *
 * Role: in each iteration each seed runs once, with its argument, whoever planned where, and whichever way the
 *       iterations before were restored.  Some ranks have no seeds.  Seeds that were null do not come back.  Tasks that
 *       tasks add are no seeds.  With stealing switched off all is done by who has it.  Wrong uses are refused on all
 *       ranks, and change nothing.
 * Owner: the body; each seed writes its own row, at the rank where it runs.
 * See: doc/balance.md section 6.
 */
#include "test/dist/sched_kit.h"

enum { WORK, CHILD };
enum { SEEDS = 40, ROUNDS = 2, LONG = 150, MOST_RANKS = 64, NULL_AT = 3 };

struct work {
    uint32_t rank, index;
    unsigned char rest[LONG];
};

/* What ran at this rank in this iteration, of each rank's seeds. */
struct ran {
    _Atomic uint32_t iteration, wrong, children;
    _Atomic uint32_t seed[MOST_RANKS][SEEDS];
};

static const struct step {
    enum jd_restore how;
    enum jd_stealing stealing;
} steps[] = {{JD_RESTORE_CENTRAL, JD_STEAL_NONE}, {JD_RESTORE_TREE, JD_STEAL_ALL},
             {JD_RESTORE_SEED, JD_STEAL_NONE},    {JD_RESTORE_GOSSIP, JD_STEAL_NONE},
             {JD_RESTORE_RETAIN, JD_STEAL_LOCAL}, {JD_RESTORE_SEED, JD_STEAL_ALL},
             {JD_RESTORE_CENTRAL, JD_STEAL_ALL},  {JD_RESTORE_CENTRAL, JD_STEAL_LOCAL},
             {JD_RESTORE_TREE, JD_STEAL_NONE},    {JD_RESTORE_GOSSIP, JD_STEAL_ALL},
             {JD_RESTORE_SEED, JD_STEAL_NONE},    {JD_RESTORE_AUTO, JD_STEAL_NONE},
             {JD_RESTORE_AUTO, JD_STEAL_ALL}};
enum { ITERATIONS = sizeof steps / sizeof *steps };

static size_t size_of(uint32_t index)
{
    return index % 3 ? offsetof(struct work, rest) : sizeof(struct work);
}

/* Only every second rank has seeds, and the first round has no others than rank 0's. */
static uint32_t seeds_of(uint32_t rank, int round)
{
    return rank % 2 || (round == 0 && rank > 0) ? 0 : SEEDS;
}

static bool is_null(uint32_t index)
{
    return index % 8 == 5;
}

static void child(jd_self *me, void *arg)
{
    struct ran *ran = jd_coll_local(jd_coll_mine(me));
    (void)arg;
    ran->children++;
}

static void work(jd_self *me, void *arg)
{
    struct ran *ran = jd_coll_local(jd_coll_mine(me));
    const struct work *w = arg;
    jd_compute(me, 2000 + 1000 * (w->index % 11));
    ran->wrong += size_of(w->index) == sizeof *w && w->rest[LONG - 1] != 0x5a;
    if (is_null(w->index) && ran->iteration == NULL_AT)
        must(me, jd_task_null(me));
    if (w->index % 7 == 1)
        must(me, jd_coll_add(me, jd_coll_mine(me), CHILD, NULL, 0));
    if (w->index % 7 == 3)
        jd_yield(me);
    ran->seed[w->rank][w->index]++;
}

static const jd_task_def tasks[] = {
    [WORK] = JD_TASK(work), [CHILD] = JD_TASK(child), JD_TASK_END};

static void seed(jd_self *me, jd_coll *c, int round)
{
    for (uint32_t i = 0; i < seeds_of(jd_rank(me), round); i++) {
        struct work w = {.rank = jd_rank(me), .index = i};
        w.rest[LONG - 1] = 0x5a;
        must(me, jd_coll_add(me, c, WORK, &w, size_of(i)));
    }
}

/* Has each seed run as often, over all ranks, as it should?  *children: how many tasks they have added. */
static bool as_expected(jd_self *me, struct ran *ran, int round, uint64_t *children)
{
    bool right = ran->wrong == 0;
    *children = 0;
    for (uint32_t r = 0; r < jd_nranks(me); r++) {
        uint64_t n[SEEDS];
        for (uint32_t i = 0; i < SEEDS; i++)
            n[i] = atomic_exchange(&ran->seed[r][i], 0);
        must(me, jd_allreduce_u64(me, n, SEEDS, JD_SUM));
        for (uint32_t i = 0; i < SEEDS; i++) {
            bool here =
                i < seeds_of(r, round) && (ran->iteration <= NULL_AT || !is_null(i));
            right = right && n[i] == here;
            *children += here && i % 7 == 1;
        }
    }
    return right;
}

static void iterate(jd_self *me, jd_coll *c, struct ran *ran, int round)
{
    seed(me, c, round);
    for (uint32_t i = 0; i <= ITERATIONS; i++) {
        uint64_t children;
        ran->iteration = i;
        must(me, jd_barrier(me));
        must(me, jd_coll_process(me, c));
        jd_coll_info info = info_of(me, c);
        ok_all(me, as_expected(me, ran, round, &children),
               "iteration %u: each seed has run", i);
        ok_all(me,
               sum_of(me, atomic_exchange(&ran->children, 0)) == children &&
                   sum_of(me, info.executed) == info.all_executed,
               "and what they have added");
        ok_all(me, i == 0 || steps[i - 1].stealing == JD_STEAL_ALL || info.stolen_in == 0,
               "nothing was stolen if it must not be");
        if (i == ITERATIONS)
            break;
        must(me, jd_coll_stealing(me, c, steps[i].stealing));
        must(me,
             jd_coll_load_model(me, c, (enum jd_load_model)(JD_LOAD_LAST + i % 3), 0));
        must(me, jd_coll_restore(me, c, steps[i].how));
    }
    must(me, jd_coll_stealing(me, c, JD_STEAL_ALL));
}

static void test_refusals(jd_self *me, jd_coll *c)
{
    jd_coll *untimed;
    enum jd_restore mine = jd_rank(me) % 2 ? JD_RESTORE_TREE : JD_RESTORE_CENTRAL;
    must(me, jd_coll_create(me, NULL, &untimed));
    ok_all(me, jd_coll_restore(me, c, JD_RESTORE_CENTRAL) == JD_ESTATE,
           "what has not run yet is not balanced");
    must(me, jd_coll_process(me, untimed));
    ok_all(me, jd_coll_restore(me, untimed, JD_RESTORE_CENTRAL) == JD_ESTATE,
           "nor what is not timed");
    must(me, jd_coll_process(me, c));
    ok_all(me,
           jd_coll_restore(me, c, (enum jd_restore)(JD_RESTORE_AUTO + 1)) == JD_EINVAL &&
               jd_coll_restore(me, NULL, JD_RESTORE_TREE) == JD_EINVAL,
           "there are not more ways than that");
    ok_all(me,
           jd_coll_load_model(me, untimed, JD_LOAD_LAST, 1) == JD_ESTATE &&
               jd_coll_load_model(me, c, (enum jd_load_model)(JD_LOAD_TREND + 1), 0) ==
                   JD_EINVAL &&
               jd_coll_load_model(me, c, JD_LOAD_MEDIAN, JD_TIMES_KNOWN + 1) == JD_EINVAL,
           "and no more load models, or times");
    if (jd_nranks(me) > 1)
        ok_all(me, jd_coll_restore(me, c, mine) == JD_EMISMATCH,
               "all ranks have to name the same balancer");
    must(me, jd_coll_restore(me, c, JD_RESTORE_GOSSIP));
    ok_all(me, jd_coll_restore(me, c, JD_RESTORE_GOSSIP) == JD_ESTATE,
           "and only once for each phase");
    must(me, jd_coll_process(me, c)); /* of no tasks */
    must(me, jd_coll_destroy(me, untimed));
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    struct ran *ran = calloc(1, sizeof *ran);
    jd_coll_props props = {.name = "balanced", .timed = 1, .local = ran};
    jd_coll *c;
    if (!ran || jd_nranks(me) > MOST_RANKS)
        jd_abort(me, 99, "no room");
    must(me, jd_coll_create(me, &props, &c));
    test_refusals(me, c);
    for (int round = 0; round < ROUNDS; round++)
        iterate(me, c, ran, round);
    must(me, jd_coll_destroy(me, c));
    free(ran);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
