/*
 * range.h - running tasks that are ranges of jd_forasync.
 *
 * Role: runs a task that is a range; such a task splits itself.
 * Owner: whoever owns the task.
 * Invariants: I1 the caller's argument is `size` bytes at `arg`; hooks see only these bytes.
 * See: doc/async.md "Ranges"; sched/finish/range.c.
 */
#ifndef JDI_SCHED_FINISH_RANGE_H
#define JDI_SCHED_FINISH_RANGE_H

#include "sched/task.h"

/* Run a task that is a range; `arg` is a struct jdi_range.  The ULT that popped the task. */
void jdi_range_run(jd_self *me, jd_task fn, void *arg);

#endif
