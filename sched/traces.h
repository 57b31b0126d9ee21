/*
 * traces.h - what a rank records: JACKDAW_TRACE.
 *
 * Role: the file of a rank's traces, a tracer for each of its threads, and how a thread records.
 * Owner: the communication thread makes and ends all; each thread uses its own tracer.
 * Invariants: I1 without JACKDAW_TRACE there are no tracers, and no task is asked for one: a
 *                collection gets a kind that records when it is made.
 *             I2 where something is recorded is its probe, too (core/probes.h).
 * See: core/trace.h; doc/trace.md.
 */
#ifndef JDI_SCHED_TRACES_H
#define JDI_SCHED_TRACES_H

#include "core/probes.h"
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

/* Are tasks recorded, or does anybody look at their probes?  Asked when a collection is made. */
static inline bool jdi_traces_tasks(const struct jdi_rank *r)
{
    return (r->tracer && r->tracer->tasks) || jdi_probes_on(JDI_TRACE_TASK) ||
           jdi_probes_on(JDI_TRACE_SPAWN) || jdi_probes_on(JDI_TRACE_ASYNC);
}

/* What time it is, for what is recorded. */
static inline uint64_t jdi_traces_clock(const struct jdi_rank *r,
                                        const struct jdi_tracer *t)
{
    return JDI_LIKELY(t != NULL) ? jdi_tracer_now(t, r->am->time) : jdi_rank_now(r);
}
static inline uint64_t jdi_traces_now(const struct jdi_worker *w)
{
    return jdi_traces_clock(w->rank, w->tracer);
}
/* So long by that clock, in ns. */
static inline uint64_t jdi_traces_ns(const struct jdi_tracer *t, uint64_t from,
                                     uint64_t to)
{
    uint64_t passed = to > from ? to - from : 0;
    return t && t->ticks ? (uint64_t)((double)passed * t->ns_each) : passed;
}

/* Record what happens now, with a tracer of the rank. */
static inline void jdi_traces_add(const struct jdi_rank *r, struct jdi_tracer *t,
                                  enum jdi_trace_kind kind, unsigned row, uint64_t a,
                                  uint64_t b)
{
    uint64_t now = jdi_tracer_moment(t, r->am->time);
    jdi_tracer_put(t, kind, (uint16_t)row, a, now, b);
    jdi_tracer_rests(t, now);
}
/* Record what happens now on this worker.  Its stream. */
JDI_PROBES_INLINE void jdi_traces_put(const struct jdi_worker *w,
                                      enum jdi_trace_kind kind, unsigned row, uint64_t a,
                                      uint64_t b)
{
    if (jdi_probes_on(kind))
        jdi_probes_fire(kind, w->rank->am->rank, w->index, row, a, b);
    if (JDI_UNLIKELY(w->tracer != NULL))
        jdi_traces_add(w->rank, w->tracer, kind, row, a, b);
}
/* The same for the communication thread. */
JDI_PROBES_INLINE void jdi_traces_comm(const struct jdi_rank *r, enum jdi_trace_kind kind,
                                       unsigned row, uint64_t a, uint64_t b)
{
    if (jdi_probes_on(kind))
        jdi_probes_fire(kind, r->am->rank, r->nworkers, row, a, b);
    if (JDI_UNLIKELY(r->tracer != NULL))
        jdi_traces_add(r, r->tracer, kind, row, a, b);
}
/* The thread falls asleep: since when, for jdi_traces_slept. */
JDI_PROBES_INLINE uint64_t jdi_traces_sleeps(const struct jdi_rank *r,
                                             const struct jdi_tracer *t)
{
    return JDI_UNLIKELY(t != NULL) || jdi_probes_on(JDI_TRACE_SLEEP)
               ? jdi_traces_clock(r, t)
               : 0;
}
/* It has slept from `from` to now; 0: nobody looked at its probe then. */
JDI_PROBES_INLINE void jdi_traces_slept(const struct jdi_rank *r, struct jdi_tracer *t,
                                        unsigned thread, uint64_t from)
{
    if (JDI_LIKELY(!from))
        return;
    uint64_t now = jdi_traces_clock(r, t);
    if (jdi_probes_on(JDI_TRACE_SLEEP))
        jdi_probes_fire(JDI_TRACE_SLEEP, r->am->rank, thread, JDI_TRACES_NO_ROW,
                        jdi_traces_ns(t, from, now), 0);
    if (t)
        jdi_tracer_slept(t, JDI_TRACES_NO_ROW, from, now);
}
/* The communication thread looks for messages: since when, for jdi_traces_polled. */
JDI_PROBES_INLINE uint64_t jdi_traces_polls(const struct jdi_rank *r)
{
    return JDI_UNLIKELY(r->tracer != NULL) || jdi_probes_on(JDI_TRACE_POLL)
               ? jdi_traces_clock(r, r->tracer)
               : 0;
}
/* `messages` have come since `from`; 0: nobody looked then. */
JDI_PROBES_INLINE void jdi_traces_polled(const struct jdi_rank *r, uint64_t from,
                                         uint64_t messages)
{
    if (JDI_LIKELY(!from) || !messages)
        return;
    uint64_t now = jdi_traces_clock(r, r->tracer);
    if (jdi_probes_on(JDI_TRACE_POLL))
        jdi_probes_fire(JDI_TRACE_POLL, r->am->rank, r->nworkers, 0,
                        jdi_traces_ns(r->tracer, from, now), messages);
    if (!r->tracer)
        return;
    jdi_tracer_put(r->tracer, JDI_TRACE_POLL, 0, now > from ? now - from : 0, from,
                   messages);
    jdi_tracer_rests(r->tracer, now);
}
/* A ULT stops for a cause of enum jdi_cause_kind, or yields (JDI_CAUSE_NONE), or goes on. */
JDI_PROBES_INLINE void jdi_traces_ult(const jd_self *me, enum jdi_trace_kind kind,
                                      unsigned cause)
{
    jdi_traces_put(me->worker, kind, me->coll ? me->task : JDI_TRACES_NO_ROW, cause,
                   (uintptr_t)me);
}

/* The task that runs on this worker spawns one into the finish `number` of rank `home`. */
JDI_PROBES_INLINE void jdi_traces_async(const struct jdi_worker *w, uint16_t home,
                                        uint64_t number, uint64_t id)
{
    struct jdi_tracer *t = w->tracer;
    if (jdi_probes_on(JDI_TRACE_ASYNC))
        jdi_probes_fire(JDI_TRACE_ASYNC, w->rank->am->rank, w->index, home, number, id);
    if (!t || !t->tasks)
        return;
    uint64_t now = jdi_tracer_moment(t, w->rank->am->time);
    jdi_tracer_put(t, JDI_TRACE_ASYNC, home, number & JDI_TRACE_A_MOST, now, id);
}

/* ---- tasks: in the kinds that record, whose worker may still have no tracer --------------- */

/* A task of that row begins. */
static inline void jdi_traces_starts(const struct jdi_worker *w, uint32_t row,
                                     uint64_t from)
{
    if (JDI_LIKELY(w->tracer != NULL))
        jdi_tracer_starts(w->tracer, row, from);
}
/* None runs any more. */
static inline void jdi_traces_pauses(const struct jdi_worker *w, uint64_t now)
{
    if (JDI_LIKELY(w->tracer != NULL))
        jdi_tracer_pauses(w->tracer, now);
}
/* One has run. */
JDI_PROBES_INLINE void jdi_traces_task(const struct jdi_worker *w, uint16_t row,
                                       uint64_t from, uint64_t to, uint64_t id)
{
    struct jdi_tracer *t = w->tracer;
    if (jdi_probes_on(JDI_TRACE_TASK))
        jdi_probes_fire(JDI_TRACE_TASK, w->rank->am->rank, w->index, row,
                        jdi_traces_ns(t, from, to), id);
    if (JDI_LIKELY(t != NULL) && JDI_LIKELY(t->tasks))
        jdi_tracer_task(t, row, from, to, id);
}
/* It has added `n` tasks, of which `first` is the first. */
JDI_PROBES_INLINE void jdi_traces_spawned(const struct jdi_worker *w, unsigned coll,
                                          uint64_t n, uint64_t at, uint64_t first)
{
    struct jdi_tracer *t = w->tracer;
    if (jdi_probes_on(JDI_TRACE_SPAWN))
        jdi_probes_fire(JDI_TRACE_SPAWN, w->rank->am->rank, w->index, coll, n, first);
    if (JDI_LIKELY(t != NULL) && JDI_LIKELY(t->tasks))
        jdi_tracer_put(t, JDI_TRACE_SPAWN, (uint16_t)coll, n, at, first);
}

#endif
