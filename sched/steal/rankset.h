/*
 * rankset.h - sparse sets of ranks, and thieves in the order of their arrival.
 *
 * Role: what a steal policy remembers, in memory that grows with what it remembers and not
 *       with the number of ranks.
 * Owner: the communication thread.
 * Invariants: I1 an empty set that was never used holds no memory.
 *             I2 a rank is in a set, and in a queue, at most once.
 * See: sched/steal/policy.h; test/unit/sched_rankset_*.
 */
#ifndef JDI_SCHED_RANKSET_H
#define JDI_SCHED_RANKSET_H

#include "core/fault.h"

struct jdi_rankset {
    uint32_t *slot; /* rank + 1, 0: free; linear probing, at most half full */
    uint32_t room;  /* a power of two, or 0 */
    uint32_t n;
};

bool jdi_rankset_has(const struct jdi_rankset *s, uint32_t rank);
/* Put in a rank that is not there.  0, or JD_ENOMEM and nothing has changed. */
int jdi_rankset_add(struct jdi_rankset *s, uint32_t rank,
                    struct jdi_fault *f) JD_MUST_CHECK;
/* False if it was not there. */
bool jdi_rankset_remove(struct jdi_rankset *s, uint32_t rank);
/* Empty, without memory. */
void jdi_rankset_clear(struct jdi_rankset *s);

/* A thief that a victim remembers. */
struct jdi_thief {
    uint32_t rank;
    bool told;     /* it knows that it waits: what it gets is a second answer */
    uint64_t when; /* the thief's clock when it asked */
};

/* First come, first served. */
struct jdi_thieves {
    struct jdi_thief *ring;
    uint32_t room, first, n; /* room: a power of two, or 0 */
    struct jdi_rankset set;
};

/* Append a thief that is not there.  0, or JD_ENOMEM and nothing has changed. */
int jdi_thieves_add(struct jdi_thieves *q, const struct jdi_thief *t,
                    struct jdi_fault *f) JD_MUST_CHECK;
/* Take the first; there is one. */
struct jdi_thief jdi_thieves_take(struct jdi_thieves *q);
void jdi_thieves_clear(struct jdi_thieves *q);

static inline bool jdi_thieves_has(const struct jdi_thieves *q, uint32_t rank)
{
    return jdi_rankset_has(&q->set, rank);
}

#endif
