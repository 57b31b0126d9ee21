/*
 * label.h - what a task of a finish is called in a trace, and in a steal log.
 *
 * Role: gives each task a number and a name, where these are wanted, when it is spawned, and finds them again.
 * Owner: the thread of the hand that spawns.
 * Invariants: I1 where tasks are recorded each task of a finish has a number, which no other task has until its hand has
 *                spawned 2^32 more.  Where steals are logged or replayed, what sched/name.h can name has a name.  Elsewhere
 *                none has a label, and none is asked for it.
 *             I2 the label travels with the task, because it is a part of its argument.
 * See: doc/trace.md "Events"; doc/steallog.md "Finishes"; sched/task.h, struct jdi_label.
 */
#ifndef JDI_SCHED_FINISH_LABEL_H
#define JDI_SCHED_FINISH_LABEL_H

#include "sched/finish/pool.h"

/* How many bytes of the next task's argument are for its label: 0 if it gets none.  Else *out is the label, and that the
 * caller spawns the task is recorded, where that is wanted.  The thread of me->part. */
size_t jdi_label_new(jd_self *me, struct jdi_label *out);
/* The same, of a task that is no range and has no phasers, whose argument has `size` bytes: it can have a name. */
size_t jdi_label_new_named(jd_self *me, jd_task fn, size_t size, struct jdi_label *out);
/* The number of a task in a slot; 0: it has none. */
uint64_t jdi_label_number(const struct jdi_task *slot);
/* A task has come from another rank: record its number, if it has one.  Communication thread. */
void jdi_label_came(const struct jdi_rank *r, uint32_t from, struct jdi_label label);

#endif
