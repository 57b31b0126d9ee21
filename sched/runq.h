/*
 * runq.h - the ready ULTs of a worker.
 *
 * Role: a queue of two ends: the worker takes from its front, thieves from its back.  What the worker
 *       itself makes ready lies before the front, in a place without a lock.
 * Owner: any thread puts; the worker takes; other workers of the rank steal.
 * Invariants: I1 a ULT that is pinned leaves by `take` only.
 *             I2 `n` and `movable` are exact whenever nobody holds the lock.
 * Order: [pair: lock], [pair: runq-newest] what who woke the ULT wrote before what it does next; who sleeps reads `n` or `movable` after its fence: [pair: idle-wake].
 * See: sched/unblock.h has the places where ULTs go; ARCHITECTURE.md "Where a ULT goes on".
 */
#ifndef JDI_SCHED_RUNQ_H
#define JDI_SCHED_RUNQ_H

#include "core/lock.h"
#include "sched/self.h"

/* `alone`: nobody steals.  `time`: the clock of the threads that use the queue. */
void jdi_runq_init(struct jdi_runq *q, bool alone, const struct jdi_time *time);
/* Any thread. */
void jdi_runq_put_front(struct jdi_runq *q, jd_self *s);
void jdi_runq_put_back(struct jdi_runq *q, jd_self *s);
/* The worker: s, which is not pinned unless nobody steals, becomes the newest. */
void jdi_runq_put_newest(struct jdi_runq *q, jd_self *s);
/* The worker: the newest, or the one that has waited longest; NULL if there is none. */
jd_self *jdi_runq_take_front(struct jdi_runq *q);
jd_self *jdi_runq_take_back(struct jdi_runq *q);
/* Any other worker: the oldest that is not pinned, or NULL.  `more`: others could have been
 * had, too. */
jd_self *jdi_runq_steal(struct jdi_runq *q, bool *more);

/* Any thread: hints. */
static inline uint32_t jdi_runq_size(const struct jdi_runq *q)
{
    return atomic_load_explicit(&q->n, memory_order_relaxed) +
           (atomic_load_explicit(&q->newest, memory_order_relaxed) != NULL);
}
static inline uint32_t jdi_runq_movable(const struct jdi_runq *q)
{
    return atomic_load_explicit(&q->movable, memory_order_relaxed) +
           (atomic_load_explicit(&q->newest, memory_order_relaxed) != NULL);
}

#endif
