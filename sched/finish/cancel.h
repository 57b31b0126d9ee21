/*
 * cancel.h - stopping a finish: how a cancellation reaches every task of the finish.
 *
 * Role: keeps the names of cancelled finishes, and settles them at the end of the job.
 * Owner: the communication hand, unless a function says otherwise.
 * Invariants: C1 to C4 of doc/async.md.
 * See: doc/async.md "Cancellation"; sched/finish/cancel.c.
 */
#ifndef JDI_SCHED_FINISH_CANCEL_H
#define JDI_SCHED_FINISH_CANCEL_H

#include "sched/finish/pool.h"

/* The handlers of CANCEL, CANCELLED and OVER. */
void jdi_cancel_init(struct jdi_rank *r);
/* Has this rank heard that the finish was cancelled? */
bool jdi_cancel_known(const struct jdi_pool *a, jd_finish_id id);
/* A cancelled finish has ended.  Called by the hand of its root, while the root is still valid. */
void jdi_cancel_over(struct jdi_part *root);
/* Settle, at the end of the job, on all ranks, after the streams were joined: poll until every
 * message about cancellations has arrived.  Then free what a failed job has left. */
void jdi_cancel_settle(struct jdi_rank *r);
void jdi_cancel_free(struct jdi_pool *a);

#endif
