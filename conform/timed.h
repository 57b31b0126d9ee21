/*
 * timed.h - detectors at scale, in virtual time.
 *
 * Role: up to 65,536 ranks and more, with a work load and a law of delays: how long after
 *       true quiescence the end is known, what it cost, and what was sent too early.
 * Invariants: I1 the same config gives the same result.
 *             I2 the oracle is exact: quiescence is the instant at which the last task ends, or
 *                the last rank enters.
 *             I3 the tasks of a rank run side by side; the detector's step is called after
 *                every change at once; a control message occupies its sender and its
 *                receiver for JDI_TIMED_WORK ns each, so that nobody has a thousand friends.
 *             I4 what has not ended after so many events is said to hang.
 * See: conform.h for loads and figures; load.c, toll.c; doc/jackdaw-tdtest.1.md;
 *      bench/td_latency.sh.
 */
#ifndef JDI_CONFORM_TIMED_H
#define JDI_CONFORM_TIMED_H

#include "conform/conform.h"
#include "conform/world.h"

enum { JDI_TIMED_HOP = 1000, JDI_TIMED_WORK = 50, JDI_TIMED_ARITY = 4 };

/* What is a fault beyond it; all after quiescence. */
struct jdi_timed_bounds {
    uint32_t waves; /* messages from a rank to another, calls in a row of a lone rank */
    uint64_t hops;  /* messages in a row */
    uint64_t sent;  /* messages of one rank */
    uint64_t pause; /* ns in which nothing is under way */
};

/* As the trace of a world, with ranks beyond a byte. */
struct jdi_timed_event {
    uint8_t kind, said, ended, flag;
    uint32_t rank, peer, phase;
    int32_t sum;
};

struct jdi_timed_trace {
    uint64_t count;
    struct jdi_timed_event event[JDI_WORLD_TRACE];
};

/* May abort, if the detector does.  The text is empty if nothing is wrong, else in the words of
 * oracle.h.  The trace may be NULL. */
void jdi_timed_run(const struct jdi_td_ops *ops, const struct jd_conform_load *c,
                   const struct jdi_timed_bounds *bounds, struct jd_conform_timing *r,
                   struct jdi_timed_trace *trace);

#endif
