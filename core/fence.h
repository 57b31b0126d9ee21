/*
 * fence.h - a fence of which one side costs nothing.
 *
 * Role: two threads each store a word and then load the other's; at least one of them must see the
 *       other's store.  The thread that does this often uses jdi_fence_light, which only binds the
 *       compiler.  The thread that does it rarely uses jdi_fence_heavy, which makes the kernel pass
 *       a full fence on every core where the process runs.
 * Owner: any thread.
 * See: sched/deque.c (jdi_deque_pry); man 2 membarrier.
 */
#ifndef JDI_CORE_FENCE_H
#define JDI_CORE_FENCE_H

#include <stdatomic.h>
#include <stdbool.h>

/* Called before the first heavy fence, once in each process or more often.  False if the kernel
 * cannot do it; then there must be no heavy fence. */
bool jdi_fence_start(void);
void jdi_fence_heavy(void);

static inline void jdi_fence_light(void)
{
    atomic_signal_fence(memory_order_seq_cst);
}

#endif
