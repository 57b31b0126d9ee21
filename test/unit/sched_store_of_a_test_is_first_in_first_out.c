/*
 * sched_store_of_a_test_is_first_in_first_out.c
 *
 * Role: the whole runtime over another store than store.o, which this program does not have:
 *       one worker runs its tasks in the order in which they were made, and on several workers
 *       and ranks collections and finishes run all of them, once, and end.
 * Owner: the body; rows of a tally belong each to a worker.
 * Invariants: I1 every rank runs the same tests in the same order.
 * See: sched/store.h, how another store is made; test/unit/sched_fifo_store.c is this one.
 */
#include "sched/coll.h"
#include "test/dist/sched_kit.h"

enum { LINE, SPREAD, TREE, WORDS, NEST, MARK };
enum { RANKS = 3, WORKERS = 2 }; /* at most */
enum {
    LONG = 20,
    DEPTH = 9,
    NEST_DEPTH = 5,
    WORDS_N = 60,
    WORDS_MOST = 40,
    SEEDS = 40,
    SELDOM = 128
};

/* One per rank, found by its number: the ranks share a process. */
struct here {
    struct tally tally;
    uint64_t order[2 * LONG]; /* of the tasks of a line, on one worker */
    size_t ran;
    _Atomic bool worked[WORKERS]; /* has it run a task that spreads? */
    _Atomic uint64_t spreads, wrong;
};
static struct here table[RANKS];

static struct here *here(const jd_self *me)
{
    return &table[jd_rank(me)];
}

static void note(jd_self *me, uint64_t number)
{
    tally_note(me, &here(me)->tally, number);
}

/* ---- tasks -------------------------------------------------------------------------- */

/* A task adds another where it is: to a collection, or to a finish. */
static void add(jd_self *me, jd_task task, const void *arg, size_t size)
{
    jd_coll *c = jd_coll_mine(me);
    must(me, c ? jd_coll_add(me, c, task, arg, size) : jd_async(me, task, arg, size));
}

/* 1 to LONG make LONG + 1 to 2 LONG. */
static void line(jd_self *me, void *arg)
{
    uint64_t number = *(uint64_t *)arg, next = number + LONG;
    here(me)->order[here(me)->ran++] = number;
    if (number <= LONG)
        add(me, LINE, &next, sizeof next);
}

/*
 * Goes on until every worker of every rank has run one.  Now and then there is one more: a rank
 * that had a single one would keep it on one worker.
 */
static void spread(jd_self *me, void *arg)
{
    uint64_t n = atomic_fetch_add(&here(me)->spreads, 1) % SELDOM ? 1 : 2;
    bool everybody = true;
    (void)arg;
    atomic_store(&here(me)->worked[jd_worker(me)], true);
    for (uint32_t i = 0; i < jd_nranks(me); i++)
        for (unsigned k = 0; k < jd_nworkers(me); k++)
            everybody = everybody && atomic_load(&table[i].worked[k]);
    for (uint64_t i = 0; i < n && !everybody; i++)
        add(me, SPREAD, NULL, 0);
    note(me, 1);
}

/* The nodes of a heap. */
static void tree(jd_self *me, void *arg)
{
    uint64_t *node = arg, depth = node[0];
    note(me, node[1]);
    for (uint64_t i = 0; depth && i < 2; i++) {
        const uint64_t child[] = {depth - 1, 2 * node[1] + i};
        add(me, TREE, child, sizeof child);
    }
}

/* arg[0] words follow, each as large as the first says: some fit into a slot. */
static void words(jd_self *me, void *arg)
{
    const uint64_t *word = arg;
    for (uint64_t i = 1; i <= word[0]; i++)
        if (word[i] != word[0] * i)
            atomic_fetch_add(&here(me)->wrong, 1);
    note(me, word[0]);
}

static void mark(jd_self *me, void *arg)
{
    if (*(uint32_t *)arg != jd_rank(me))
        atomic_fetch_add(&here(me)->wrong, 1);
    note(me, 1);
}

/* Two of itself in a finish of its own, and a word to the next rank. */
static void spawn_nests(jd_self *me, void *arg)
{
    uint64_t depth = *(uint64_t *)arg - 1;
    uint32_t next = (jd_rank(me) + 1) % jd_nranks(me);
    must(me, jd_async(me, NEST, &depth, sizeof depth));
    must(me, jd_async(me, NEST, &depth, sizeof depth));
    must(me, jd_async_at(me, next, MARK, &next, sizeof next));
}

static void nest(jd_self *me, void *arg)
{
    uint64_t depth = *(uint64_t *)arg;
    if (depth)
        must(me, jd_finish(me, spawn_nests, &depth));
    note(me, 1);
}

static const jd_task_def tasks[] = {
    [LINE] = JD_TASK(line),
    [SPREAD] = JD_TASK(spread),
    [TREE] = JD_TASK(tree),
    [WORDS] = JD_TASK(words),
    [NEST] = JD_TASK(nest),
    [MARK] = JD_TASK(mark),
    JD_TASK_END,
};

/* ---- the order, with one worker ------------------------------------------------------- */

static bool in_order(struct here *h)
{
    bool right = h->ran == 2 * LONG;
    for (size_t i = 0; i < h->ran; i++)
        right = right && h->order[i] == i + 1;
    h->ran = 0;
    return right;
}

static void spawn_line(jd_self *me, void *arg)
{
    (void)arg;
    for (uint64_t i = 1; i <= LONG; i++)
        must(me, jd_async(me, LINE, &i, sizeof i));
}

static void test_order(jd_self *me)
{
    jd_coll *c;
    must(me, jd_coll_create(me, NULL, &c));
    for (uint64_t i = 1; i <= LONG; i++)
        must(me, jd_coll_add(me, c, LINE, &i, sizeof i));
    must(me, jd_coll_process(me, c));
    ok_all(me, in_order(here(me)), "a collection is run first in, first out");
    must(me, jd_coll_restore(me, c, JD_RESTORE_SEED));
    must(me, jd_coll_process(me, c));
    ok_all(me, in_order(here(me)), "and so it is when its seeds are restored");
    jdi_store_check(&c->store); /* there is no thief in this job */
    must(me, jd_coll_destroy(me, c));
    must(me, jd_finish(me, spawn_line, NULL));
    ok_all(me, in_order(here(me)), "a finish is run first in, first out");
}

/* ---- every worker gets some ------------------------------------------------------------- */

static void spawn_spread(jd_self *me, void *arg)
{
    for (uint64_t i = 0; i < *(uint64_t *)arg; i++)
        must(me, jd_async(me, SPREAD, NULL, 0));
}

static void forget_who_worked(jd_self *me)
{
    for (unsigned k = 0; k < WORKERS; k++)
        atomic_store(&here(me)->worked[k], false);
    must(me, jd_barrier(me));
}

/* What only one rank has spreads over all workers, or this does not end. */
static void test_spreading(jd_self *me)
{
    jd_coll *c;
    uint64_t seeds = jd_rank(me) == 0 ? SEEDS : 0;
    must(me, jd_coll_create(me, NULL, &c));
    forget_who_worked(me);
    for (uint64_t i = 0; i < seeds; i++)
        must(me, jd_coll_add(me, c, SPREAD, NULL, 0));
    must(me, jd_coll_process(me, c));
    uint64_t ran = tally_take(me, &here(me)->tally).ran;
    ok_all(me, ran >= jd_nworkers(me) && adds_up(me, c, sum_of(me, ran)),
           "a collection spreads over all workers");
    must(me, jd_coll_destroy(me, c));
    forget_who_worked(me);
    if (seeds) /* while the others are in the barrier, and help */
        must(me, jd_finish(me, spawn_spread, &seeds));
    must(me, jd_barrier(me));
    ran = tally_take(me, &here(me)->tally).ran;
    ok_all(me, ran >= jd_nworkers(me), "a finish spreads over all workers");
}

/* ---- everything is run, once ---------------------------------------------------------- */

static void test_collections(jd_self *me)
{
    jd_coll *c;
    const uint64_t nodes = (2u << DEPTH) - 1, root[] = {DEPTH, 1};
    uint64_t word[WORDS_MOST + 1], seeds = WORDS_N * (uint64_t)(jd_rank(me) + 1);
    must(me, jd_coll_create(me, NULL, &c));
    if (jd_rank(me) == 0)
        must(me, jd_coll_add(me, c, TREE, root, sizeof root));
    must(me, jd_coll_process(me, c));
    uint64_t sum = tally_take(me, &here(me)->tally).sum;
    ok_all(me, adds_up(me, c, nodes) && sum_of(me, sum) == nodes * (nodes + 1) / 2,
           "a tree of tasks in a collection is whole");
    for (uint64_t i = 0; i < seeds; i++) {
        word[0] = i % WORDS_MOST;
        for (uint64_t k = 1; k <= word[0]; k++)
            word[k] = word[0] * k;
        must(me, jd_coll_add(me, c, WORDS, word, (1 + word[0]) * sizeof *word));
    }
    must(me, jd_coll_process(me, c));
    uint64_t ran = tally_take(me, &here(me)->tally).ran;
    ok_all(me,
           adds_up(me, c, sum_of(me, seeds)) && sum_of(me, ran) == sum_of(me, seeds) &&
               !atomic_load(&here(me)->wrong),
           "arguments of every length have arrived");
    must(me, jd_coll_destroy(me, c));
}

static void test_finishes(jd_self *me)
{
    uint64_t root[] = {DEPTH, 1}, nodes = (2u << DEPTH) - 1, depth = NEST_DEPTH;
    if (jd_rank(me) == 0)
        must(me, jd_finish(me, tree, root));
    must(me, jd_barrier(me));
    uint64_t sum = tally_take(me, &here(me)->tally).sum;
    ok_all(me, sum_of(me, sum) == nodes * (nodes + 1) / 2,
           "a tree of tasks in a finish is whole");
    must(me, jd_finish(me, nest, &depth));
    must(me, jd_barrier(me));
    /* Each rank has a tree of finishes, whose inner nodes send a word. */
    uint64_t want = jd_nranks(me) * ((2u << NEST_DEPTH) - 1 + (1u << NEST_DEPTH) - 1);
    uint64_t ran = tally_take(me, &here(me)->tally).ran;
    ok_all(me, sum_of(me, ran) == want && !atomic_load(&here(me)->wrong),
           "finishes inside of finishes are whole");
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    if (jd_rank(me) == 0)
        diag("%u ranks of %u workers", jd_nranks(me), jd_nworkers(me));
    if (jd_nranks(me) == 1 && jd_nworkers(me) == 1)
        test_order(me);
    test_spreading(me);
    test_collections(me);
    test_finishes(me);
    return 0;
}

static void run_on(unsigned ranks, unsigned workers, const char *comm, int argc,
                   char **argv)
{
    char number[2][2] = {{(char)('0' + ranks), 0}, {(char)('0' + workers), 0}};
    setenv("JACKDAW_ULT", "boost", 1);
    setenv("JACKDAW_RANKS", number[0], 1);
    setenv("JACKDAW_WORKERS", number[1], 1);
    setenv("JACKDAW_COMM", comm, 1);
    is_u64((uint64_t)jd_launch(argc, argv, body, tasks), 0, "%u ranks of %u workers, %s",
           ranks, workers, comm);
}

int main(int argc, char **argv)
{
    for (unsigned ranks = 1; ranks <= RANKS; ranks++)
        for (unsigned workers = 1; workers <= WORKERS; workers++) {
            run_on(ranks, workers, "inline", argc, argv);
            run_on(ranks, workers, "dedicated", argc, argv);
        }
    return done_testing();
}
