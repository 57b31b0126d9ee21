/*
 * crowd.h - how many ULTs wait on a worker, and what it does when these are too many.
 *
 * Role: counts the ULTs that jd_suspend has stopped on a worker and that have not gone on.  Above
 *       JACKDAW_MAX_SUSPENDED the worker begins tasks only now and then; without memory for a stack it
 *       begins none.
 * Owner: the worker; `left` is written by those on which such ULTs go on.
 * Invariants: I1 `stopped` - `left` ULTs have stopped on the worker and not gone on.
 *             I2 whatever can go on goes on, first and at any time.
 * See: sched/crowd.c says why; sched/self.c; doc/jackdaw-env.7.md.
 */
#ifndef JDI_SCHED_CROWD_H
#define JDI_SCHED_CROWD_H

#include "sched/worker.h"

/* The cold parts of what follows. */
void jdi_crowd_note(struct jdi_worker *w);
bool jdi_crowd_waits(struct jdi_worker *w);

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

/* Must w begin no task now, although it has some? */
static inline bool jdi_crowd_holds(struct jdi_worker *w)
{
    return JDI_UNLIKELY(w->stopped > (uint64_t)w->rank->knobs->max_suspended) &&
           jdi_crowd_waits(w);
}

/* There is no memory for one more stack: say so once.  May it be tried again? */
void jdi_crowd_starves(struct jdi_worker *w);
bool jdi_crowd_may_try(struct jdi_worker *w);

/*
 * From then on spare loops belong to the rank: the worker that needs one may be another one than that on which
 * the last task has ended.  Relaxed: who sees it late shares late.
 */
static inline bool jdi_crowd_shares(const struct jdi_rank *r)
{
    return JDI_UNLIKELY(atomic_load_explicit(&r->starved, memory_order_relaxed));
}
/* Give a stopped loop to the rank (a jdi_after's function); all spare ones of w.  Take one, or NULL. */
void jdi_crowd_give(jd_self *loop, void *rank);
void jdi_crowd_give_all(struct jdi_worker *w);
jd_self *jdi_crowd_take(struct jdi_rank *r);

#endif
