/*
 * deques.h - latency hiding: the many deques of a worker (Muller and Acar, SPAA 2016).
 *
 * Role: a ULT that waits belongs to the deque from which it was suspended, and comes back to it.  A
 *       worker has one active deque, and others that wait for their ULTs or have ready ones; thieves
 *       take from a random deque of the rank and keep what they took in a deque of their own.
 * Owner: the deques of a worker: whoever holds its lock; `active` is written by the worker.
 * Invariants: I1 every ULT that was suspended from a deque is counted in `suspended` of that deque, or
 *                lies in its bag, or was taken by exactly one worker.
 *             I2 a deque goes back to the pool only while nothing is counted and its bag is empty.
 *             I3 tasks lie on shelves, which belong to the active deque: a worker changes to another
 *                deque when its shelves are empty.  What lies in other deques is ready ULTs.
 *             I4 a worker has one deque more than ULTs that were suspended from its deques and do not run
 *                yet, at most.
 * Order: [pair: lock].  Who sleeps reads `nready` after its fence: [pair: idle-wake].
 * See: doc/deques.md has the states and the proof; test/models/deques.pml; sched/unblock.c.
 *
 * Only with JACKDAW_UNBLOCK=deque or proactive.  ULTs that are pinned, and those that yield, go through
 * the worker's queue (sched/runq.h) as ever.
 */
#ifndef JDI_SCHED_DEQUES_H
#define JDI_SCHED_DEQUES_H

#include "core/table.h"
#include "sched/bag.h"
#include "sched/worker.h"

/* FREE: in the pool.  ACTIVE: its worker takes from it.  SUSPENDED: it waits for its ULTs.  READY: not
 * active, but its bag has ULTs. */
enum jdi_lane_state {
    JDI_LANE_FREE,
    JDI_LANE_ACTIVE,
    JDI_LANE_SUSPENDED,
    JDI_LANE_READY
};

/* One deque, without the tasks, which lie on shelves. */
struct jdi_lane {
    /* NULL: free.  Relaxed: a thief reads it, and again under that worker's lock.  Writers: who has both
     * that lock and the pool's. */
    _Atomic(struct jdi_worker *) owner;
    /* Under the owner's lock. */
    enum jdi_lane_state state;
    uint32_t suspended;           /* ULTs that wait: suspendCtr of the paper */
    struct jdi_bag resumed;       /* ULTs that are ready */
    _Atomic uint32_t nready;      /* resumed.n, for those who look without the lock */
    struct jdi_lane *next, *prev; /* in the owner's list of ready deques, or free */
};

/* The pool of a rank.  Descriptors stay where they are until the rank ends, so a thief may look at one
 * that is free, or is another worker's by now. */
struct jdi_deques {
    struct jdi_lock lock;
    struct jdi_lane_list free; /* those below `total` */
    /* Above the highest index in use: the bound of a thief's choice.  Writer: who has the lock. */
    _Atomic uint32_t total;
    struct jdi_table lanes; /* by index */
};

/* Make the pool if JACKDAW_UNBLOCK needs one.  0, or JD_ENOMEM. */
int jdi_deques_init(struct jdi_rank *r);
/* Called when all streams have ended. */
void jdi_deques_fini(struct jdi_rank *r);

/* ---- the worker --------------------------------------------------------------------- */

/* `me`, which runs, is about to stop: count it in the active deque.  Before anybody can resume it. */
void jdi_deques_suspend(struct jdi_worker *w, jd_self *me);
/* Take a ready ULT of the active deque, or NULL. */
jd_self *jdi_deques_pop(struct jdi_worker *w, bool oldest);
/* Go on with another deque of the worker: take a ULT of one that is ready, or NULL. */
jd_self *jdi_deques_change(struct jdi_worker *w);
/* The worker has stolen tasks: they are the beginning of a new deque. */
void jdi_deques_leave(struct jdi_worker *w);
/* Steal ready ULTs of a random deque of the rank.  One is for the caller to run, the others are in a
 * deque of the caller's.  NULL if there is none. */
jd_self *jdi_deques_steal(struct jdi_worker *w);

/* Has the active deque a ready ULT?  The worker; a guess. */
static inline bool jdi_deques_has_next(const struct jdi_worker *w)
{
    const struct jdi_lane *a = w->lanes.active;
    return a && atomic_load_explicit(&a->nready, memory_order_relaxed);
}
/* Has the worker deques with ready ULTs?  Any thread; a hint, exact after the fence of a sleeper. */
static inline bool jdi_deques_ready(const struct jdi_worker *w)
{
    return atomic_load_explicit(&w->lanes.nready, memory_order_relaxed);
}

/* ---- any thread --------------------------------------------------------------------- */

/* `stopped`, which was suspended from a deque, is ready: put it back there.  It may run, and be gone,
 * before this returns.  Returns the worker that owns the deque. */
struct jdi_worker *jdi_deques_callback(jd_self *stopped);
/* Assert I1, I2 and I4 as far as one sees them while nobody else uses the deques of w. */
void jdi_deques_check(struct jdi_worker *w);

#endif
