/*
 * prune.h - seeds that had nothing to do are not seeded again.
 *
 * Role: takes such seeds out of the records of the workers that ran them, and, when each rank starts again
 *       with the seeds that were added to it, out of the records of the ranks that added them.
 * Owner: the body, and the communication thread while the body waits for it; what arrives is the
 *        communication thread's.
 * Invariants: I1 a seed is told of once: by the rank that ran it, in the restore after that.
 *             I2 when jdi_prune_seeds returns, every PRUNE of that restore has arrived at its rank.
 * See: doc/history.md "Seeds that are pruned", which has the states.
 */
#ifndef JDI_SCHED_PRUNE_H
#define JDI_SCHED_PRUNE_H

#include "sched/coll.h"

/* Take the null seeds of the last phase out of the workers' records, and remember where they come from.  The
 * body, between DONE and SEEDING.  0, or JD_ENOMEM. */
int jdi_prune_kept(jd_coll *c);
/* Take what all ranks remember out of c->seeds of the rank that it comes from.  The body; collective.  Ends
 * the job when out of memory. */
int jdi_prune_seeds(jd_self *me, jd_coll *c);

/* Room for `more` seeds in a list.  0, or JD_ENOMEM. */
int jdi_prune_reserve(struct jdi_pruned_list *l, size_t more, struct jdi_fault *f);

/* Install the handler of PRUNE. */
void jdi_prune_init(struct jdi_rank *r);

#endif
