/*
 * tracer.h - what one thread records its events with.
 *
 * Role: an event into the tracer's chunk; another chunk when that is full.
 * Owner: one thread.
 * Invariants: I1 a tracer has up to `share` chunks; when it has no more to take, it begins its oldest anew.
 *             I2 in a file with ticks each chunk begins with a CLOCK event.
 * Order: [pair: trace-count] an event before the `count` that includes it.
 * See: doc/trace.md; core/trace.h; core/ticks.h; sched/traces.h.
 */
#ifndef JDI_CORE_TRACER_H
#define JDI_CORE_TRACER_H

#include "core/ticks.h"
#include "core/time.h"
#include "core/trace.h"

/* How far apart, in ticks, a tracer compares counter and clock: some 10 ms where the counter is fast. */
enum { JDI_TRACER_COMPARE = 1 << 25 };

struct jdi_tracer {
    struct jdi_trace_event *at, *end;
    struct jdi_trace_chunk *chunk; /* NULL: there was no room */
    struct jdi_trace_file *file;
    uint32_t rank;
    uint16_t owner;
    bool tasks;         /* tasks are recorded, too */
    bool ticks;         /* the clock of the file is the counter */
    uint64_t compared;  /* with the clock, ticks */
    double ns_each;     /* of a tick, about: for probes */
    uint32_t n, oldest; /* chunks that it has; which of them is the oldest */
    uint64_t sequence;  /* of the next one */
    uint64_t dropped;
    uint32_t index[]; /* share: the numbers of its chunks */
};

/* NULL when out of memory.  Freed by jdi_free after jdi_tracer_end. */
struct jdi_tracer *jdi_tracer_new(struct jdi_trace_file *f, uint32_t rank, uint16_t owner,
                                  bool tasks);
/* The last event was written.  Returns how many events had no room at all. */
uint64_t jdi_tracer_end(struct jdi_tracer *t);
/* Have room for an event, in another chunk; false: there is none. */
bool jdi_tracer_turn(struct jdi_tracer *t);

/* Compare counter and clock now, and record that.  Only with `ticks`. */
void jdi_tracer_compare(struct jdi_tracer *t);

/* What time it is, for events.  `time` is the clock of the rank. */
static inline uint64_t jdi_tracer_now(const struct jdi_tracer *t,
                                      const struct jdi_time *time)
{
    return JDI_LIKELY(t->ticks) ? jdi_ticks_read() : jdi_time_now(time);
}

/* The same for what happens in a task, which in virtual time may have begun at a moment that nobody has been charged for
 * yet. */
static inline uint64_t jdi_tracer_moment(const struct jdi_tracer *t,
                                         const struct jdi_time *time)
{
    uint64_t now = jdi_tracer_now(t, time);
    return t->chunk && t->chunk->row && t->chunk->since > now ? t->chunk->since : now;
}

/* At `now`, at an event that is not one of many: have counter and clock compared, if that is long ago. */
static inline void jdi_tracer_rests(struct jdi_tracer *t, uint64_t now)
{
    if (t->ticks && JDI_UNLIKELY(now > t->compared + JDI_TRACER_COMPARE))
        jdi_tracer_compare(t);
}

/* Record an event.  The thread of the tracer. */
static inline void jdi_tracer_put(struct jdi_tracer *t, enum jdi_trace_kind kind,
                                  uint16_t row, uint64_t a, uint64_t ns, uint64_t b)
{
    if (JDI_UNLIKELY(t->at == t->end) && !jdi_tracer_turn(t))
        return;
    a = a < JDI_TRACE_A_MOST ? a : JDI_TRACE_A_MOST;
    *t->at++ = (struct jdi_trace_event){
        .ns = ns, .b = b, .word = (uint64_t)kind | (uint64_t)row << 8 | a << 24};
    uint32_t n = atomic_load_explicit(&t->chunk->count, memory_order_relaxed);
    /* [pair: trace-count] release: the event. */
    atomic_store_explicit(&t->chunk->count, n + 1, memory_order_release);
}

/* The thread has slept from `from` to `to`. */
static inline void jdi_tracer_slept(struct jdi_tracer *t, uint16_t row, uint64_t from,
                                    uint64_t to)
{
    for (; to > from && to - from > JDI_TRACE_A_MOST; from += JDI_TRACE_A_MOST)
        jdi_tracer_put(t, JDI_TRACE_SLEEP, row, JDI_TRACE_A_MOST, from, 0);
    jdi_tracer_put(t, JDI_TRACE_SLEEP, row, to > from ? to - from : 0, from, 0);
    jdi_tracer_rests(t, to);
}

/* A task of that row begins. */
static inline void jdi_tracer_starts(struct jdi_tracer *t, uint32_t row, uint64_t ns)
{
    if (JDI_UNLIKELY(!t->chunk))
        return;
    t->chunk->since = ns;
    t->chunk->row = row + 1;
}

/* At `now` no task runs any more. */
static inline void jdi_tracer_pauses(struct jdi_tracer *t, uint64_t now)
{
    jdi_tracer_starts(t, UINT32_MAX, now);
    jdi_tracer_rests(t, now);
}

/* A task has run from `from` to `to`.  A processor may read the counter a few ticks too early. */
static inline void jdi_tracer_task(struct jdi_tracer *t, uint16_t row, uint64_t from,
                                   uint64_t to, uint64_t id)
{
    uint64_t ns = JDI_LIKELY(to > from) ? to - from : 0;
    if (JDI_LIKELY(ns < JDI_TRACE_A_MOST))
        jdi_tracer_put(t, JDI_TRACE_TASK, row, ns, from, id);
    else
        jdi_tracer_put(t, JDI_TRACE_TASK_LONG, row, ns / 1000, from, id);
}

#endif
