/*
 * record.h - a growing list of packed tasks: what was seeded, what was executed.
 *
 * Role: the memory from which restore() starts the next iteration.
 * Owner: one writer (a worker, or the body's worker); others read while the writer does not write.
 * Invariants: I1 an entry is a struct jdi_task with its argument in place, padded to 16 bytes.
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

/* Append a copy of t, with its argument in place even if it is spilled.  0, or JD_ENOMEM. */
int jdi_record_add(struct jdi_record *r, const struct jdi_task *t, struct jdi_fault *f);
/* Append n tasks that are packed as entries are; `bytes` may lie anywhere.  0, or JD_ENOMEM. */
int jdi_record_append(struct jdi_record *r, const void *bytes, size_t len, uint64_t n,
                      struct jdi_fault *f);
void jdi_record_clear(struct jdi_record *r); /* keeps the memory */
/* Take out the entries that have the flag.  The others stay in their order. */
void jdi_record_drop(struct jdi_record *r, uint16_t flag);
void jdi_record_free(struct jdi_record *r);

/* The entry at a number of bytes that `used` was before an add. */
static inline struct jdi_task *jdi_record_at(const struct jdi_record *r, size_t at)
{
    JD_ASSERT(at < r->used);
    return (struct jdi_task *)(void *)(r->bytes + at);
}
/* Visit: for (t = NULL; (t = jdi_record_next(r, t));) */
const struct jdi_task *jdi_record_next(const struct jdi_record *r,
                                       const struct jdi_task *t);

#endif
