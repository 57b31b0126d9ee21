/*
 * count.h - what the threads of a rank have counted until now.
 *
 * Role: brings together what a thread's counters, its clock, the transport, and collections that go on have.
 * Owner: the communication thread.
 * Invariants: I1 what a phase adds to the counters of a thread when it ends is in here before that.
 * Order: none: a number of another thread is read relaxed, and may be old.
 * See: core/stats.def; sched/launch/gather.c, at the end of a job; jd_stats, in between.
 */
#ifndef JDI_SCHED_LIVE_COUNT_H
#define JDI_SCHED_LIVE_COUNT_H

#include "core/stats.h"
#include "sched/rank.h"

/* Thread i of the rank: a worker, or, one behind the last of them, what the communication thread has counted.
 * `ended`: the threads have ended, so their clocks stand. */
void jdi_count_thread(struct jdi_rank *r, unsigned i, bool ended, struct jdi_stats *out);

#endif
