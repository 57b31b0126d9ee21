/*
 * unblock.h - the one place through which a stopped ULT becomes ready again.
 *
 * Role: decides on which worker it goes on, hands it over, wakes that worker.
 * Owner: any thread; the ULT is the caller's until the call, the worker's afterwards.
 * Invariants: I1 every stopped ULT becomes ready by exactly one call.
 * Order: [pair: mailbox-head] what the caller wrote before what the ULT does next.
 * See: sched/self.c has the states of a ULT; sched/unblock.c.
 */
#ifndef JDI_SCHED_UNBLOCK_H
#define JDI_SCHED_UNBLOCK_H

#include "sched/worker.h"

/* `by`: the worker on which the caller runs; NULL: it runs on none (the communication thread,
 * a thread of the program).  `stopped` may run, and be gone, before this returns. */
void jdi_unblock(struct jdi_worker *by, jd_self *stopped);

#endif
