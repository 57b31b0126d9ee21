/*
 * pools.h - the pool of a rank, made when the first finish in the job is opened.
 *
 * Role: what launch calls.  The rest of the runtime reaches the pool through its kind and through
 *       the rank's hook for unknown collections.
 * Owner: the communication thread.
 * See: sched/finish/pools.c; sched/finish/pool.h.
 */
#ifndef JDI_SCHED_FINISH_POOLS_H
#define JDI_SCHED_FINISH_POOLS_H

#include "sched/rank.h"

/* Install handlers and hooks.  Called once, before the first barrier of the job. */
void jdi_pools_init(struct jdi_rank *r);
/* Check the sums of all ranks at the end of the job, after the streams were joined.  Collective. */
void jdi_pools_audit(struct jdi_rank *r);
/* How many finishes a worker, or one behind the last of them the communication thread, has opened.  Any thread. */
uint64_t jdi_pools_opened(const struct jdi_rank *r, unsigned owner);
/* How many tasks of finishes the rank has run.  Any thread: a number of another one may be old. */
uint64_t jdi_pools_ran(const struct jdi_rank *r);
void jdi_pools_free(struct jdi_rank *r);

#endif
