/*
 * session.h - a session of a balancer over the ranks of the job: which seeds go where, and their way there.
 *
 * Role: runs the machine of sched/balance/ with messages, and moves the seeds as it has planned.
 * Owner: the body makes it, on its stack, and deals out what has arrived; between that it is the communication
 *        thread's, and so are the records of the workers.
 * Invariants: I1 a rank has one session at most, because its body waits for it.
 *             I2 when it is over, every BALANCE and SEEDS of it has arrived.
 * See: doc/balance.md section 6, which has the states; sched/deal.h.
 */
#ifndef JDI_SCHED_SESSION_H
#define JDI_SCHED_SESSION_H

#include "sched/coll.h"

/* Is it a way to restore for which a balancer plans? */
bool jdi_session_plans(enum jd_restore how);
/*
 * Take null seeds out of the workers' records, and move the others between ranks and workers.  The body,
 * between DONE and SEEDING; collective.  0; JD_ENOMEM or JD_EMISMATCH, on all ranks: nothing was moved.  Ends
 * the job when out of memory later on.
 */
int jdi_session_run(jd_self *me, jd_coll *c, enum jd_restore how);

/* A session is open: count, if it takes long.  Communication thread. */
void jdi_session_turn(struct jdi_rank *r, uint64_t now);
/* Install the handlers of BALANCE and SEEDS. */
void jdi_session_init(struct jdi_rank *r);

#endif
