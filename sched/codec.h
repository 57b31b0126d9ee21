/*
 * codec.h - tasks as they travel: the payload of TASKS and ASYNC, in all its layouts.
 *
 * Role: writes tasks into a payload, checks a payload whole, reads its tasks.
 * Owner: the caller; a codec is a handful of constants on its stack.
 * Invariants: I1 no task is read before jdi_codec_fault has checked the whole payload.
 *             I2 a spilled argument travels in place of the pointer to it.
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
    uint32_t slot_size, arg_size; /* of the collection */
    uint32_t ngroups;             /* of finishes in this message */
    uint32_t nranks; /* of the job, if seeds begin with their origin; else 0 */
    const struct jdi_registry *known; /* the table of tasks */
    struct jdi_fault *fault;          /* JACKDAW_FAULT: decides which allocations fail */
};

/* One task of a payload. */
struct jdi_codec_task {
    uint64_t id; /* layout FINISH: the group's index */
    const unsigned char *arg;
    uint32_t len;   /* of the argument in memory */
    uint32_t bytes; /* of it in the payload; hooks may make it differ from len */
    uint16_t fn, flags;
};

/* The label of a task of a finish, whose length was checked; zeros: it has none. */
static inline struct jdi_label jdi_codec_label(const struct jdi_codec_task *t)
{
    struct jdi_label label = {0};
    if (t->flags & JDI_TASK_LABELLED)
        memcpy(&label, t->arg, sizeof label);
    return label;
}
/* How many bytes t takes in a payload. */
size_t jdi_codec_size(const struct jdi_codec *k, const struct jdi_task *t);
/*
 * Write the task with head t, argument arg and the given `id`.  Returns where the next task goes.
 * Hooks may change the argument, so nobody else may see it any more.  The caller frees the block of
 * a spilled argument.
 */
unsigned char *jdi_codec_put(const struct jdi_codec *k, unsigned char *to,
                             const struct jdi_task *t, void *arg, uint64_t id);

/* Check a payload of n tasks.  Returns what is wrong, or NULL.  Writes nothing. */
const char *jdi_codec_fault(const struct jdi_codec *k, const void *tasks, size_t len,
                            uint64_t n);
/* Read the task at `at`.  Returns where the next task is (I1). */
const unsigned char *jdi_codec_next(const struct jdi_codec *k, const unsigned char *at,
                                    struct jdi_codec_task *out);
/* Put a task into a slot under `id`.  0, or JD_ENOMEM if its argument needs a block of its own. */
int jdi_codec_land(const struct jdi_codec *k, struct jdi_task *slot,
                   const struct jdi_codec_task *t, uint64_t id);

#endif
