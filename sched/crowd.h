/*
 * crowd.h - how many ULTs wait on a worker.
 *
 * Role: counts the ULTs that jd_suspend has stopped on a worker and that have not gone on, and the most
 *       there were.
 * Owner: the worker; `left` is written by those on which such ULTs go on.
 * Invariants: I1 `stopped` - `left` ULTs have stopped on the worker and not gone on.
 * See: sched/self.c.
 */
#ifndef JDI_SCHED_CROWD_H
#define JDI_SCHED_CROWD_H

#include "sched/worker.h"

/* The cold part of stop: perhaps there were never so many. */
void jdi_crowd_note(struct jdi_worker *w);

/* A ULT stops on w. */
static inline void jdi_crowd_stop(struct jdi_worker *w)
{
    if (JDI_UNLIKELY(++w->stopped > w->stats.most_stopped))
        jdi_crowd_note(w);
}

/* It goes on, on `now`, which runs it. */
static inline void jdi_crowd_go_on(struct jdi_worker *w, const struct jdi_worker *now)
{
    if (JDI_LIKELY(w == now))
        w->stopped--;
    else /* relaxed: only the number matters */
        atomic_fetch_add_explicit(&w->left, 1, memory_order_relaxed);
}

#endif
