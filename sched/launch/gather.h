/*
 * gather.h - what all ranks have counted, at the end of a job.
 *
 * Role: sees whether the files that JACKDAW_STATS names can be written, brings the counters of all ranks to
 *       rank 0, and writes.
 * Owner: the communication thread, before the workers start and after they have ended.
 * Invariants: I1 who cannot write a file says so at the start, with status 75, before work is lost.
 * See: core/figures.h; doc/am.md "Figures"; doc/jackdaw-stats.7.md.
 */
#ifndef JDI_SCHED_LAUNCH_GATHER_H
#define JDI_SCHED_LAUNCH_GATHER_H

#include "sched/rank.h"

/* The handler of FIGURES; before the first message. */
void jdi_gather_init(struct jdi_rank *r);
/* After the knobs are read and the ranks are placed: all ranks.  Sets r->gather if there is something to do. */
void jdi_gather_begin(struct jdi_rank *r);
/* The workers have ended, and no message is under way: rank 0 waits for the others'. */
void jdi_gather_meet(struct jdi_rank *r);
/* Print and write; free r->gather. */
void jdi_gather_end(struct jdi_rank *r);

#endif
