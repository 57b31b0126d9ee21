/*
 * cancel.h - stopping a finish: the way of a cancellation to every task of it.
 *
 * Role: the names of what has been cancelled, and the end of the job.
 * Owner: the communication hand, but where it says so.
 * Invariants: C1 to C4 of doc/async.md.
 * See: doc/async.md "Cancellation"; sched/finish/cancel.c.
 */
#ifndef JDI_SCHED_FINISH_CANCEL_H
#define JDI_SCHED_FINISH_CANCEL_H

#include "sched/finish/pool.h"

/* The handlers of CANCEL, CANCELLED and OVER. */
void jdi_cancel_init(struct jdi_rank *r);
/* Has this rank heard that it was cancelled? */
bool jdi_cancel_known(const struct jdi_pool *a, jd_finish_id id);
/* A cancelled finish has ended: root, still whole, at its hand. */
void jdi_cancel_over(struct jdi_part *root);
/* The end of the job, streams joined, on all ranks: poll until what ranks have told each
 * other has arrived; then free what is left of a job that has failed. */
void jdi_cancel_settle(struct jdi_rank *r);
void jdi_cancel_free(struct jdi_pool *a);

#endif
