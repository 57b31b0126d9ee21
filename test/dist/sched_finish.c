/*
 * sched_finish.c - a finish returns when all its tasks have ended, and not before.
 *
 * Role: all calls that spawn inside every kind of finish, hooks, refusals.
 * Owner: each row of a tally belongs to a worker; the rest is the body's.
 * Invariants: I1 every rank runs the same tests in the same order.
 * See: doc/async.md; test/dist/sched_torture.c, which finds finishes that return too early.
 *
 *     sched_finish [DEPTH [CANCELS]]     of the binary trees (9); finishes cancelled (10)
 */
#include "test/dist/sched_kit.h"

enum { TREE, MARK, LOCAL, BIG, NEST, RANGE, SEED, BOX, STOP, SPIN, WALK, ROAM };
enum { BIG_BYTES = 5000, NEST_DEPTH = 5, RANGE_N = 5000, BOXES = 40 };

/* One per rank, found by its number: ranks may share a process. */
struct here {
    struct tally tally;
    _Atomic uint64_t wrong;
};
static struct here *table[64];

static struct here *here(const jd_self *me)
{
    return table[jd_rank(me) % 64];
}

static void note(jd_self *me, uint64_t number)
{
    tally_note(me, &here(me)->tally, number);
}

static void complain(jd_self *me, bool right)
{
    if (!right)
        atomic_fetch_add(&here(me)->wrong, 1);
}

/* ---- tasks -------------------------------------------------------------------------- */

/* The nodes of a heap; two kinds of argument passing. */
static void tree(jd_self *me, void *arg)
{
    uint64_t *node = arg, depth = node[0], name = node[1];
    note(me, name);
    complain(me, !jd_coll_mine(me));
    if (!depth)
        return;
    must(me, jd_async(me, TREE, (uint64_t[]){depth - 1, 2 * name}, 16));
    uint64_t *next = jd_async_inplace(me, TREE, 16);
    if (!next)
        jd_abort(me, 99, "no memory");
    next[0] = depth - 1;
    next[1] = 2 * name + 1;
}

static void mark(jd_self *me, void *arg)
{
    uint32_t rank = *(uint32_t *)arg;
    complain(me, rank == jd_rank(me));
    note(me, 1);
}

/* Stays at home, and so do its children. */
static void local(jd_self *me, void *arg)
{
    uint32_t *word = arg, rank = word[0], depth = word[1];
    complain(me, rank == jd_rank(me));
    note(me, depth);
    for (uint32_t i = 0; depth && i < 2; i++)
        must(me, jd_async_local(me, LOCAL, (uint32_t[]){rank, depth - 1}, 8));
}

static void fill(unsigned char *to, uint64_t seed)
{
    for (size_t i = 0; i < BIG_BYTES; i++)
        to[i] = (unsigned char)(seed * 7 + i);
}

static void big(jd_self *me, void *arg)
{
    unsigned char want[BIG_BYTES], *got = arg;
    fill(want, got[0] * UINT64_C(183)); /* 183 * 7 is 1 modulo 256 */
    complain(me, !memcmp(want, got, BIG_BYTES));
    note(me, 1);
}

/* Opens a finish, and counts that what it spawned has run before it goes on. */
struct nest {
    uint64_t depth;
    uint64_t name;
};

static void spawn_nests(jd_self *me, void *arg)
{
    struct nest *n = arg;
    for (uint64_t i = 0; i < 2; i++)
        must(me, jd_async(me, NEST, &(struct nest){n->depth - 1, 2 * n->name + i},
                          sizeof *n));
    must(me, jd_async_at(me, (jd_rank(me) + 1) % jd_nranks(me), MARK,
                         &(uint32_t){(jd_rank(me) + 1) % jd_nranks(me)}, 4));
}

static void nest(jd_self *me, void *arg)
{
    struct nest n = *(struct nest *)arg;
    unsigned worker = jd_worker(me);
    jd_finish_id outer = jd_finish_mine(me);
    note(me, n.name);
    if (n.depth)
        must(me, jd_finish(me, spawn_nests, &n));
    jd_finish_id after = jd_finish_mine(me);
    complain(me, worker == jd_worker(me) && after.number == outer.number &&
                     after.home == outer.home);
}

static void range(jd_self *me, void *arg)
{
    const jd_range *r = arg;
    complain(me,
             *(uint64_t *)r->arg == 4711 && r->end > r->begin && r->end - r->begin <= 7);
    for (int64_t i = r->begin; i < r->end; i++)
        note(me, (uint64_t)i);
}

/* A task of a collection may open a finish too. */
static void seed(jd_self *me, void *arg)
{
    uint64_t depth = *(uint64_t *)arg;
    jd_coll *mine = jd_coll_mine(me);
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async(me, TREE, (uint64_t[]){depth, 1}, 16));
    must(me, jd_finish_end(me, &s));
    complain(me, mine && jd_coll_mine(me) == mine && !jd_finish_mine(me).number);
}

/* An argument that is a pointer to a heap block with a number. */
static size_t box_size(const void *arg)
{
    (void)arg;
    return sizeof(uint64_t);
}

static void box_pack(void *arg, void *to)
{
    uint64_t **box = arg;
    memcpy(to, *box, sizeof **box);
    free(*box);
}

static void box_unpack(void *arg, const void *from, size_t n)
{
    uint64_t **box = arg;
    *box = malloc(n);
    if (*box)
        memcpy(*box, from, n);
}

static void box_drop(void *arg)
{
    free(*(uint64_t **)arg);
}

static const jd_task_hooks box_hooks = {box_size, box_pack, box_unpack, box_drop};

static uint64_t *new_box(jd_self *me, uint64_t value)
{
    uint64_t *box = malloc(sizeof *box);
    if (!box)
        jd_abort(me, 99, "no memory");
    *box = value;
    return box;
}

static void box(jd_self *me, void *arg)
{
    uint64_t *mine = *(uint64_t **)arg;
    note(me, *mine);
    free(mine);
}

/* Cancels; without it the others would go on for ever. */
static void stop(jd_self *me, void *arg)
{
    (void)arg;
    must(me, jd_cancel(me, jd_finish_mine(me)));
}

static void spin(jd_self *me, void *arg)
{
    uint64_t round = *(uint64_t *)arg + 1;
    note(me, 1);
    if (jd_cancelled(me))
        return;
    must(me, jd_async(me, SPIN, &round, sizeof round));
    if (round % 64)
        return; /* or the network would drown in them */
    uint64_t *b = new_box(me, 1);
    must(me, jd_async_at(me, (jd_rank(me) + 1) % jd_nranks(me), BOX, &b, sizeof b));
}

static void walk_inside(jd_self *me, void *arg)
{
    (void)arg;
    must(me, jd_async(me, SPIN, &(uint64_t){0}, 8));
}

/* Opens a finish inside of the cancelled one: that one is cancelled too. */
static void walk(jd_self *me, void *arg)
{
    (void)arg;
    int e = jd_finish(me, walk_inside, NULL);
    complain(me, e == JD_ECANCELED);
    note(me, 1);
}

/* From rank to rank until it is cancelled. */
static void roam(jd_self *me, void *arg)
{
    (void)arg;
    if (!jd_cancelled(me))
        must(me, jd_async_at(me, (jd_rank(me) + 1) % jd_nranks(me), ROAM, NULL, 0));
}

static const jd_task_def tasks[] = {[TREE] = JD_TASK(tree),
                                    [MARK] = JD_TASK(mark),
                                    [LOCAL] = JD_TASK(local),
                                    [BIG] = JD_TASK(big),
                                    [NEST] = JD_TASK(nest),
                                    [RANGE] = JD_TASK(range),
                                    [SEED] = JD_TASK(seed),
                                    [BOX] = JD_TASK_WITH(box, &box_hooks),
                                    [STOP] = JD_TASK(stop),
                                    [SPIN] = JD_TASK(spin),
                                    [WALK] = JD_TASK(walk),
                                    [ROAM] = JD_TASK(roam),
                                    JD_TASK_END};

/* ---- what the tests have in common -------------------------------------------------- */

/* What ran on all ranks since the last time is n tasks with these numbers in sum. */
static bool ran(jd_self *me, uint64_t n, uint64_t sum)
{
    must(me, jd_barrier(me)); /* the finishes of the other ranks are over too */
    struct tally_row row = tally_take(me, &here(me)->tally);
    uint64_t got[2] = {row.ran, row.sum};
    must(me, jd_allreduce_u64(me, got, 2, JD_SUM));
    if (got[0] != n || got[1] != sum)
        fprintf(stderr, "# ran %llu of %llu, sum %llu of %llu\n",
                (unsigned long long)got[0], (unsigned long long)n,
                (unsigned long long)got[1], (unsigned long long)sum);
    return got[0] == n && got[1] == sum;
}

static uint64_t heap_nodes(uint64_t depth)
{
    return (UINT64_C(2) << depth) - 1;
}
static uint64_t heap_sum(uint64_t depth)
{
    uint64_t n = heap_nodes(depth);
    return n * (n + 1) / 2;
}

static void spawn_tree(jd_self *me, void *arg)
{
    uint64_t depth = *(uint64_t *)arg;
    must(me, jd_async(me, TREE, (uint64_t[]){depth, 1}, 16));
}

/* ---- tests -------------------------------------------------------------------------- */

static void test_tree(jd_self *me, uint64_t depth)
{
    if (jd_rank(me) == 0)
        must(me, jd_finish(me, spawn_tree, &depth));
    ok_all(me, ran(me, heap_nodes(depth), heap_sum(depth)), "a tree from rank 0");
    must(me, jd_finish(me, spawn_tree, &depth));
    uint64_t n = jd_nranks(me);
    ok_all(me, ran(me, n * heap_nodes(depth), n * heap_sum(depth)),
           "one from every rank");
}

static void test_many(jd_self *me)
{
    uint64_t depth = 1;
    for (int i = 0; i < 200; i++)
        must(me, jd_finish(me, spawn_tree, &depth));
    uint64_t n = 200 * (uint64_t)jd_nranks(me);
    ok_all(me, ran(me, n * 3, n * 6), "200 finishes, one after the other, on every rank");
}

static void test_places(jd_self *me)
{
    jd_scope s;
    uint32_t n = jd_nranks(me), mine = jd_rank(me);
    must(me, jd_finish_begin(me, &s));
    for (uint32_t i = 0; i < 20 * n; i++)
        must(me, jd_async_at(me, i % n, MARK, &(uint32_t){i % n}, 4));
    must(me, jd_async_local(me, LOCAL, (uint32_t[]){mine, 6}, 8));
    must(me, jd_finish_end(me, &s));
    uint64_t at = 20 * (uint64_t)n * n, below = 0;
    for (uint64_t d = 0; d <= 6; d++)
        below += d << (6 - d);
    ok_all(me, ran(me, at + n * heap_nodes(6), at + n * below), "tasks at a rank");
    ok_all(me, !atomic_load(&here(me)->wrong), "ran there");
}

static void test_big(jd_self *me)
{
    unsigned char bytes[BIG_BYTES];
    jd_scope s;
    uint32_t n = jd_nranks(me);
    must(me, jd_finish_begin(me, &s));
    for (uint32_t i = 0; i < 30; i++) {
        fill(bytes, i);
        must(me, i % 3 ? jd_async(me, BIG, bytes, sizeof bytes)
                       : jd_async_at(me, i % n, BIG, bytes, sizeof bytes));
    }
    must(me, jd_finish_end(me, &s));
    ok_all(me, ran(me, 30 * (uint64_t)n, 30 * (uint64_t)n), "large arguments");
    ok_all(me, !atomic_load(&here(me)->wrong), "arrive whole");
}

static void test_nested(jd_self *me)
{
    struct nest n = {NEST_DEPTH, 1};
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async(me, NEST, &n, sizeof n));
    must(me, jd_finish_end(me, &s));
    uint64_t ranks = jd_nranks(me), inner = heap_nodes(NEST_DEPTH - 1);
    ok_all(me,
           ran(me, ranks * (heap_nodes(NEST_DEPTH) + inner),
               ranks * (heap_sum(NEST_DEPTH) + inner)),
           "finishes in tasks");
    ok_all(me, !atomic_load(&here(me)->wrong), "nest");
}

static void test_range(jd_self *me)
{
    jd_scope s;
    uint64_t n = jd_nranks(me), word = 4711;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_forasync(me, RANGE, 0, RANGE_N, 7, &word, sizeof word));
    must(me, jd_forasync(me, RANGE, 5, 5, 7, &word, sizeof word));
    must(me, jd_finish_end(me, &s));
    ok_all(me, ran(me, n * RANGE_N, n * RANGE_N * (RANGE_N - 1) / 2),
           "every number of a range");
    ok_all(me, !atomic_load(&here(me)->wrong), "in pieces of at most the grain");
}

static void spawn_spmd(jd_self *me, void *arg)
{
    uint64_t depth = *(uint64_t *)arg;
    uint32_t n = jd_nranks(me), next = (jd_rank(me) + 1) % n;
    must(me, jd_async(me, TREE, (uint64_t[]){depth, 1}, 16));
    must(me, jd_async_at(me, next, MARK, &next, 4));
    must(me, jd_finish(me, spawn_tree, &depth));
}

static void nothing(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static void test_spmd(jd_self *me, uint64_t depth)
{
    uint64_t n = jd_nranks(me);
    for (int i = 0; i < 5; i++)
        must(me, jd_finish_spmd(me, nothing, NULL));
    ok_all(me, ran(me, 0, 0), "empty finishes of all ranks");
    for (int i = 0; i < 3; i++)
        must(me, jd_finish_spmd(me, spawn_spmd, &depth));
    ok_all(
        me,
        ran(me, 3 * n * (2 * heap_nodes(depth) + 1), 3 * n * (2 * heap_sum(depth) + 1)),
        "a finish of all ranks");
}

static void test_coll(jd_self *me)
{
    jd_coll *c = NULL;
    uint64_t n = jd_nranks(me), depth = 3;
    must(me, jd_coll_create(me, NULL, &c));
    for (int i = 0; i < 20; i++)
        must(me, jd_coll_add(me, c, SEED, &depth, sizeof depth));
    must(me, jd_coll_process(me, c));
    ok_all(me, adds_up(me, c, 20 * n), "the collection counts its own tasks");
    ok_all(me, ran(me, 20 * n * heap_nodes(3), 20 * n * heap_sum(3)),
           "finishes in tasks of a collection");
    ok_all(me, !atomic_load(&here(me)->wrong), "which stay in it");
    uint64_t *b = NULL;
    ok_all(me, jd_coll_add(me, c, BOX, &b, sizeof b) == JD_EINVAL,
           "a task with hooks is not for collections");
    must(me, jd_coll_destroy(me, c));
}

static void test_hooks(jd_self *me)
{
    jd_scope s;
    uint64_t n = jd_nranks(me);
    must(me, jd_finish_begin(me, &s));
    for (uint64_t i = 0; i < BOXES; i++) {
        uint64_t *b = new_box(me, i);
        must(me, i % 2 ? jd_async(me, BOX, &b, sizeof b)
                       : jd_async_at(me, (uint32_t)(i % n), BOX, &b, sizeof b));
    }
    must(me, jd_finish_end(me, &s));
    ok_all(me, ran(me, n * BOXES, n * BOXES * (BOXES - 1) / 2),
           "arguments with hooks travel");
}

static void test_refusals(jd_self *me)
{
    jd_scope s, t;
    ok_all(me, jd_async(me, MARK, NULL, 0) == JD_ESTATE, "no finish, no async");
    ok_all(me, jd_async_at(me, 0, MARK, NULL, 0) == JD_ESTATE, "nor at a rank");
    ok_all(me, jd_forasync(me, RANGE, 0, 9, 1, NULL, 0) == JD_ESTATE, "nor a range");
    ok_all(me, !jd_finish_mine(me).number && !jd_cancelled(me), "nor a name");
    must(me, jd_finish_begin(me, &s));
    ok_all(me, jd_async(me, 999, NULL, 0) == JD_EINVAL, "no such task");
    ok_all(me, jd_async_at(me, jd_nranks(me), MARK, NULL, 0) == JD_EINVAL,
           "no such rank");
    ok_all(me, jd_async(me, MARK, NULL, (size_t)17 << 20) == JD_ETOOBIG, "too large");
    ok_all(me, jd_forasync(me, RANGE, 0, 9, 0, NULL, 0) == JD_EINVAL, "no grain");
    ok_all(me, jd_finish_spmd(me, nothing, NULL) == JD_ESTATE, "not inside another");
    must(me, jd_finish_begin(me, &t));
    ok_all(me, jd_finish_end(me, &s) == JD_ESTATE, "the inner one first");
    must(me, jd_finish_end(me, &t));
    must(me, jd_finish_end(me, &s));
    ok_all(me, jd_cancel(me, (jd_finish_id){0}) == JD_EINVAL, "no name to cancel");
}

static void test_cancel(jd_self *me, long times)
{
    long right = 0;
    for (long i = 0; i < times; i++) {
        jd_scope s;
        must(me, jd_finish_begin(me, &s));
        must(me, jd_async(me, i % 2 ? WALK : SPIN, &(uint64_t){0}, 8));
        must(me, jd_async(me, STOP, NULL, 0));
        right += jd_finish_end(me, &s) == JD_ECANCELED;
        must(me, jd_barrier(me));
    }
    ok_all(me, right == times, "what is cancelled ends, and says so");
    uint64_t depth = 3;
    tally_take(me, &here(me)->tally);
    must(me, jd_barrier(me));
    must(me, jd_finish(me, spawn_tree, &depth));
    uint64_t n = jd_nranks(me);
    ok_all(me, ran(me, n * heap_nodes(3), n * heap_sum(3)), "the next one does not");
    ok_all(me, !atomic_load(&here(me)->wrong), "finishes inside were cancelled too");
}

static void spawn_stop(jd_self *me, void *arg)
{
    (void)arg;
    must(me, jd_async(me, SPIN, &(uint64_t){0}, 8));
    if (jd_rank(me) == jd_nranks(me) - 1)
        must(me, jd_async(me, STOP, NULL, 0));
}

static void test_cancel_spmd(jd_self *me)
{
    ok_all(me, jd_finish_spmd(me, spawn_stop, NULL) == JD_ECANCELED,
           "a finish of all ranks is cancelled");
    tally_take(me, &here(me)->tally);
}

/* The job ends at once after it: what ranks still have to tell each other may not be lost. */
static void cancel_and_leave(jd_self *me)
{
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    for (uint32_t i = 0; i < jd_nranks(me); i++)
        must(me, jd_async_at(me, i, ROAM, NULL, 0));
    must(me, jd_async(me, STOP, NULL, 0));
    int error = jd_finish_end(me, &s);
    if (error != JD_ECANCELED)
        jd_abort(me, 99, "cancelled, and jd_finish_end says %d", error);
}

static int body(jd_self *me, int argc, char **argv)
{
    uint64_t depth = argc > 1 ? (uint64_t)atol(argv[1]) : 9;
    struct here *mine = calloc(1, sizeof *mine);
    if (!mine)
        return 1;
    table[jd_rank(me) % 64] = mine;
    must(me, jd_barrier(me));
    test_refusals(me);
    test_tree(me, depth);
    test_many(me);
    test_places(me);
    test_big(me);
    test_nested(me);
    test_range(me);
    test_spmd(me, depth);
    test_coll(me);
    test_hooks(me);
    test_cancel(me, argc > 2 ? atol(argv[2]) : 10);
    test_cancel_spmd(me);
    must(me, jd_barrier(me));
    free(mine);
    int status = end_of_tests(me);
    cancel_and_leave(me);
    return status;
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
