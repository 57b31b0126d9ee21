/*
 * unblock.h - the one place through which a stopped ULT becomes ready again.
 *
 * Role: decides on which worker the ULT goes on, hands the ULT over, wakes that worker.
 * Owner: any thread may call; the ULT is the caller's until the call, the worker's afterwards.
 * Invariants: I1 every stopped ULT becomes ready by exactly one call.
 * Order: [pair: lock] what the caller wrote before what the ULT does next.
 * See: sched/self.c has the states of a ULT; sched/unblock.c.
 */
#ifndef JDI_SCHED_UNBLOCK_H
#define JDI_SCHED_UNBLOCK_H

#include "sched/worker.h"

/* `by` is the worker on which the caller runs, or NULL if the caller runs on no worker (the
 * communication thread, a thread of the program).  `stopped` may run, and be gone, before this
 * returns. */
void jdi_unblock(struct jdi_worker *by, jd_self *stopped);

#endif
