/*
 * timed.h - detectors at scale, in virtual time.
 *
 * Role: up to 65,536 ranks and more, with a work load and a law of delays: how long after
 *       true quiescence the end is known, what it cost, and what was sent too early.
 * Invariants: I1 the same config gives the same result.
 *             I2 the oracle is exact: quiescence is the instant at which the last task ends.
 *             I3 the tasks of a rank run side by side; the detector's step is called after
 *                every change at once; a control message occupies its sender and its
 *                receiver for JDI_TIMED_WORK ns each, so that nobody has a thousand friends.
 *             I4 what has not ended after so many events is said to hang.
 * See: conform.h for loads and figures; doc/jackdaw-tdtest.1.md; bench/td_latency.sh.
 */
#ifndef JDI_CONFORM_TIMED_H
#define JDI_CONFORM_TIMED_H

#include "conform/conform.h"
#include "termination/detector.h"

enum { JDI_TIMED_HOP = 1000, JDI_TIMED_WORK = 50, JDI_TIMED_ARITY = 4 };

/* May abort, if the detector does.  The text is empty if nothing is wrong, else in the words of
 * oracle.h. */
void jdi_timed_run(const struct jdi_td_ops *ops, const struct jd_conform_load *c,
                   struct jd_conform_timing *r);

#endif
