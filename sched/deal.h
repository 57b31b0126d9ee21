/*
 * deal.h - which worker of a rank begins the next iteration with which seeds.
 *
 * Role: divides the seeds that came from other ranks, and what a worker has too much of, between the workers' records.
 * Owner: the body, between DONE and SEEDING.
 * Invariants: I1 what stays at a worker stays in its order; what comes is behind it, the longest first.
 *             I2 the largest load is at most C times the average, or at most a hundredth more than what it would
 *                be if all seeds were dealt anew, the longest first, each to the least load.
 * See: doc/balance.md section 6; sched/session.h.
 */
#ifndef JDI_SCHED_DEAL_H
#define JDI_SCHED_DEAL_H

#include "sched/coll.h"
#include "sched/trust.h"

/*
 * Each worker gives away what it has too much of, the shortest seeds; then these and those of `arrived` go to the
 * workers with the least load; all are dealt anew where that is better (I2).  Empties `arrived`.  0, or JD_ENOMEM: some of
 * them lie nowhere, so the job has to end.
 */
int jdi_deal_seeds(jd_coll *c, struct jdi_record *arrived, const struct jdi_trust *t);

#endif
