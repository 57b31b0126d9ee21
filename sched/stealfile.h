/*
 * stealfile.h - the files of steal logs: JACKDAW_STEAL_LOG and JACKDAW_REPLAY.
 *
 * Role: reads the log with which a job begins, keeps what its phases leave, writes that at the end.
 * Owner: the communication thread.
 * Invariants: I1 a job begins only if the file of every rank is whole and of this program and rank.
 *             I2 a file is written whole, when the job has ended well, or not at all.
 * See: doc/steallog.md; sched/steallog.h has the layout.
 */
#ifndef JDI_SCHED_STEALFILE_H
#define JDI_SCHED_STEALFILE_H

#include "sched/rank.h"
#include "sched/steallog.h"

/* Start-up, all ranks: r->stealfile, if one of the two settings is given.  Ends the job if a file cannot be read
 * or written. */
void jdi_stealfile_begin(struct jdi_rank *r);
/* The log of a phase in the file with which the job began. */
bool jdi_stealfile_find(const struct jdi_rank *r, uint32_t coll, uint32_t phase,
                        struct jdi_steallog_part *out);
/* A phase has left a log.  0, or JD_ENOMEM. */
int jdi_stealfile_keep(struct jdi_rank *r, const struct jdi_steallog *l, uint32_t coll,
                       uint32_t phase);
/* The job has ended: write the file.  Then r->stealfile is NULL. */
void jdi_stealfile_end(struct jdi_rank *r);

#endif
