/*
 * clock.h - what a thread has spent its time on.
 *
 * Role: the time of each part of the life of a worker, or of a communication thread.
 * Owner: the thread whose time it is.
 * Invariants: I1 the parts sum to the time from the start to the last booking.
 *             I2 no part is what the others leave over: each piece of time is booked when it ends, by
 *                whoever knows what it was.
 * See: core/stats.def, which has the sums; test/unit/core_clock_*, test/sim/sched_parts_of_time_are_exact.c.
 */
#ifndef JDI_CORE_CLOCK_H
#define JDI_CORE_CLOCK_H

#include "core/stats.h"

/* The parts of a thread's life.
 *   WORK      the program: its bodies, its tasks, and what the runtime does for them in between
 *   STEAL     looking for work: on the shelves of the rank and at other ranks
 *   IDLE      asleep, or pausing between two looks
 *   PROGRESS  in the network: what polls, handlers and calls of other threads take
 *   DETECT    in the detector of the end of all work */
enum jdi_activity {
    JDI_ACT_WORK,
    JDI_ACT_STEAL,
    JDI_ACT_IDLE,
    JDI_ACT_PROGRESS,
    JDI_ACT_DETECT,
    JDI_ACTIVITIES
};

struct jdi_clock {
    uint64_t since; /* everything before is booked, ns */
    uint64_t ns[JDI_ACTIVITIES];
    /* Both as read at the start; once the thread has ended, how much has passed since then, ns. */
    uint64_t life, cpu; /* time, and processor time of the thread */
};

/* `cpu_ns`: the processor time that the thread has taken so far. */
void jdi_clock_start(struct jdi_clock *c, uint64_t now_ns, uint64_t cpu_ns);
/* The same at the end, which is an end of `a`. */
void jdi_clock_end(struct jdi_clock *c, enum jdi_activity a, uint64_t now_ns,
                   uint64_t cpu_ns);
/* What has passed since the last booking was `a`. */
static inline void jdi_clock_book(struct jdi_clock *c, enum jdi_activity a,
                                  uint64_t now_ns)
{
    jdi_stats_count(&c->ns[a], now_ns - c->since);
    jdi_stats_set(&c->since, now_ns);
}

#endif
