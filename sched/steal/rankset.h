/*
 * rankset.h - sparse sets of ranks.
 *
 * Role: what a steal policy remembers.  The memory grows with the ranks in the set, not with the
 *       ranks of the job.
 * Owner: the communication thread.
 * Invariants: I1 a set that was never used holds no memory.
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
/* Add a rank that is not in the set.  0; on JD_ENOMEM nothing has changed. */
int jdi_rankset_add(struct jdi_rankset *s, uint32_t rank,
                    struct jdi_fault *f) JD_MUST_CHECK;
/* Returns false if the rank was not in the set. */
bool jdi_rankset_remove(struct jdi_rankset *s, uint32_t rank);
/* Assert that n ranks are there, each found where it lies. */
void jdi_rankset_check(const struct jdi_rankset *s);
/* Make the set empty and free its memory. */
void jdi_rankset_clear(struct jdi_rankset *s);

#endif
