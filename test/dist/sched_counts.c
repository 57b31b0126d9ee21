/*
 * sched_counts.c
 *
 * Role: every task runs once and the counts add up, wherever the work starts and however little
 *       work there is.  process() may be called many times; restore() brings back the right
 *       seeds.  Argument: how many empty process() calls to make.
 * Owner: the body; a tally row per worker.
 * Invariants: those of test/dist/sched_kit.h.
 * See: include/jackdaw.h.
 */
#include "test/dist/sched_kit.h"

enum { MARK, TREE, FEED };
enum { DEPTH = 9, TREE_TASKS = (1 << (DEPTH + 1)) - 1, FEEDERS = 40, HEAP = 500 };

struct shared { /* this rank's data common to the tasks of a collection */
    struct tally *tally;
    jd_coll *other; /* where FEED adds to */
};

struct mark {
    uint64_t number;
};

struct node {
    uint32_t depth;
    uint64_t number; /* 1 at the root, children 2n and 2n + 1 */
};

static struct shared *shared_of(jd_self *me)
{
    return jd_coll_local(jd_coll_mine(me));
}

static void mark(jd_self *me, void *arg)
{
    tally_note(me, shared_of(me)->tally, ((struct mark *)arg)->number);
}

/* One child by copy, one in place. */
static void tree(jd_self *me, void *arg)
{
    struct node n = *(struct node *)arg;
    tally_note(me, shared_of(me)->tally, n.number);
    if (n.depth == 0)
        return;
    struct node left = {n.depth - 1, 2 * n.number};
    must(me, jd_coll_add(me, jd_coll_mine(me), TREE, &left, sizeof left));
    struct node *right = jd_coll_add_inplace(me, jd_coll_mine(me), TREE, sizeof *right);
    if (!right)
        jd_abort(me, 99, "no place for a child");
    *right = (struct node){n.depth - 1, 2 * n.number + 1};
}

static void feed(jd_self *me, void *arg)
{
    struct shared *s = shared_of(me);
    tally_note(me, s->tally, ((struct mark *)arg)->number);
    must(me, jd_coll_add(me, s->other, MARK, arg, sizeof(struct mark)));
}

static const jd_task_def tasks[] = {
    [MARK] = JD_TASK(mark), [TREE] = JD_TASK(tree), [FEED] = JD_TASK(feed), JD_TASK_END};

static jd_coll *make(jd_self *me, const char *name, struct shared *s)
{
    jd_coll *c = NULL;
    jd_coll_props p = {.name = name, .local = s};
    must(me, jd_coll_create(me, &p, &c));
    return c;
}

/* ---- where the work starts -------------------------------------------------------- */

/* Numbers are 1 + rank + k * nranks, so that all are different. */
static void add_marks(jd_self *me, jd_coll *c, uint64_t n)
{
    for (uint64_t k = 0; k < n; k++) {
        struct mark m = {1 + jd_rank(me) + k * jd_nranks(me)};
        must(me, jd_coll_add(me, c, MARK, &m, sizeof m));
    }
}

/* Process n seeds of this rank; did each run exactly once? */
static bool each_runs_once(jd_self *me, jd_coll *c, struct shared *s, uint64_t n)
{
    uint64_t want[2] = {0, 0};
    for (uint64_t k = 0; k < n; k++) {
        uint64_t number = 1 + jd_rank(me) + k * jd_nranks(me);
        want[0] += number;
        want[1] ^= number * UINT64_C(0x9E3779B97F4A7C15);
    }
    add_marks(me, c, n);
    must(me, jd_coll_process(me, c));
    struct tally_row ran = tally_take(me, s->tally);
    uint64_t diff[] = {want[0] - ran.sum, want[1] ^ ran.mix};
    must(me, jd_allreduce_u64(me, diff, 1, JD_SUM));
    must(me, jd_allreduce_u64(me, diff + 1, 1, JD_XOR));
    return adds_up(me, c, sum_of(me, n)) && info_of(me, c).seeded == n &&
           info_of(me, c).executed == ran.ran && !diff[0] && !diff[1];
}

static void test_shapes(jd_self *me, struct shared *s)
{
    jd_coll *c = make(me, "shapes", s);
    uint32_t rank = jd_rank(me), last = jd_nranks(me) - 1;
    ok_all(me, each_runs_once(me, c, s, 0), "no task at all");
    ok_all(me, each_runs_once(me, c, s, rank == 0), "one task, on rank 0");
    ok_all(me, each_runs_once(me, c, s, rank == last), "one task, on the last rank");
    ok_all(me, each_runs_once(me, c, s, rank == last ? 2 : 0), "two tasks on one rank");
    ok_all(me, each_runs_once(me, c, s, 1), "one task on each rank");
    ok_all(me, each_runs_once(me, c, s, rank % 2 ? 5 : 0), "every other rank is empty");
    ok_all(me, each_runs_once(me, c, s, rank == last ? HEAP : 0),
           "all work on the last rank");
    ok_all(me, each_runs_once(me, c, s, 0), "no task after many");
    ok_all(me, jd_coll_destroy(me, c) == 0, "the collection can go");
}

static bool tree_is_whole(jd_self *me, jd_coll *c, struct shared *s)
{
    struct node root = {DEPTH, 1};
    if (jd_rank(me) == jd_nranks(me) - 1)
        must(me, jd_coll_add(me, c, TREE, &root, sizeof root));
    must(me, jd_coll_process(me, c));
    uint64_t ran = tally_take(me, s->tally).sum;
    uint64_t want = (uint64_t)TREE_TASKS * (TREE_TASKS + 1) / 2;
    return adds_up(me, c, TREE_TASKS) && sum_of(me, ran) == want;
}

static void test_trees(jd_self *me, struct shared *s)
{
    jd_coll *c = make(me, "trees", s);
    for (int i = 0; i < 3; i++)
        ok_all(me, tree_is_whole(me, c, s), "tree %d of one seed is whole", i + 1);
    must(me, jd_coll_destroy(me, c));
}

static void test_empty_again(jd_self *me, struct shared *s, long times)
{
    jd_coll *c = make(me, "empty", s);
    double start = tap_seconds();
    bool right = true;
    for (long i = 0; i < times; i++) {
        must(me, jd_coll_process(me, c));
        jd_coll_info info = info_of(me, c);
        right = right && !info.all_executed && !info.created && !info.stolen_in;
    }
    double seconds = tap_seconds() - start;
    ok_all(me, right, "process() %ld times with nothing to do", times);
    if (jd_rank(me) == 0)
        diag("%.2f s, %.1f us each", seconds,
             1e6 * seconds / (double)(times ? times : 1));
    must(me, jd_coll_destroy(me, c));
}

/* ---- restore ---------------------------------------------------------------------- */

/* Restore and process: `seeded` here, `all` over all ranks, sums as before. */
static bool comes_back(jd_self *me, jd_coll *c, struct shared *s, enum jd_restore how,
                       uint64_t seeded, uint64_t all)
{
    must(me, jd_coll_restore(me, c, how));
    must(me, jd_coll_process(me, c));
    struct tally_row ran = tally_take(me, s->tally);
    jd_coll_info info = info_of(me, c);
    bool same_sum = sum_of(me, ran.sum) == all * (all + 1) / 2;
    return adds_up(me, c, all) && info.seeded == seeded && info.retained == ran.ran &&
           sum_of(me, info.retained) == all && same_sum;
}

/* Every rank seeds the same number, so numbers are 1 .. n * nranks without a gap. */
static void test_restore(jd_self *me, struct shared *s)
{
    jd_coll *c = make(me, "restore", s);
    uint64_t n = 30, all = n * jd_nranks(me);
    ok_all(me, each_runs_once(me, c, s, n), "the first iteration");
    uint64_t kept = info_of(me, c).retained;
    ok_all(me, kept == info_of(me, c).executed && sum_of(me, kept) == all,
           "each rank keeps what it ran");
    ok_all(me, comes_back(me, c, s, JD_RESTORE_SEED, n, all), "SEED: as added");
    for (int i = 0; i < 3; i++) {
        kept = info_of(me, c).retained;
        ok_all(me, comes_back(me, c, s, JD_RESTORE_RETAIN, kept, all),
               "RETAIN %d: as run last", i + 1);
    }
    ok_all(me, comes_back(me, c, s, JD_RESTORE_SEED, n, all), "SEED after RETAIN");

    must(me, jd_coll_restore(me, c, JD_RESTORE_RETAIN));
    kept = info_of(me, c).retained;
    struct mark more = {all + 1 + jd_rank(me)};
    must(me, jd_coll_add(me, c, MARK, &more, sizeof more));
    must(me, jd_coll_process(me, c));
    tally_take(me, s->tally);
    uint64_t plus = all + jd_nranks(me);
    ok_all(me, adds_up(me, c, plus) && info_of(me, c).seeded == kept + 1,
           "seeds can be added to restored ones");
    ok_all(me, comes_back(me, c, s, JD_RESTORE_SEED, n + 1, plus), "SEED has these too");

    ok_all(me, each_runs_once(me, c, s, 2), "a new seeding forgets the old one");
    ok_all(me, comes_back(me, c, s, JD_RESTORE_SEED, 2, 2 * (uint64_t)jd_nranks(me)),
           "SEED brings back the new one");
    must(me, jd_coll_destroy(me, c));
}

/* A seed that makes tasks: only the seed comes back, and makes them again. */
static void test_restore_of_creators(jd_self *me, struct shared *s)
{
    jd_coll *c = make(me, "creators", s);
    ok_all(me, tree_is_whole(me, c, s) && sum_of(me, info_of(me, c).retained) == 1,
           "created tasks are not retained");
    must(me, jd_coll_restore(me, c, JD_RESTORE_RETAIN));
    must(me, jd_coll_process(me, c));
    tally_take(me, s->tally);
    ok_all(me, adds_up(me, c, TREE_TASKS) && sum_of(me, info_of(me, c).seeded) == 1,
           "the restored seed creates them again");
    must(me, jd_coll_destroy(me, c));
}

/* ---- another collection ----------------------------------------------------------- */

static void test_feeding(jd_self *me, struct shared *s)
{
    struct tally second = {0};
    struct shared s2 = {.tally = &second};
    jd_coll *to = make(me, "fed", &s2), *from = make(me, "feeder", s);
    s->other = to;
    for (int round = 0; round < 2; round++) {
        for (uint64_t k = 0; k < FEEDERS; k++)
            must(me, jd_coll_add(me, from, FEED, &(struct mark){k}, sizeof(struct mark)));
        must(me, jd_coll_process(me, from));
        uint64_t all = sum_of(me, FEEDERS), here = tally_take(me, s->tally).ran;
        ok_all(me, adds_up(me, from, all), "the feeding tasks ran");
        must(me, jd_coll_process(me, to));
        uint64_t ran = tally_take(me, &second).ran;
        ok_all(me, adds_up(me, to, all) && sum_of(me, ran) == all,
               "what they added to a collection not yet started");
        ok_all(me, info_of(me, to).seeded == here, "on the rank where they ran");
        must(me, jd_coll_destroy(me, to));
        s->other = to = make(me, "fed", &s2);
    }
    must(me, jd_coll_destroy(me, to));
    must(me, jd_coll_destroy(me, from));
}

static int body(jd_self *me, int argc, char **argv)
{
    struct tally tally = {0};
    struct shared s = {.tally = &tally};
    test_shapes(me, &s);
    test_trees(me, &s);
    test_empty_again(me, &s, argc > 1 ? atol(argv[1]) : 200);
    test_restore(me, &s);
    test_restore_of_creators(me, &s);
    test_feeding(me, &s);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
