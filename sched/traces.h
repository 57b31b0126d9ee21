/*
 * traces.h - what a rank records: JACKDAW_TRACE.
 *
 * Role: the file of a rank's traces, a tracer for each of its threads, and how a thread records.
 * Owner: the communication thread makes and ends all; each thread uses its own tracer.
 * Invariants: I1 without JACKDAW_TRACE there are no tracers, and no task is asked for one: a
 *                collection gets a kind that records when it is made.
 * See: core/trace.h; doc/trace.md.
 */
#ifndef JDI_SCHED_TRACES_H
#define JDI_SCHED_TRACES_H

#include "core/tracer.h"
#include "sched/worker.h"

/* The row of what is no task: the body, a loop. */
enum { JDI_TRACES_NO_ROW = UINT16_MAX };

/*
 * Start-up: who is the first of those that share a file makes it; after a barrier the others open it, and the
 * threads get their tracers.  Both end the job if that is not possible.
 */
void jdi_traces_make(struct jdi_rank *r);
void jdi_traces_begin(struct jdi_rank *r);
/* The streams have ended.  Returns after the last event of this rank. */
void jdi_traces_end(struct jdi_rank *r);
/* No rank records any more: after a barrier behind jdi_traces_end. */
void jdi_traces_close(struct jdi_rank *r);
/* A collection was made. */
void jdi_traces_name(struct jdi_rank *r, unsigned coll, const char *name);

/* Are tasks recorded? */
static inline bool jdi_traces_tasks(const struct jdi_rank *r)
{
    return r->tracer && r->tracer->tasks;
}

/* Record what happens now on this worker.  Its stream. */
static inline void jdi_traces_put(const struct jdi_worker *w, enum jdi_trace_kind kind,
                                  unsigned row, uint64_t a, uint64_t b)
{
    if (JDI_UNLIKELY(w->tracer != NULL))
        jdi_tracer_put(w->tracer, kind, (uint16_t)row, a, jdi_rank_now(w->rank), b);
}
/* The same for the communication thread. */
static inline void jdi_traces_comm(const struct jdi_rank *r, enum jdi_trace_kind kind,
                                   unsigned row, uint64_t a, uint64_t b)
{
    if (JDI_UNLIKELY(r->tracer != NULL))
        jdi_tracer_put(r->tracer, kind, (uint16_t)row, a, jdi_rank_now(r), b);
}
/* The thread has slept from `from` to now. */
static inline void jdi_traces_slept(struct jdi_tracer *t, uint64_t from, uint64_t now)
{
    if (JDI_UNLIKELY(t != NULL))
        jdi_tracer_put(t, JDI_TRACE_SLEEP, JDI_TRACES_NO_ROW, now - from, from, 0);
}
/* A ULT stops for a cause of enum jdi_cause_kind, or yields (JDI_CAUSE_NONE), or goes on. */
static inline void jdi_traces_ult(const jd_self *me, enum jdi_trace_kind kind,
                                  unsigned cause)
{
    if (JDI_UNLIKELY(me->worker->tracer != NULL))
        jdi_tracer_put(me->worker->tracer, kind, me->coll ? me->task : JDI_TRACES_NO_ROW,
                       cause, jdi_rank_now(me->rank), (uintptr_t)me);
}

#endif
