/*
 * rank.c - what any thread may ask of a rank: to run a call, to wake a worker.
 *
 * Role: posting calls, waking workers, and knowing when all workers have forgotten a collection.
 * Owner: any thread, but for what rank.h gives to the communication thread.
 * Invariants: I1 a woken worker looks for work at all shelves, or wakes the next worker
 *                (sched/worker.c, pass_call).
 * Order: [pair: idle-wake], [pair: thieves-wait], [pair: coll-epoch], calls: [pair: mailbox-head].
 * See: rank.h; ARCHITECTURE.md "Waiting"; test/models/wake.pml.
 */
#include "sched/rank.h"

#include "sched/worker.h"

bool jdi_rank_is_owner(const struct jdi_rank *r, unsigned owner)
{
    return owner < r->nworkers ? jdi_owner_is_me(&r->workers[owner].thread)
                               : jdi_rank_is_comm(r);
}

static JDI_NOINLINE void wake(struct jdi_rank *r, bool all)
{
    for (unsigned i = 0; i < r->nworkers; i++) {
        struct jdi_worker *w = &r->workers[i];
        /* [pair: idle-wake] relaxed: the fence of jdi_rank_wake_one makes this exchange a
         * release.  jdi_rank_wake_all has opened no tasks; there the fence of jdi_idle_wake
         * comes after what is new.  Both need that second fence, because an announcement has
         * two words, and the fence stands between this side's looks at them (jdi_rest_sleep). */
        if (!atomic_exchange_explicit(&w->asleep, false, memory_order_relaxed) && !all)
            continue;
        jdi_idle_wake(w->idle);
        if (!all)
            return;
    }
}

void jdi_rank_wake_sleeper(struct jdi_rank *r)
{
    if (JDI_UNLIKELY(atomic_load_explicit(&r->sleeping, memory_order_relaxed)))
        wake(r, false);
}

void jdi_rank_wake_one(struct jdi_rank *r)
{
    /* [pair: idle-wake] seq_cst: the work was published before the sleepers are counted. */
    atomic_thread_fence(memory_order_seq_cst);
    jdi_rank_wake_sleeper(r);
    /* [pair: thieves-wait] the same fence: the work was published before this load of the number
     * of remembered thieves. */
    if (JDI_UNLIKELY(atomic_load_explicit(&r->thieves, memory_order_relaxed)))
        jdi_idle_wake(r->am->idle);
}

void jdi_rank_wake_all(struct jdi_rank *r)
{
    wake(r, true);
}

void jdi_rank_post(struct jdi_rank *r, struct jdi_call *call)
{
    jdi_mailbox_put(&r->mailbox, &call->letter);
    jdi_idle_wake(r->am->idle);
}

uint64_t jdi_rank_first_due(const struct jdi_rank *r)
{
    uint64_t first = UINT64_MAX;
    for (unsigned i = 0; i < r->nworkers; i++) {
        /* [pair: idle-wake] relaxed: who is about to sleep has passed its fence. */
        uint64_t due = atomic_load_explicit(&r->workers[i].due, memory_order_relaxed);
        first = due < first ? due : first;
    }
    return first;
}

bool jdi_rank_due_news(const struct jdi_rank *r)
{
    return jdi_rank_first_due(r) < atomic_load_explicit(&r->due, memory_order_relaxed);
}

bool jdi_rank_forgot(const struct jdi_rank *r, uint64_t epoch)
{
    for (unsigned i = 0; i < r->nworkers; i++)
        /* [pair: coll-epoch] acquire: the last use of the collection by that worker. */
        if (atomic_load_explicit(&r->workers[i].epoch, memory_order_acquire) < epoch)
            return false;
    return true;
}

void jdi_rank_check(const struct jdi_rank *r)
{
    JD_CHECK(!atomic_load_explicit(&r->hungry, memory_order_relaxed));
    JD_CHECK(!atomic_load_explicit(&r->sleeping, memory_order_relaxed));
    JD_CHECK(jdi_mailbox_empty(&r->mailbox));
    for (unsigned i = 0; i < r->nworkers; i++)
        JD_CHECK(!atomic_load_explicit(&r->workers[i].asleep, memory_order_relaxed));
}
