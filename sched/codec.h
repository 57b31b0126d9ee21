/*
 * codec.h - tasks as they travel: the payload of TASKS and ASYNC, in all its layouts.
 *
 * Role: writes tasks into a payload, checks a payload whole, reads its tasks.
 * Owner: the caller; a codec is a handful of constants on its stack.
 * Invariants: I1 nothing is read before jdi_codec_fault has found nothing in the whole payload.
 *             I2 an argument that is behind a pointer travels in place of the pointer.
 * See: doc/transfer.md, doc/async.md "Between ranks" (layouts); sched/plain.c,
 *      sched/finish/wire.c; test/unit/sched_codec_*.
 */
#ifndef JDI_SCHED_CODEC_H
#define JDI_SCHED_CODEC_H

#include "core/registry.h"
#include "sched/kind.h"
#include "sched/task.h"

struct jdi_codec {
    enum jdi_tasks_layout layout;
    uint32_t slot_size, arg_size;     /* of the collection */
    uint32_t ngroups;                 /* of finishes in this message */
    const struct jdi_registry *known; /* the table of tasks, */
    struct jdi_fault *fault;          /* and whose allocations may fail on request */
};

/* One task of a payload. */
struct jdi_codec_task {
    uint64_t id; /* of finishes: its group */
    const unsigned char *arg;
    uint32_t len;   /* of the argument in memory */
    uint32_t bytes; /* of it in the payload: other than len where hooks pack it */
    uint16_t fn, flags;
};

/* Bytes that t takes in a payload. */
size_t jdi_codec_size(const struct jdi_codec *k, const struct jdi_task *t);
/*
 * Write the task with the head t, whose argument lies at arg, under `id`; where the next one
 * goes.  Hooks may change the argument, which nobody else sees any more; a block of its own is
 * the caller's to free.
 */
unsigned char *jdi_codec_put(const struct jdi_codec *k, unsigned char *to,
                             const struct jdi_task *t, void *arg, uint64_t id);

/* What is wrong with a payload of n tasks; NULL: nothing.  Writes nothing. */
const char *jdi_codec_fault(const struct jdi_codec *k, const void *tasks, size_t len,
                            uint64_t n);
/* The task at `at`; where the next one is (I1). */
const unsigned char *jdi_codec_next(const struct jdi_codec *k, const unsigned char *at,
                                    struct jdi_codec_task *out);
/* Into a slot, under `id`.  0, or JD_ENOMEM: its argument would have needed a block. */
int jdi_codec_land(const struct jdi_codec *k, struct jdi_task *slot,
                   const struct jdi_codec_task *t, uint64_t id);

#endif
