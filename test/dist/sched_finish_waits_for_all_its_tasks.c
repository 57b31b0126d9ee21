/*
 * sched_finish_waits_for_all_its_tasks.c
 *
 * Role: a finish returns when all tasks below it have ended and not before, however often and deep
 *       it is opened; it stops no other rank's body.  Argument: the depth of the binary trees (9).
 * Owner: as sched_finish_kit.h.
 * See: doc/async.md; test/dist/sched_torture.c, which finds finishes that return too early.
 */
#include "test/dist/sched_finish_kit.h"

enum { NEST = OWN, OPEN_GATE };
enum { NEST_DEPTH = 5 };

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
    complain(me, !memcmp(arg, &n, sizeof n)); /* though it has waited */
}

/* How many other ranks' bodies have come to rank 0 while it is in a finish. */
static _Atomic uint64_t gate;

static void open_gate(jd_self *me, void *arg)
{
    (void)arg;
    atomic_fetch_add_explicit(&gate, 1, memory_order_release);
    note(me, 1);
}

static void wait_at_gate(jd_self *me, void *arg)
{
    (void)arg;
    while (atomic_load_explicit(&gate, memory_order_acquire) + 1 < jd_nranks(me))
        jd_yield(me);
}

static void come_to_gate(jd_self *me, void *arg)
{
    (void)arg;
    must(me, jd_async_at(me, 0, OPEN_GATE, NULL, 0));
}

static const jd_task_def tasks[] = {
    SHARED_TASKS, [NEST] = JD_TASK(nest), [OPEN_GATE] = JD_TASK(open_gate), JD_TASK_END};

/* Without the bodies of the others the finish of rank 0 has no end. */
static void test_alone(jd_self *me)
{
    must(me, jd_finish(me, jd_rank(me) == 0 ? wait_at_gate : come_to_gate, NULL));
    uint64_t others = jd_nranks(me) - 1;
    ok_all(me, ran(me, others, others), "the other bodies go on during a finish of one");
}

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

static int body(jd_self *me, int argc, char **argv)
{
    struct here *mine = begin_counting(me);
    test_alone(me);
    test_tree(me, argc > 1 ? (uint64_t)atol(argv[1]) : 9);
    test_many(me);
    test_nested(me);
    end_counting(me, mine);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
