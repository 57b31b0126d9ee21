/*
 * label.h - what a task of a finish is called in a trace.
 *
 * Role: gives each task a number when it is spawned, records that, and finds it again when the task runs.
 * Owner: the thread of the hand that spawns.
 * Invariants: I1 where tasks are recorded each task of a finish has a number, which no other task has until its hand has
 *                spawned 2^32 more.  Elsewhere none has one, and none is asked for it.
 *             I2 the number travels with the task, because it is a part of its argument.
 * See: doc/trace.md "Events"; sched/task.h, struct jdi_label.
 */
#ifndef JDI_SCHED_FINISH_LABEL_H
#define JDI_SCHED_FINISH_LABEL_H

#include "sched/finish/pool.h"

/* How many bytes of the next task's argument are for its number: 0 where tasks are not recorded.  Else *out is the number,
 * and that the caller spawns the task is recorded.  The thread of me->part. */
size_t jdi_label_new(jd_self *me, struct jdi_label *out);
/* The number of a task in a slot; 0: it has none. */
uint64_t jdi_label_number(const struct jdi_task *slot);
/* A task has come from another rank: record its number, if it has one.  Communication thread. */
void jdi_label_came(const struct jdi_rank *r, uint32_t from, struct jdi_task *slot);

#endif
