/*
 * phased.h - tasks that are registered with phasers from their spawn to their end.
 *
 * Role: runs and drops the tasks of jd_async_phased.
 * Owner: the worker that runs or drops the task.
 * See: doc/phasers.md; sched/wait/phaser.h.
 */
#ifndef JDI_SCHED_FINISH_PHASED_H
#define JDI_SCHED_FINISH_PHASED_H

#include "sched/rank.h"
#include "sched/task.h"

/* The argument of a task with JDI_TASK_PHASED. */
void *jdi_phased_arg(const struct jdi_task *t);
/* Run such a task; in the end it is registered with nothing. */
void jdi_phased_run(jd_self *me, struct jdi_task *t);
/* Free the blocks that are kept, before jdi_phaser_free_all. */
void jdi_phased_free_all(struct jdi_rank *r);
/* Such a task will not run, and its argument is gone. */
void jdi_phased_drop(struct jdi_rank *r, struct jdi_task *t);

#endif
