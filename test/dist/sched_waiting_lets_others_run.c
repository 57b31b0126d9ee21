/*
 * sched_waiting_lets_others_run.c
 *
 * Role: tasks that yield, and tasks that resume each other for ever, let other tasks run, and the
 *       network.
 * Owner: as sched_waiting_kit.h.
 * See: include/jackdaw.h, sched/self.c.
 */
#include "test/dist/sched_waiting_kit.h"

enum { LIGHT, YIELD, CIRCLE };
enum { LIGHTS = 50, ROUNDS = 20, CIRCLES = 2, GIVE_UP_S = 20 };

/* Waits for the gate without giving its stack away. */
static void yield(jd_self *me, void *arg)
{
    struct shared *s = shared_of(me);
    (void)arg;
    while (!atomic_load_explicit(&s->open, memory_order_acquire))
        jd_yield(me);
    atomic_fetch_add_explicit(&s->done, 1, memory_order_relaxed);
}

static void go_on(jd_self *me, void *arg)
{
    (void)arg;
    jd_resume(NULL, me);
}

/* Always ready: with another one like it they resume each other, for all the worker sees. */
static void circle(jd_self *me, void *arg)
{
    struct shared *s = shared_of(me);
    double end = jd_now(me) + GIVE_UP_S;
    (void)arg;
    while (!atomic_load_explicit(&s->open, memory_order_acquire) && jd_now(me) < end)
        jd_suspend(me, go_on, NULL);
    if (!atomic_load_explicit(&s->open, memory_order_acquire))
        atomic_fetch_add_explicit(&s->moved, 1, memory_order_relaxed);
}

static const jd_task_def tasks[] = {[LIGHT] = JD_TASK(light),
                                    [YIELD] = JD_TASK(yield),
                                    [CIRCLE] = JD_TASK(circle),
                                    JD_TASK_END};

/* Tasks that yield in circles let the tasks behind them run, and the network. */
static void test_yield(jd_self *me, struct shared *s)
{
    jd_coll *c = make(me, s);
    uint64_t lights = LIGHTS * (uint64_t)jd_nranks(me), each = 2 + jd_nworkers(me);
    add(me, c, LIGHT, LIGHTS);
    add(me, c, YIELD, each); /* last in, first run */
    must(me, jd_coll_start(me, c));
    until(me, &s->lights, lights);
    ok_all(me, true, "tasks that yield let other tasks run");
    for (int i = 0; i < ROUNDS; i++)
        must(me, jd_barrier(me));
    ok_all(me, true, "and barriers");
    atomic_store_explicit(&s->open, true, memory_order_release);
    must(me, jd_coll_wait(me, c));
    ok_all(me, adds_up(me, c, lights + sum_of(me, each)), "and all of it ends");
    end(me, c, s);
}

/* Tasks that resume each other for ever let the network through: another collection ends,
 * which takes messages, and tasks of this rank run. */
static void test_circles(jd_self *me, struct shared *s)
{
    jd_coll *c = make(me, s), *other = NULL;
    must(me, jd_coll_create(me, &(jd_coll_props){.local = s}, &other));
    add(me, c, CIRCLE, CIRCLES);
    add(me, other, LIGHT, LIGHTS);
    must(me, jd_coll_start(me, c));
    must(me, jd_coll_process(me, other));
    atomic_store_explicit(&s->open, true, memory_order_release);
    must(me, jd_coll_wait(me, c));
    ok_all(me, adds_up(me, other, LIGHTS * (uint64_t)jd_nranks(me)),
           "tasks that resume each other let others run, and the network");
    must(me, jd_coll_destroy(me, other));
    end(me, c, s);
}

static int body(jd_self *me, int argc, char **argv)
{
    struct shared s;
    (void)argc, (void)argv;
    test_yield(me, &s);
    test_circles(me, &s);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
