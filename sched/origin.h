/*
 * origin.h - what a seed of a timed collection is, over all iterations, and how long it took.
 *
 * Role: the head of the argument of such a seed: where it was seeded first, and the times of its last
 *       iterations.  The program does not see it.
 * Owner: whoever owns the task; the times are written when the task has ended, into the copy that the
 *        record of its worker keeps.
 * Invariants: I1 an origin travels with its seed: it is part of the argument for stores, records and
 *                messages.  Tasks that tasks create have none.
 *             I2 rank and index never change while the seed is on record.
 * See: doc/history.md; sched/history.h; paper 003, section 5.
 */
#ifndef JDI_SCHED_ORIGIN_H
#define JDI_SCHED_ORIGIN_H

#include "sched/task.h"

enum { JDI_ORIGIN_TIMES = 4 };

struct jdi_origin {
    uint32_t rank,
        index; /* the rank that added the seed, and how many it had added before */
    uint16_t
        time[JDI_ORIGIN_TIMES]; /* bins, the last iteration first; 0: none is known */
};
_Static_assert(sizeof(struct jdi_origin) % JDI_TASK_ALIGN == 0,
               "the program's argument stays aligned");

/*
 * The bin of a time.  Below 2,048 ns each number has its own; above, a bin holds what has the same 11
 * first bits, so a time is truncated by less than a thousandth.
 */
enum { JDI_ORIGIN_BITS = 10 };
static inline uint16_t jdi_origin_bin(uint64_t ns)
{
    uint64_t some = ns ? ns : 1; /* because 0 says that nothing is known */
    int top = 63 - __builtin_clzll(some);
    unsigned more = top > JDI_ORIGIN_BITS ? (unsigned)(top - JDI_ORIGIN_BITS) : 0;
    return (uint16_t)((more << JDI_ORIGIN_BITS) + (some >> more));
}
/* The shortest time of a bin, ns. */
static inline uint64_t jdi_origin_ns(uint16_t bin)
{
    unsigned more = bin >> JDI_ORIGIN_BITS;
    if (more <= 1)
        return bin;
    uint64_t first = (1U << JDI_ORIGIN_BITS) + (bin & ((1U << JDI_ORIGIN_BITS) - 1));
    return first << (more - 1);
}

/* The origin of a seed of a timed collection. */
static inline struct jdi_origin *jdi_origin_of(struct jdi_task *t)
{
    return (struct jdi_origin *)jdi_task_arg(t);
}

/* A copy of it, of a seed in a record, which may not be written. */
static inline struct jdi_origin jdi_origin_in(const struct jdi_task *t)
{
    struct jdi_origin o;
    memcpy(&o, t->arg, sizeof o);
    return o;
}

/* The seed took `ns` this time. */
static inline void jdi_origin_note(struct jdi_origin *o, uint64_t ns)
{
    for (unsigned i = JDI_ORIGIN_TIMES - 1; i > 0; i--)
        o->time[i] = o->time[i - 1];
    o->time[0] = jdi_origin_bin(ns);
}

#endif
