/*
 * rankset.h - sparse sets of ranks.
 *
 * Role: what a steal policy remembers, in memory that grows with what it remembers and not
 *       with the number of ranks.
 * Owner: the communication thread.
 * Invariants: I1 an empty set that was never used holds no memory.
 *             I2 a rank is in a set at most once.
 * See: sched/steal/steal.h; test/unit/sched_rankset_*.
 */
#ifndef JDI_SCHED_STEAL_RANKSET_H
#define JDI_SCHED_STEAL_RANKSET_H

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

#endif
