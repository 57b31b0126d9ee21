/*
 * unblock.c - the one place through which a stopped ULT becomes ready again.
 *
 * Role: the choice of the worker; jd_resume.
 * Invariants: I1 of unblock.h. I2 a pinned ULT goes on on the worker on which it stopped, because the
 *             finishes on its stack count in parts of that worker (sched/finish/finish.c).
 * Order: [pair: lock], [pair: idle-wake], [pair: worker-woken].
 * See: unblock.h; ARCHITECTURE.md "Where a ULT goes on"; Vrba et al., paper 001.
 */
#include "sched/unblock.h"

#include "sched/deques.h"
#include "sched/runq.h"
#include "sched/traces.h"

/* WS-LAST and WS-CUR of the paper. */
static struct jdi_worker *worker_for(struct jdi_worker *by, const jd_self *stopped)
{
    bool current = stopped->rank->knobs->unblock == JDI_UNBLOCK_CURRENT;
    return current && by && !jdi_self_pinned(stopped) ? by : stopped->worker;
}

/* Its worker waits for it (JACKDAW_LATENCY=block). */
static JDI_NOINLINE void end_block(jd_self *stopped)
{
    struct jdi_worker *w = stopped->worker;
    stopped->blocks = false;
    /* [pair: worker-woken] release: what the caller wrote before. */
    atomic_store_explicit(&w->woken, stopped, memory_order_release);
    jdi_idle_wake(w->idle);
}

/* The worker wakes a ULT of its own, so it is awake itself. */
static void put_own(struct jdi_worker *w, jd_self *stopped)
{
    jdi_runq_put_newest(&w->ready, stopped);
    if (w->ready.alone)
        return;
    atomic_thread_fence(memory_order_seq_cst); /* [pair: idle-wake] */
    jdi_rank_wake_sleeper(w->rank);
}

static void put_elsewhere(struct jdi_worker *by, jd_self *stopped)
{
    struct jdi_worker *to;
    bool pinned = jdi_self_pinned(stopped);
    if (JDI_UNLIKELY(stopped->lane)) {
        to = jdi_deques_callback(stopped);
    } else {
        to = worker_for(by, stopped);
        stopped->moved = to != stopped->worker;
        jdi_runq_put_front(&to->ready, stopped);
    }
    /* From here on `stopped` may be anywhere.  Who sleeps is called, and by the first ULT only: it takes long to wake up, and may then run that
     * one for long, so each further ULT that comes meanwhile calls somebody else. */
    bool slept = atomic_load_explicit(&to->asleep, memory_order_relaxed) &&
                 atomic_exchange_explicit(&to->asleep, false, memory_order_relaxed);
    /* [pair: idle-wake] The fence comes after the ULT was put, and before the looks at sleepers; it
     * makes the exchange a release, as in jdi_rank_wake_one. */
    jdi_idle_wake(to->idle);
    if (!pinned && !slept)
        jdi_rank_wake_sleeper(to->rank);
}

void jdi_unblock(struct jdi_worker *by, jd_self *stopped)
{
    /* Relaxed: an inspection that does not see it is over before `stopped` goes on, see
     * doc/waiting.md "What a task waits for". */
    atomic_store_explicit(&stopped->suspended, false, memory_order_relaxed);
    if (JDI_UNLIKELY(stopped->blocks)) {
        end_block(stopped);
        return;
    }
    if (by)
        jdi_traces_put(by, JDI_TRACE_READY, 0, stopped->worker->index,
                       (uintptr_t)stopped);
    if (JDI_UNLIKELY(!stopped->wakes++))
        stopped->ready_at = jdi_rank_now(stopped->rank);
    if (by == stopped->worker && !stopped->lane &&
        (!jdi_self_pinned(stopped) || by->ready.alone))
        put_own(by, stopped);
    else
        put_elsewhere(by, stopped);
}

void jd_resume(jd_self *me, jd_self *suspended)
{
    if (!atomic_exchange_explicit(&suspended->suspended, false, memory_order_relaxed))
        jdi_die(&suspended->rank->am->log, JDI_EXIT_AUDIT,
                "jd_resume: what it names is not suspended, or was resumed before");
    jdi_unblock(me ? me->worker : NULL, suspended);
}
