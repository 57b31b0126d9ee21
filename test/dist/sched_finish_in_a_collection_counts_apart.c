/*
 * sched_finish_in_a_collection_counts_apart.c
 *
 * Role: a task of a collection may open finishes: their tasks are not the collection's, and the task
 *       stays in it.
 * Owner: as sched_finish_kit.h.
 * See: doc/async.md.
 */
#include "test/dist/sched_finish_kit.h"

enum { SEED = OWN, LOOK };

/* It may run on the stack of the task that waits for it, and belongs to no collection all the same. */
static void look(jd_self *me, void *arg)
{
    (void)arg;
    complain(me, !jd_coll_mine(me) && jd_finish_mine(me).number);
}

/* A task of a collection may open a finish too. */
static void seed(jd_self *me, void *arg)
{
    uint64_t depth = *(uint64_t *)arg;
    jd_coll *mine = jd_coll_mine(me);
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async(me, TREE, (uint64_t[]){depth, 1}, 16));
    must(me, jd_async_local(me, LOOK, NULL, 0));
    must(me, jd_finish_end(me, &s));
    complain(me, mine && jd_coll_mine(me) == mine && !jd_finish_mine(me).number);
}

static const jd_task_def tasks[] = {
    SHARED_TASKS, [SEED] = JD_TASK(seed), [LOOK] = JD_TASK(look), JD_TASK_END};

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

static int body(jd_self *me, int argc, char **argv)
{
    struct here *mine = begin_counting(me);
    (void)argc, (void)argv;
    test_coll(me);
    end_counting(me, mine);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
