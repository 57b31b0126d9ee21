/*
 * sched_waiting_ends_whoever_resumes.c
 *
 * Role: a suspended task goes on as it was, whether a task, a body or a thread of the
 *       program resumes it; so does a body.
 * Owner: as sched_waiting_kit.h.
 * See: include/jackdaw.h, sched/self.c.
 */
#include "test/dist/sched_waiting_kit.h"

enum { PARK, AGAIN, WAKE };
enum { PARKERS = 12, TIMES = 30, YIELDS = 200 };

static void again(jd_self *me, void *arg)
{
    struct shared *s = shared_of(me);
    (void)arg;
    for (int i = 0; i < TIMES; i++)
        park_once(me, s);
    atomic_fetch_add_explicit(&s->done, 1, memory_order_relaxed);
}

/* Resumes others, on whatever worker it runs. */
static void wake(jd_self *me, void *arg)
{
    (void)arg;
    for (int i = 0; i < YIELDS && !resume_all(me, shared_of(me)); i++)
        jd_yield(me);
}

static const jd_task_def tasks[] = {[PARK] = JD_TASK(park),
                                    [AGAIN] = JD_TASK(again),
                                    [WAKE] = JD_TASK(wake),
                                    JD_TASK_END};

/* Tasks resume tasks, on other workers too; the bodies help where there are no wakers. */
static void test_resumed_by_tasks(jd_self *me, struct shared *s)
{
    jd_coll *c = make(me, s);
    uint64_t total = PARKERS * (uint64_t)jd_nranks(me);
    for (int i = 0; i < PARKERS; i++) {
        add(me, c, WAKE, 1);
        add(me, c, PARK, 1);
    }
    must(me, jd_coll_start(me, c));
    while (sum_of(me, atomic_load(&s->done)) < total) {
        jd_yield(me);
        resume_all(me, s);
    }
    must(me, jd_coll_wait(me, c));
    ok_all(me, adds_up(me, c, 2 * total), "tasks resumed by tasks");
    end(me, c, s);
}

/* A thread that is nobody's worker resumes at once: perhaps before the jump has ended. */
static void test_foreign_thread(jd_self *me, struct shared *s)
{
    jd_coll *c = make(me, s);
    uint64_t total = PARKERS * (uint64_t)jd_nranks(me);
    add(me, c, AGAIN, PARKERS);
    if (!start_waker(s))
        jd_abort(me, 99, "no thread");
    must(me, jd_coll_process(me, c));
    stop_waker(s);
    ok_all(me, adds_up(me, c, total), "tasks resumed by a thread of the program");
    uint64_t parked = sum_of(me, atomic_load(&s->parked));
    ok_all(me, parked == total * TIMES && sum_of(me, atomic_load(&s->resumed)) == parked,
           "each as often as it was suspended");
    end(me, c, s);
}

/* The body suspends like a task. */
static void test_body_suspends(jd_self *me, struct shared *s)
{
    jd_coll *c = make(me, s);
    if (!start_waker(s))
        jd_abort(me, 99, "no thread");
    struct parked p = {.s = s};
    for (int i = 0; i < TIMES; i++)
        jd_suspend(me, publish, &p);
    stop_waker(s);
    ok_all(me, atomic_load(&s->resumed) == TIMES, "the body suspends and goes on");
    end(me, c, s);
}

static int body(jd_self *me, int argc, char **argv)
{
    struct shared s;
    (void)argc, (void)argv;
    test_resumed_by_tasks(me, &s);
    test_foreign_thread(me, &s);
    test_body_suspends(me, &s);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
