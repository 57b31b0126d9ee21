/*
 * ownstack.h - tasks that run on a stack of their own, because their row asks for one.
 *
 * Role: puts another function into the rows of the task table that have `stack`.
 * Owner: the communication thread, before the workers start and after they have ended.
 * Invariants: I1 rows without `stack` are as the program wrote them.
 * See: sched/ownstack.c; jd_task_def in jackdaw.h.
 */
#ifndef JDI_SCHED_OWNSTACK_H
#define JDI_SCHED_OWNSTACK_H

#include "sched/rank.h"

/* After the table was read, and before anything keeps a pointer to its rows.  0, or JD_ENOMEM. */
int jdi_ownstack_init(struct jdi_rank *r);
void jdi_ownstack_fini(struct jdi_rank *r);

#endif
