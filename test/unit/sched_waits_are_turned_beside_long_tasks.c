/*
 * sched_waits_are_turned_beside_long_tasks.c
 *
 * Role: while every worker is in a task that never looks up, sleepers become ready; also those whose
 *       deadline is earlier than the one that was known.
 * Owner: the body, and the tasks that count.
 * Invariants: I2 of sched/wait/waits.h.
 * See: doc/waiting.md "Who turns the wheels".
 */
#include "sched/runq.h"
#include "sched/worker.h"
#include "test/dist/sched_kit.h"

enum { SLEEP, LONG };
enum { SLEEPERS = 300, WORKERS = 2, SOON_NS = 5000000, LIMIT_S = 20 };
#define LATE_NS UINT64_C(3600000000000)

static _Atomic int asleep, awake, computing, satisfied;

static void sleep_task(jd_self *me, void *arg)
{
    atomic_fetch_add(&asleep, 1);
    if (!jd_sleep(me, *(uint64_t *)arg))
        atomic_fetch_add(&awake, 1);
}

/* Sleepers that woke before both workers computed have run. */
static int woken(const struct jdi_rank *r)
{
    int n = atomic_load(&awake);
    for (unsigned i = 0; i < r->nworkers; i++)
        n += (int)jdi_runq_size(&r->workers[i].ready);
    return n;
}

static void long_task(jd_self *me, void *arg)
{
    const struct jdi_rank *r = me->rank;
    (void)arg;
    atomic_fetch_add(&computing, 1);
    if (!tap_wait_for(atomic_load(&computing) == WORKERS, LIMIT_S))
        return;
    if (tap_wait_for(woken(r) >= SLEEPERS, LIMIT_S))
        atomic_fetch_add(&satisfied, 1);
    else
        diag("worker %u: %d of %d sleepers are ready", jd_worker(me), woken(r), SLEEPERS);
    /* Else the other one would count while they run. */
    (void)tap_wait_for(atomic_load(&satisfied) == WORKERS, LIMIT_S);
}

static void all_tasks(jd_self *me, void *arg)
{
    uint64_t late = LATE_NS, soon = SOON_NS;
    jd_scope s;
    (void)arg;
    must(me, jd_async_local(me, SLEEP, &late, sizeof late));
    while (!atomic_load(&asleep))
        jd_yield(me);
    must(me, jd_finish_begin(me, &s));
    for (int i = 0; i < SLEEPERS; i++)
        must(me, jd_async_local(me, SLEEP, &soon, sizeof soon));
    while (atomic_load(&asleep) <= SLEEPERS)
        jd_yield(me);
    for (int i = 0; i < WORKERS; i++)
        must(me, jd_async_local(me, LONG, NULL, 0));
    must(me, jd_finish_end(me, &s));
    must(me, jd_cancel(me, jd_finish_mine(me)));
}

static const jd_task_def tasks[] = {
    [SLEEP] = JD_TASK(sleep_task), [LONG] = JD_TASK(long_task), JD_TASK_END};

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    ok(jd_nworkers(me) == WORKERS, "there are %d workers", WORKERS);
    ok(jd_finish(me, all_tasks, NULL) == JD_ECANCELED,
       "the sleeper of an hour ends with its finish");
    is_u64((uint64_t)atomic_load(&satisfied), WORKERS,
           "sleepers become ready while every worker computes");
    is_u64((uint64_t)atomic_load(&awake), SLEEPERS, "and each goes on");
    return done_testing();
}

int main(int argc, char **argv)
{
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "2", 1);
    return jd_launch(argc, argv, body, tasks);
}
