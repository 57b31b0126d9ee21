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

/* Plain; with each task recorded (sched/traces.h); with each task measured (sched/stopwatch.h); with both. */
extern const struct jdi_kind jdi_plain_kind, jdi_plain_traced, jdi_plain_timed,
    jdi_plain_timed_traced;

/* How tasks of such a collection travel in this layout. */
struct jdi_codec jdi_plain_codec(const jd_coll *c, enum jdi_tasks_layout layout);

#endif
