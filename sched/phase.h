/*
 * phase.h - a phase of a collection at one rank: its begin, tasks that come early, its end.
 *
 * Role: what every kind with phases has in common.
 * Owner: the communication thread.
 * Invariants: I1 tasks of a phase that this rank has not entered lie in c->held, on no shelf.
 * See: coll.h for the states; sched/kind.h, land and announced; doc/termination.md R2, R9.
 */
#ifndef JDI_SCHED_PHASE_H
#define JDI_SCHED_PHASE_H

#include "sched/coll.h"

/* This rank enters the next phase of c, with the tasks that came early. */
void jdi_phase_begin(jd_coll *c);
/* For a kind's unpack, in a handler: the detector reads the stamp of the message.  True if the tasks are of
 * the phase in which this rank is.  False if a copy is kept, because its phase has not begun
 * here; the kind's land gets that copy on entering the phase.  Ends the job when out of memory. */
bool jdi_phase_arrived(jd_coll *c, const struct jdi_am_in *in);
/* For a kind's announced: the phase has ended on all ranks, on which so many tasks ran.  Resumes
 * the body that waits. */
void jdi_phase_end(jd_coll *c, uint32_t phase, uint64_t all_executed);

#endif
