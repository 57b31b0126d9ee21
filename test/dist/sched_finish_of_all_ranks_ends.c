/*
 * sched_finish_of_all_ranks_ends.c
 *
 * Role: jd_finish_spmd ends when the tasks of all ranks have ended: empty ones, ones with trees and
 *       finishes of a rank inside, and ones that a rank cancels.  Argument: the depth of the binary
 *       trees (9).
 * Owner: as sched_finish_kit.h.
 * See: doc/async.md "jd_finish_spmd".
 */
#include "test/dist/sched_finish_kit.h"

static const jd_task_def tasks[] = {SHARED_TASKS, JD_TASK_END};

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

static int body(jd_self *me, int argc, char **argv)
{
    struct here *mine = begin_counting(me);
    test_spmd(me, argc > 1 ? (uint64_t)atol(argv[1]) : 9);
    test_cancel_spmd(me);
    end_counting(me, mine);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
