/*
 * range.h - running tasks that are ranges of jd_forasync.
 *
 * Role: runs such a task, which divides itself.
 * Owner: whoever owns the task.
 * Invariants: I1 the caller's bytes, which are all that hooks know, are `size` bytes at `arg`.
 * See: doc/async.md "Ranges"; sched/finish/range.c.
 */
#ifndef JDI_SCHED_FINISH_RANGE_H
#define JDI_SCHED_FINISH_RANGE_H

#include "sched/task.h"

/* Run a task that is a range; arg as it lies in the slot.  The ULT that popped it. */
void jdi_range_run(jd_self *me, jd_task fn, void *arg);

#endif
