/*
 * thieves.h - thieves that a victim remembers, in the order of their arrival.
 *
 * Role: the queue of a victim.  The memory grows with the thieves in the queue, not with the ranks.
 * Owner: the communication thread.
 * Invariants: I1 a rank is in a queue at most once.
 * See: sched/steal/steal.h; test/unit/sched_steal_victim_keeps_thieves_in_order.c.
 */
#ifndef JDI_SCHED_STEAL_THIEVES_H
#define JDI_SCHED_STEAL_THIEVES_H

#include "sched/steal/rankset.h"

/* A thief that a victim remembers. */
struct jdi_thief {
    uint32_t rank;
    bool told;     /* it was answered KEPT: tasks will be its second answer */
    uint64_t when; /* the thief's clock when it asked */
};

/* First come, first served. */
struct jdi_thieves {
    struct jdi_thief *ring;
    uint32_t room, first, n; /* room: a power of two, or 0 */
    struct jdi_rankset set;
};

/* Append a thief that is not in the queue.  0; on JD_ENOMEM nothing has changed. */
int jdi_thieves_add(struct jdi_thieves *q, const struct jdi_thief *t,
                    struct jdi_fault *f) JD_MUST_CHECK;
/* Take the first thief.  The queue must not be empty. */
struct jdi_thief jdi_thieves_take(struct jdi_thieves *q);
/* Assert that the ring has the ranks of the set. */
void jdi_thieves_check(const struct jdi_thieves *q);
void jdi_thieves_clear(struct jdi_thieves *q);

static inline bool jdi_thieves_has(const struct jdi_thieves *q, uint32_t rank)
{
    return jdi_rankset_has(&q->set, rank);
}

#endif
