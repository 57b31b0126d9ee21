/*
 * range.h - what the slot of a task of jd_forasync holds.
 *
 * Role: the layout that running, dropping and moving such a task share.
 * Owner: whoever owns the task.
 * Invariants: I1 the caller's bytes, which are all that hooks know, are `size` bytes at `arg`.
 * See: doc/async.md "Ranges"; sched/finish/range.c.
 */
#ifndef JDI_SCHED_RANGE_H
#define JDI_SCHED_RANGE_H

#include "sched/task.h"

struct jdi_range {
    int64_t begin, end, grain;
    uint32_t size;
    uint32_t spawns; /* 1: its pieces spawn tasks themselves, as has been seen */
    _Alignas(JDI_TASK_ALIGN) unsigned char arg[];
};

/* Bytes of a task's argument before those that hooks know. */
static inline size_t jdi_range_head(const struct jdi_task *t)
{
    return t->flags & JDI_TASK_RANGE ? sizeof(struct jdi_range) : 0;
}

/* Run a task that is a range; arg as it lies in the slot.  The ULT that popped it. */
void jdi_range_run(jd_self *me, jd_task fn, void *arg);

#endif
