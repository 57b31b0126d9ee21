/*
 * trust.h - how far the times of seeds foretell the next ones.
 *
 * Role: over all seeds of the job, the least-squares line from what the load model would have foreseen of the last phase
 *       to what it was.  AUTO weighs seeds by this line: where times stay as they are it is the model, and
 *       where they are new each time all seeds weigh the same.  Pure.
 * Owner: a session: the body, then the communication thread.
 * Invariants: I1 a longer time never weighs less, so what is sorted stays sorted.
 * See: doc/balance.md section 8; sched/session.c.
 */
#ifndef JDI_SCHED_TRUST_H
#define JDI_SCHED_TRUST_H

#include "sched/model.h"

/* Sums over seeds, to be added up over the ranks. */
enum {
    JDI_TRUST_KNOWN, /* seeds of which more than one time is known; of these: */
    JDI_TRUST_FORESEEN,
    JDI_TRUST_WAS,
    JDI_TRUST_FORESEEN_SQUARED,
    JDI_TRUST_PRODUCT,
    JDI_TRUST_ALL,  /* all seeds */
    JDI_TRUST_NEXT, /* what the model foresees of them */
    JDI_TRUST_SUMS
};

/* A seed weighs mean + slope * (what the model foresees - mean). */
struct jdi_trust {
    double slope; /* 0 to 1 */
    double mean;  /* ns */
};

void jdi_trust_add(double sum[JDI_TRUST_SUMS], const struct jdi_model *m,
                   const struct jdi_origin *o);
struct jdi_trust jdi_trust_of(const double sum[JDI_TRUST_SUMS]);
/* Does what the model foresees say at least as much as the mean? */
static inline bool jdi_trust_is_half(const struct jdi_trust *t)
{
    return t->slope >= 0.5;
}
/* Of a seed whose next time the model foresees as `ns`; 0 stays 0, which is not known. */
uint64_t jdi_trust_ns(const struct jdi_trust *t, uint64_t ns);

#endif
