/*
 * lock.h - a lock of a few instructions.
 *
 * Role: mutual exclusion where nobody waits, allocates or calls anything while holding the lock.
 * Owner: any thread.
 * Invariants: I1 whoever waits spins, then yields: the holder may be off its core.
 * Order: [pair: lock] release by unlock, acquire by the next lock: all that the last holder did.
 * See: sched/deque.h, sched/runq.h.
 */
#ifndef JDI_CORE_LOCK_H
#define JDI_CORE_LOCK_H

#include "core/idle.h"

struct jdi_lock {
    _Atomic uint32_t taken;
};

static inline void jdi_lock_init(struct jdi_lock *l)
{
    atomic_init(&l->taken, 0);
}

static inline void jdi_lock(struct jdi_lock *l)
{
    for (unsigned tries = 0;; tries++) {
        /* [pair: lock] acquire. */
        if (!atomic_load_explicit(&l->taken, memory_order_relaxed) &&
            !atomic_exchange_explicit(&l->taken, 1, memory_order_acquire))
            return;
        jdi_idle_pause(tries < 64 ? JDI_IDLE_SPIN : JDI_IDLE_YIELD);
    }
}

static inline void jdi_unlock(struct jdi_lock *l)
{
    /* [pair: lock] release. */
    atomic_store_explicit(&l->taken, 0, memory_order_release);
}

#endif
