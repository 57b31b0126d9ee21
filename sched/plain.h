/*
 * plain.h - the collections that programs make: the kinds behind jd_coll_create.
 *
 * Role: runs, counts and packs their tasks; ends their phases.  The timed kind measures each task, too.
 * Invariants: I1 and I2 of account.h.
 * See: sched/kind.h, which has the threads; sched/coll_api.c.
 */
#ifndef JDI_SCHED_PLAIN_H
#define JDI_SCHED_PLAIN_H

#include "sched/codec.h"
#include "sched/coll.h"

/* With each task recorded (sched/traces.h); with each task measured (sched/stopwatch.h); with each task named
 * (sched/recall.h). */
enum { JDI_PLAIN_TRACED = 1, JDI_PLAIN_TIMED = 2, JDI_PLAIN_NAMED = 4 };
/* The kind with these ways to run tasks, or none of them. */
const struct jdi_kind *jdi_plain_of(unsigned ways);
/* Some of them, by name. */
extern const struct jdi_kind jdi_plain_kind, jdi_plain_timed;

/* How tasks of such a collection travel in this layout. */
struct jdi_codec jdi_plain_codec(const jd_coll *c, enum jdi_tasks_layout layout);

#endif
