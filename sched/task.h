/*
 * task.h - one task as it lies in a deque slot, a record or a message.
 *
 * Role: the layout that all three share, so that a task moves by copying bytes.
 * Owner: whoever owns the slot.
 * Invariants: I1 slots are multiples of 16 bytes and aligned to 16.
 *             I2 the argument of a spilled task is a heap block that the slot owns; a spilled task
 *                never leaves the process in that form (see codec.c).
 * See: sched/deque.h, doc/transfer.md.
 */
#ifndef JDI_SCHED_TASK_H
#define JDI_SCHED_TASK_H

#include "core/base.h"

#include <string.h>

enum jdi_task_flags {
    JDI_TASK_SEED = 1,    /* added by the body: restore() can bring it back */
    JDI_TASK_SPILLED = 2, /* the argument is behind a pointer */
    JDI_TASK_AGAIN = 4,   /* a seed that restore() brought back, already recorded */
    JDI_TASK_RANGE = 8, /* of jd_forasync: its argument begins with a struct jdi_range */
    JDI_TASK_PHASED = 16, /* of jd_async_phased: the argument is in a block of phased.c */
    JDI_TASK_NULL = 32,   /* in a record: a seed that is pruned, see sched/prune.h */
    JDI_TASK_GONE =
        64, /* in a record: a seed that has been copied to another record, or sent to one */
    JDI_TASK_LABELLED = 128 /* of a finish: its argument begins with a struct jdi_label */
};

struct jdi_task {
    uint64_t id; /* unique in the collection's life: owner << 40 | sequence; in a pool the
                       address of its part (sched/finish/part.h) */
    uint16_t fn; /* row of the task table */
    uint16_t flags; /* enum jdi_task_flags */
    uint32_t len;   /* bytes of argument */
    _Alignas(16) unsigned char arg[];
};

enum {
    JDI_TASK_ALIGN = 16,
    JDI_TASK_HEAD = 16,         /* sizeof(struct jdi_task) */
    JDI_TASK_ARG_DEFAULT = 48,  /* a slot of 64 bytes */
    JDI_TASK_ARG_INLINE = 4096, /* largest arg_size of a collection: it lies on stacks */
    JDI_TASK_ARG_MAX = 16 << 20 /* largest argument at all */
};
_Static_assert(sizeof(struct jdi_task) == JDI_TASK_HEAD, "the argument follows the head");

/* `fn`, `flags` and `len` are written and read as one word.  A load that is wider than the stores
 * before it has to wait for them, and a task often runs right after it was spawned. */
enum {
    JDI_TASK_LITTLE = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
    JDI_TASK_FN_AT = JDI_TASK_LITTLE ? 0 : 48, /* bits in the word */
    JDI_TASK_FLAGS_AT = JDI_TASK_LITTLE ? 16 : 32,
    JDI_TASK_LEN_AT = JDI_TASK_LITTLE ? 32 : 0
};
static inline uint64_t jdi_task_word(const struct jdi_task *t)
{
    uint64_t word;
    memcpy(&word, (const unsigned char *)t + sizeof t->id, sizeof word);
    return word;
}
static inline void jdi_task_set_word(struct jdi_task *t, uint64_t word)
{
    memcpy((unsigned char *)t + sizeof t->id, &word, sizeof word);
}
static inline uint64_t jdi_task_make_word(uint16_t fn, uint32_t len)
{
    return (uint64_t)fn << JDI_TASK_FN_AT | (uint64_t)len << JDI_TASK_LEN_AT;
}

/* The argument of a task of jd_forasync.  The caller's argument is `size` bytes at `arg`; hooks see
 * only these. */
struct jdi_range {
    int64_t begin, end, grain;
    uint32_t size;
    uint32_t spawns; /* 1 once a piece was seen to spawn tasks */
    _Alignas(JDI_TASK_ALIGN) unsigned char arg[];
};

/* What the argument of a task of a finish begins with where tasks are recorded, or steals are logged.  Neither the task nor
 * a range sees it. */
struct jdi_label {
    uint64_t number; /* of the task, in traces: sched/finish/label.h; 0: it has none */
    uint64_t name;   /* in steal logs: sched/name.h; 0: it has none */
};
_Static_assert(sizeof(struct jdi_label) % JDI_TASK_ALIGN == 0,
               "the argument stays aligned");

/* Bytes of a task's argument before those of a range. */
static inline size_t jdi_task_label_head(uint16_t flags)
{
    return flags & JDI_TASK_LABELLED ? sizeof(struct jdi_label) : 0;
}
/* Bytes of a task's argument before those that hooks see. */
static inline size_t jdi_range_head(const struct jdi_task *t)
{
    return jdi_task_label_head(t->flags) +
           (t->flags & JDI_TASK_RANGE ? sizeof(struct jdi_range) : 0);
}

/* Copy `bytes`, a multiple of 16; both sides are aligned to 16.  Small counts dominate. */
static inline void jdi_task_copy(void *restrict to, const void *restrict from,
                                 size_t bytes)
{
    for (size_t i = 0; i < bytes; i += JDI_TASK_ALIGN) {
        memcpy((char *)to + i, (const char *)from + i, JDI_TASK_ALIGN);
        /* Keeps the compiler from replacing a loop of two or three rounds by a call. */
        __asm__("" : "+r"(i));
    }
}

static inline void *jdi_task_spill(const struct jdi_task *t)
{
    void *p;
    memcpy(&p, t->arg, sizeof p);
    return p;
}

static inline void jdi_task_set_spill(struct jdi_task *t, void *p)
{
    memcpy(t->arg, &p, sizeof p);
    t->flags |= JDI_TASK_SPILLED;
}

/* The address of the argument, spilled or not. */
static inline void *jdi_task_arg(struct jdi_task *t)
{
    return t->flags & JDI_TASK_SPILLED ? jdi_task_spill(t) : t->arg;
}

/* The label of a task of a finish; zeros: it has none. */
static inline struct jdi_label jdi_task_label(const struct jdi_task *t)
{
    struct jdi_label label = {0};
    if (t->flags & JDI_TASK_LABELLED)
        memcpy(&label, t->flags & JDI_TASK_SPILLED ? jdi_task_spill(t) : t->arg,
               sizeof label);
    return label;
}

/* Bytes that a task takes outside a slot: head and argument, rounded up. */
static inline size_t jdi_task_packed(const struct jdi_task *t)
{
    return JDI_TASK_HEAD + jdi_round_up(t->len, JDI_TASK_ALIGN);
}

#endif
