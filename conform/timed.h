/*
 * timed.h - detectors at scale, in virtual time.
 *
 * Role: up to 65,536 ranks and more, with a work load and a law of delays: how long after
 *       true quiescence the end is known, what it cost, and what was sent too early.
 * Owner: one thread.
 * Invariants: I1 the same config gives the same result.
 *             I2 the oracle is exact: quiescence is the instant at which the last task ends.
 *             I3 the tasks of a rank run side by side; the detector's step is called after
 *                every change at once; a control message occupies its sender and its
 *                receiver for JDI_TIMED_WORK ns each, so that nobody has a thousand friends.
 *             I4 what has not ended after so many events is said to hang.
 * See: doc/jackdaw-tdtest.1.md; bench/td_latency.sh.
 */
#ifndef JDI_CONFORM_TIMED_H
#define JDI_CONFORM_TIMED_H

#include "core/base.h"
#include "termination/detector.h"

/* Of a hop; the mean is JDI_TIMED_HOP ns in each. */
enum jdi_timed_law {
    JDI_TIMED_CONSTANT,
    JDI_TIMED_UNIFORM, /* 0.1 to 1.9 */
    JDI_TIMED_HEAVY,   /* Pareto with exponent 1.5, from a third up, cut at 1000 */
    JDI_TIMED_LAWS
};

enum jdi_timed_work {
    JDI_TIMED_IDLE,     /* no task at all */
    JDI_TIMED_DIFFUSE,  /* one task, which divides over random ranks */
    JDI_TIMED_BUSY,     /* every rank has long work and sends short tasks to others */
    JDI_TIMED_BURST,    /* one task that sleeps long and sends sixteen, ten times */
    JDI_TIMED_PINGPONG, /* one task that goes from rank to rank */
    JDI_TIMED_LATE,     /* one task message arrives fifty hops after everything else */
    JDI_TIMED_WORKS
};

enum { JDI_TIMED_HOP = 1000, JDI_TIMED_WORK = 50 };

struct jdi_timed_config {
    const struct jdi_td_ops *ops;
    uint32_t ranks;
    unsigned arity;
    enum jdi_timed_law law;
    enum jdi_timed_work work;
    uint64_t seed;
    uint64_t pause_min, pause_max; /* ns, as in the detector's config */
};

struct jdi_timed_result {
    char text[160];   /* what was wrong, in the words of world.h; empty: nothing */
    double root, all; /* hops from quiescence to the first announcement, the last */
    uint64_t tasks, messages; /* task messages */
    uint64_t control;         /* control messages: all, */
    uint64_t early;           /* sent before quiescence, */
    uint64_t by_busy;         /* other than down the tree by a rank with a live task, */
    uint64_t over_busy;       /* up the tree with a live task below, */
    uint64_t all_busy;        /* and while every rank had one */
    uint64_t waves, failed, failed_after; /* of rank 0; after quiescence */
};

/* May abort, if the detector does. */
void jdi_timed_run(const struct jdi_timed_config *c, struct jdi_timed_result *r);
const char *jdi_timed_law_name(enum jdi_timed_law law);
const char *jdi_timed_work_name(enum jdi_timed_work work);

#endif
