/*
 * rank.c - what any thread may ask of a rank: to run something, to wake somebody.
 *
 * Role: see rank.h.
 * Owner: any thread, but for what is the communication thread's.
 * Invariants: I1 whoever is woken looks for work after the wake, or calls the next one
 *                (sched/worker.c, pass_call).
 * Order: [pair: idle-wake], [pair: thieves-wait], [pair: coll-epoch], letters: [pair: mailbox-head].
 * See: rank.h; ARCHITECTURE.md "Waiting"; test/models/wake.pml.
 */
#include "sched/rank.h"

#include "sched/worker.h"

static JDI_NOINLINE void wake(struct jdi_rank *r, bool all)
{
    for (unsigned i = 0; i < r->nworkers; i++) {
        struct jdi_worker *w = &r->workers[i];
        /* [pair: idle-wake] relaxed: the fence of jdi_rank_wake_one makes a release of it.  Who
         * wakes all has opened nothing; the fence of jdi_idle_wake stands behind what is new. */
        if (!atomic_exchange_explicit(&w->asleep, false, memory_order_relaxed) && !all)
            continue;
        jdi_idle_wake(w->idle);
        if (!all)
            return;
    }
}

void jdi_rank_wake_one(struct jdi_rank *r)
{
    /* [pair: idle-wake] seq_cst: the work was published before the sleepers are counted. */
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&r->sleeping, memory_order_relaxed))
        wake(r, false);
    /* [pair: thieves-wait] the same for thieves of other ranks and who serves them. */
    if (JDI_UNLIKELY(atomic_load_explicit(&r->thieves, memory_order_relaxed)))
        jdi_idle_wake(&r->am->idle);
}

void jdi_rank_wake_all(struct jdi_rank *r)
{
    wake(r, true);
}

void jdi_rank_post(struct jdi_rank *r, struct jdi_call *call)
{
    jdi_mailbox_put(&r->mailbox, &call->letter);
    jdi_idle_wake(&r->am->idle);
}

bool jdi_rank_forgot(const struct jdi_rank *r, uint64_t epoch)
{
    for (unsigned i = 0; i < r->nworkers; i++)
        /* [pair: coll-epoch] acquire: that worker's last use of the collection. */
        if (atomic_load_explicit(&r->workers[i].epoch, memory_order_acquire) < epoch)
            return false;
    return true;
}
