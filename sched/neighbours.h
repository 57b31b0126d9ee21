/*
 * neighbours.h - what a worker gets from the other owners of its rank.
 *
 * Role: takes open tasks and ready ULTs of other workers, and what has landed on the communication
 *       thread's shelf; asks for tasks that a neighbour hides behind a long one.
 * Owner: the stream of w.
 * Invariants: I1 a taker that leaves work behind wakes the next worker (I4 of store.c).
 * See: sched/worker.c has the order of the looks; doc/transfer.md "When tasks are opened".
 */
#ifndef JDI_SCHED_NEIGHBOURS_H
#define JDI_SCHED_NEIGHBOURS_H

#include "sched/coll.h"

/* Take tasks of c from the other owners; return how many. */
uint64_t jdi_neighbours_take(struct jdi_worker *w, jd_coll *c);
/* The same of the first collection, from the worker's turn on, of which there are any. */
uint64_t jdi_neighbours_steal(struct jdi_worker *w);
/* Take a ready ULT, or NULL.  The caller runs it at once. */
jd_self *jdi_neighbours_steal_ready(struct jdi_worker *w);

/* Is a task open, or a ULT ready that can move?  Any thread. */
bool jdi_neighbours_open(struct jdi_worker *w);
bool jdi_neighbours_ready(const struct jdi_worker *w);

/* Ask for tasks that a neighbour hides because it is in a long task: true if some are open now. */
bool jdi_neighbours_pry(struct jdi_worker *w, uint64_t now);
/* Does a neighbour hide tasks that a later pry could open? */
bool jdi_neighbours_hide(struct jdi_worker *w);

/* ---- the collections that workers look at ------------------------------------------- */

static inline jd_coll *jdi_worker_coll(struct jdi_rank *r, unsigned i)
{
    /* [pair: coll-active] acquire: the collection's fields. */
    return atomic_load_explicit(&r->active[i], memory_order_acquire);
}

static inline unsigned jdi_worker_ncolls(struct jdi_rank *r)
{
    /* Relaxed, because this is only how many entries to look at; each entry has its own order. */
    return atomic_load_explicit(&r->nactive, memory_order_relaxed);
}

/* The i-th id from the worker's turn on.  `n` is the number of ids, which never falls. */
static inline unsigned jdi_worker_in_turn(const struct jdi_worker *w, unsigned i,
                                          unsigned n)
{
    unsigned id = w->turn + i;
    return id < n ? id : id - n;
}

#endif
