/*
 * sched_fds_are_ready_beside_long_tasks.c
 *
 * Role: while every worker is in a task that never looks up, those who wait for descriptors become ready,
 *       many of them at once, whether the communication thread sleeps or not.
 * Owner: the body, and the tasks that count.
 * Invariants: I2 of sched/wait/poller.h.
 * See: doc/waiting.md "Descriptors".
 */
#include "sched/runq.h"
#include "sched/worker.h"
#include "test/dist/sched_fds_kit.h"

enum { WAIT, LONG };
enum { WAITERS = 300, WORKERS = 2, LIMIT_S = 20 };

static int pair[WAITERS][2];
static _Atomic int awake, computing, satisfied;

static void wait_task(jd_self *me, void *arg)
{
    int i = *(int *)arg;
    if (wait_for_ever(me, pair[i][0], JD_IN) == JD_IN && take_byte(pair[i][0]) == 1)
        atomic_fetch_add(&awake, 1);
}

static int in_queues(const struct jdi_rank *r)
{
    int n = 0;
    for (unsigned i = 0; i < r->nworkers; i++)
        n += (int)jdi_runq_size(&r->workers[i].ready);
    return n;
}

/* The first writes, when both compute. */
static void long_task(jd_self *me, void *arg)
{
    const struct jdi_rank *r = me->rank;
    bool all = true;
    (void)arg;
    int before = atomic_fetch_add(&computing, 1);
    if (!tap_wait_for(atomic_load(&computing) == WORKERS, LIMIT_S))
        return;
    for (int i = 0; i < WAITERS && !before; i++)
        all = put_byte(pair[i][1], 1) && all;
    if (all && tap_wait_for(in_queues(r) >= WAITERS, LIMIT_S))
        atomic_fetch_add(&satisfied, 1);
    else
        diag("worker %u: %d of %d are ready", jd_worker(me), in_queues(r), WAITERS);
    /* Else the other one would count while they run. */
    (void)tap_wait_for(atomic_load(&satisfied) == WORKERS, LIMIT_S);
}

static void all_tasks(jd_self *me, void *arg)
{
    (void)arg;
    for (int i = 0; i < WAITERS; i++) {
        new_pair(me, pair[i]);
        must(me, jd_async_local(me, WAIT, &i, sizeof i));
    }
    for (int i = 0; i < WAITERS; i++)
        until_taken(me, pair[i][0], JD_IN);
    for (int i = 0; i < WORKERS; i++)
        must(me, jd_async_local(me, LONG, NULL, 0));
}

static const jd_task_def tasks[] = {
    [WAIT] = JD_TASK(wait_task), [LONG] = JD_TASK(long_task), JD_TASK_END};

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    ok(jd_nworkers(me) == WORKERS, "there are %d workers", WORKERS);
    must(me, jd_finish(me, all_tasks, NULL));
    is_u64((uint64_t)atomic_load(&satisfied), WORKERS,
           "who waits becomes ready while every worker computes");
    is_u64((uint64_t)atomic_load(&awake), WAITERS, "and each goes on");
    for (int i = 0; i < WAITERS; i++)
        close_pair(me, pair[i]);
    return done_testing();
}

int main(int argc, char **argv)
{
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "2", 1);
    return jd_launch(argc, argv, body, tasks);
}
