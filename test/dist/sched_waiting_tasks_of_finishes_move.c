/*
 * sched_waiting_tasks_of_finishes_move.c
 *
 * Role: tasks of finishes that wait go on on any worker of their rank, and count there, with what they
 *       make afterwards; one with a finish on its stack goes on where it was.  Argument: tasks of
 *       each rank in a round.
 * Owner: the body; the list of the kit owns a suspended task.
 * Invariants: I1 whoever parks is resumed by a task of the same round.
 * See: ARCHITECTURE.md "Where a ULT goes on"; test/dist/sched_waiting_kit.h.
 */
#include "test/dist/sched_waiting_kit.h"

enum { FREE, FRAMED, CHILD, WAKE };
enum { ROUNDS = 10 };

struct here {
    struct shared s;
    _Atomic uint64_t ran, children, strayed, moved;
    uint64_t tasks;
};

static void suspend_here(jd_self *me, struct here *h)
{
    struct parked p = {.s = &h->s};
    jd_suspend(me, publish, &p);
}

static void free_task(jd_self *me, void *arg)
{
    struct here *h = jd_local(me);
    unsigned worker = jd_worker(me);
    uint64_t number = *(uint64_t *)arg;
    suspend_here(me, h);
    atomic_fetch_add(&h->moved, worker != jd_worker(me));
    must(me, jd_async_local(me, CHILD, &number, sizeof number));
    suspend_here(me, h);
    atomic_fetch_add(&h->ran, 1);
}

static void wait_inside(jd_self *me, void *arg)
{
    struct here *h = jd_local(me);
    must(me, jd_async_local(me, CHILD, arg, sizeof(uint64_t)));
    suspend_here(me, h);
}

/* It has moved or not before it opens its finish; from there to the end of the finish it stays. */
static void framed_task(jd_self *me, void *arg)
{
    struct here *h = jd_local(me);
    uint64_t number = *(uint64_t *)arg;
    suspend_here(me, h);
    unsigned worker = jd_worker(me);
    must(me, jd_finish(me, wait_inside, &number));
    atomic_fetch_add(&h->strayed, worker != jd_worker(me));
    suspend_here(me, h);
    atomic_fetch_add(&h->ran, 1);
}

static void child(jd_self *me, void *arg)
{
    struct here *h = jd_local(me);
    (void)arg;
    atomic_fetch_add(&h->children, 1);
}

/* Resumes until all tasks of the round have ended. */
static void wake(jd_self *me, void *arg)
{
    struct here *h = jd_local(me);
    (void)arg;
    while (atomic_load(&h->ran) < h->tasks) {
        resume_all(me, &h->s);
        jd_yield(me);
    }
}

static void round_of(jd_self *me, void *arg)
{
    struct here *h = arg;
    for (uint64_t i = 0; i < h->tasks; i++)
        must(me, jd_async_local(me, i % 3 ? FREE : FRAMED, &i, sizeof i));
    must(me, jd_async_local(me, WAKE, NULL, 0));
}

static int body(jd_self *me, int argc, char **argv)
{
    struct here h = {.tasks = argc > 1 ? strtoul(argv[1], NULL, 10) : 100};
    bool right = true;
    jd_set_local(me, &h);
    must(me, jd_barrier(me));
    for (int round = 0; round < ROUNDS; round++) {
        atomic_store(&h.ran, 0);
        atomic_store(&h.children, 0);
        must(me, jd_finish(me, round_of, &h));
        right = right && atomic_load(&h.ran) == h.tasks &&
                atomic_load(&h.children) == h.tasks;
    }
    ok_all(me, right, "every task and every task made by one ended in its finish");
    ok_all(me, !atomic_load(&h.strayed), "a finish ends on the worker that opened it");
    uint64_t moved = sum_of(me, atomic_load(&h.moved));
    if (jd_rank(me) == 0)
        diag("%llu tasks moved", (unsigned long long)moved);
    ok_all(me, jd_nworkers(me) > 1 || !moved, "one worker has nowhere to move to");
    return end_of_tests(me);
}

static const jd_task_def tasks[] = {[FREE] = JD_TASK(free_task),
                                    [FRAMED] = JD_TASK(framed_task),
                                    [CHILD] = JD_TASK(child),
                                    [WAKE] = JD_TASK(wake),
                                    JD_TASK_END};

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
