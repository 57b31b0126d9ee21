/*
 * clock.h - what a thread has spent its time on.
 *
 * Role: the time of each activity of a worker, or of a communication thread.
 * Owner: the thread whose time it is.
 * Invariants: I1 at any switch the parts sum to the time since the start.
 * See: core/stats.def, which has the sums; test/unit/core_clock_*.
 */
#ifndef JDI_CORE_CLOCK_H
#define JDI_CORE_CLOCK_H

#include "core/base.h"

/* The activities of a worker; their times sum to its lifetime. */
enum jdi_activity { JDI_ACT_WORK = 1, JDI_ACT_STEAL, JDI_ACT_IDLE, JDI_ACT_PROGRESS };

struct jdi_clock {
    enum jdi_activity now;
    uint64_t since, ns[JDI_ACT_PROGRESS + 1];
};

void jdi_clock_start(struct jdi_clock *c, enum jdi_activity a, uint64_t now_ns);
/* Close the present activity at now_ns and go on with `a`; nothing happens if `a` is the same. */
void jdi_clock_switch(struct jdi_clock *c, enum jdi_activity a, uint64_t now_ns);

#endif
