/*
 * progress.h - how far the job is: the line of JACKDAW_PROGRESS, and jd_progress.
 *
 * Role: each rank tells rank 0 what it has done, now and then, and rank 0 writes a line for people.
 * Owner: the communication thread.  jd_progress: any worker.
 * Invariants: I1 a rank sends one message in an interval, none if it has done nothing since the last one, and
 *                no other one before that has left.
 *             I2 without JACKDAW_PROGRESS there is no hook, and nothing is sent.
 *             I3 the last line is of sums that all ranks have made together when no task is left.
 * See: sched/live/readout.h; doc/am.md "Progress"; test/sim/sched_progress_*.
 */
#ifndef JDI_SCHED_LIVE_PROGRESS_H
#define JDI_SCHED_LIVE_PROGRESS_H

#include "sched/rank.h"

struct jdi_tally;

/* What LIVE says: `what`. */
enum { JDI_PROGRESS_TALLY = 1 };

/* Before the first message. */
void jdi_progress_init(struct jdi_rank *r);
/* After the knobs are read, all ranks.  Ends the job if the interval is too short for this network. */
void jdi_progress_begin(struct jdi_rank *r);
/* The workers have ended, and no message is under way: all ranks; the last line. */
void jdi_progress_end(struct jdi_rank *r);

/* What this rank has done.  `ended`: the threads have ended, so their clocks stand. */
void jdi_progress_tally(struct jdi_rank *r, bool ended, struct jdi_tally *out);

#endif
