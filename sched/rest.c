/*
 * rest.c - how a worker sleeps.
 *
 * Role: see rest.h.
 * Invariants: I1 of rest.h.
 * Order: [pair: idle-wake], [pair: store-put].
 * See: rest.h; ARCHITECTURE.md has the table of who waits on what.
 */
#include "sched/rest.h"

#include "sched/neighbours.h"
#include "sched/runq.h"
#include "sched/traces.h"

/* Has this worker seen the last removal of a collection? */
static bool passed(const struct jdi_worker *w)
{
    return atomic_load_explicit(&w->epoch, memory_order_relaxed) ==
           atomic_load_explicit(&w->rank->epoch, memory_order_relaxed);
}

bool jdi_rest_has_own(struct jdi_worker *w)
{
    struct jdi_rank *r = w->rank;
    for (unsigned i = 0, n = jdi_worker_ncolls(r); i < n; i++) {
        jd_coll *c = jdi_worker_coll(r, i);
        if (c && jdi_coll_has_own(c, w->index))
            return true;
    }
    return false;
}

static bool has_work(struct jdi_worker *w)
{
    return jdi_runq_size(&w->ready) || !jdi_mailbox_empty(&w->calls) ||
           jdi_rank_stops(w->rank) || jdi_neighbours_ready(w) || !passed(w) ||
           jdi_neighbours_open(w);
}

bool jdi_rest_is_wanted(struct jdi_worker *w)
{
    if (JDI_UNLIKELY(w->blocked != NULL))
        return atomic_load_explicit(&w->woken, memory_order_relaxed) ||
               !jdi_mailbox_empty(&w->calls) || !passed(w);
    return has_work(w) || jdi_rest_has_own(w);
}

/* Is there anything that a worker which polls has to do as the communication worker? */
static bool comm_is_wanted(const struct jdi_worker *w)
{
    return w->comm &&
           (!jdi_mailbox_empty(&w->rank->mailbox) || jdi_rank_due_news(w->rank));
}

static void fall_asleep(struct jdi_worker *w, uint32_t key, uint64_t timeout_ns)
{
    if (w->rank->on_sleep)
        w->rank->on_sleep(w->rank);
    jdi_clock_book(&w->clock, JDI_ACT_STEAL, jdi_rank_now(w->rank));
    jdi_stats_count(&w->stats.sleeps, 1);
    uint64_t since = jdi_traces_sleeps(w->rank, w->tracer);
    jdi_time_wait(w->rank->am->time, w->idle, key, timeout_ns);
    jdi_traces_slept(w->rank, w->tracer, w->index, since);
    jdi_clock_book(&w->clock, JDI_ACT_IDLE, jdi_rank_now(w->rank));
}

/* What waits for one ULT does not announce itself, because nobody may call it for tasks. */
static void sleep_blocked(struct jdi_worker *w, uint64_t timeout_ns)
{
    uint32_t key = jdi_idle_prepare(w->idle);
    if (jdi_rest_is_wanted(w) || comm_is_wanted(w)) {
        jdi_idle_cancel(w->idle);
        return;
    }
    fall_asleep(w, key, timeout_ns);
}

void jdi_rest_sleep(struct jdi_worker *w, uint64_t timeout_ns)
{
    JD_ASSERT(jdi_rank_is_owner(w->rank, w->index));
    if (JDI_UNLIKELY(w->blocked != NULL)) {
        sleep_blocked(w, timeout_ns);
        return;
    }
    /* [pair: idle-wake] This worker announces itself, passes the full fence of prepare, and looks
     * for work.  A waker publishes work, passes its fence, and looks for sleepers.  Whoever
     * passes the fence last sees what the other did before the other fence.  So either this
     * worker sees the work, or the waker sees this worker. */
    atomic_fetch_add_explicit(&w->rank->sleeping, 1, memory_order_relaxed);
    atomic_store_explicit(&w->asleep, true, memory_order_relaxed);
    uint32_t key = jdi_idle_prepare(w->idle);
    /* The announcement has two words: `asleep` and the eventcount.  A waker that took the first
     * and did not see the second wakes nobody, and no later call would come.  The fence of that
     * waker, in jdi_idle_wake, came before this one, so this load sees that `asleep` was taken.
     * [pair: idle-wake] */
    bool taken = !atomic_load_explicit(&w->asleep, memory_order_relaxed);
    if (taken || jdi_rest_is_wanted(w) || comm_is_wanted(w)) {
        jdi_idle_cancel(w->idle);
    } else {
        /* [pair: store-put] The fence of prepare comes after this worker was counted as hungry.  So
         * who puts a task sees that, or this worker sees the task. */
        if (timeout_ns > JDI_STORE_LONG_NS && jdi_neighbours_hide(w))
            timeout_ns = JDI_STORE_LONG_NS;
        fall_asleep(w, key, timeout_ns);
    }
    /* [pair: idle-wake] acquire: pass_call sees what the waker had opened, because the fence of
     * jdi_rank_wake_one makes the exchange in wake() a release. */
    w->called = !atomic_exchange_explicit(&w->asleep, false, memory_order_acquire);
    atomic_fetch_sub_explicit(&w->rank->sleeping, 1, memory_order_relaxed);
}
