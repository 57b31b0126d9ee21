/*
 * meet.h - what the ranks say to each other while they save or load.
 *
 * Role: whether something is open; reductions of any number of words for the body; one result for all ranks.
 * Owner: the body.
 * Invariants: I1 the ranks call these functions in the same order, whatever has failed at one of them.
 * See: sched/checkpoint/save.c and load.c; sched/collective.h.
 */
#ifndef JDI_SCHED_CHECKPOINT_MEET_H
#define JDI_SCHED_CHECKPOINT_MEET_H

#include "sched/collective.h"

struct jdi_meet {
    jd_self *me;
    jd_coll *coll;
    enum jdi_collective_what what; /* which public call */
};

/* Step AGREE.  0; JD_ESTATE if at any rank a collection is started, a request or a finish of the body is open, or
 * `coll` has tasks or holds; JD_EMISMATCH if the ranks do not name the same files and memories.  Blocks. */
int jdi_meet_agree(const struct jdi_meet *m, const jd_checkpoint *what);
/* Is this a checkpoint that a call can name? */
bool jdi_meet_fits(const jd_self *me, const jd_checkpoint *what);
/* Combine n words over all ranks.  Blocks. */
void jdi_meet_reduce(const struct jdi_meet *m, uint64_t *word, uint64_t n, enum jd_op op);
/* The worst of the ranks' results, which are JD_* codes.  Blocks. */
int jdi_meet_result(const struct jdi_meet *m, int error);
/* Say on which file what has failed, and why: -errno.  Returns JD_ESYS. */
int jdi_meet_refused(const struct jdi_meet *m, const char *path, int failed);

#endif
