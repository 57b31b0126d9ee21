/*
 * record.h - a growing list of packed tasks: what was seeded, what was executed.
 *
 * Role: the memory that restore() starts the next iteration from.
 * Owner: one writer (a worker, or the body's worker); read when it does not write.
 * Invariants: I1 an entry is a struct jdi_task with its argument in place, padded to 16.
 * See: sched/coll.c.
 */
#ifndef JDI_SCHED_RECORD_H
#define JDI_SCHED_RECORD_H

#include "core/fault.h"
#include "sched/task.h"

struct jdi_record {
    unsigned char *bytes;
    size_t used, room;
    uint64_t count;
};

/* Append a copy of t, its spilled argument taken in.  0, or JD_ENOMEM. */
int jdi_record_add(struct jdi_record *r, const struct jdi_task *t, struct jdi_fault *f);
void jdi_record_clear(struct jdi_record *r); /* keeps the memory */
void jdi_record_free(struct jdi_record *r);

/* Visit: for (t = NULL; (t = jdi_record_next(r, t));) */
const struct jdi_task *jdi_record_next(const struct jdi_record *r,
                                       const struct jdi_task *t);

#endif
