/*
 * owner.h - which kernel thread something belongs to, for assertions.
 *
 * Role: a record that its thread makes when it begins and clears when it ends; debug builds ask
 *       on entry of what only that thread may do.
 * Owner: the thread that takes it; any thread asks.
 * Invariants: I1 what nobody has taken is everybody's: ranks of tests, and what is left of a
 *                worker whose stream has ended.
 *             I2 nothing depends on it but assertions.
 * Order: relaxed: a thread knows its own store, and another thread's is not equal whenever seen.
 * See: JD_ASSERT in core/base.h; sched/rank.h.
 *
 * The simulator has one thread for all streams, so there the answer is always yes.
 */
#ifndef JDI_CORE_OWNER_H
#define JDI_CORE_OWNER_H

#include "core/base.h"

#include <pthread.h>
#include <stdatomic.h>

struct jdi_owner {
    _Atomic uintptr_t thread; /* 0: nobody */
};

static inline void jdi_owner_take(struct jdi_owner *o)
{
    atomic_store_explicit(&o->thread, (uintptr_t)pthread_self(), memory_order_relaxed);
}

static inline void jdi_owner_leave(struct jdi_owner *o)
{
    atomic_store_explicit(&o->thread, 0, memory_order_relaxed);
}

static inline bool jdi_owner_is_me(const struct jdi_owner *o)
{
    uintptr_t thread = atomic_load_explicit(&o->thread, memory_order_relaxed);
    return !thread || thread == (uintptr_t)pthread_self();
}

#endif
