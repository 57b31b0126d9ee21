/*
 * ask.h - requests for tasks between ranks, their answers, and published loads.
 *
 * Role: carries out what the steal policy of a collection decides.
 * Owner: the communication thread.
 * Invariants: I1 every STEAL gets exactly one first answer (doc/transfer.md).
 * See: doc/transfer.md; sched/steal/steal.h.
 */
#ifndef JDI_SCHED_ASK_H
#define JDI_SCHED_ASK_H

#include "sched/coll.h"

/* The policy of the rank, from its knobs; then the handlers of STEAL and NOWORK. */
void jdi_ask_init(struct jdi_rank *r);
void jdi_ask_handlers(struct jdi_rank *r);
/* What the published words held before was not a load. */
void jdi_ask_clear_loads(struct jdi_rank *r);

/* A phase of c begins. */
void jdi_ask_begin(jd_coll *c);
/* The phase ends, or the job: thieves are sent away and forgotten.  Runs no handlers. */
void jdi_ask_end(jd_coll *c);
/* Its counters go to the rank's; it is freed next. */
void jdi_ask_forget(jd_coll *c);

/* Is an answer to this rank open (rule R13)? */
bool jdi_ask_open(const jd_coll *c);
/* Serve remembered thieves and publish the load.  Handlers may run. */
void jdi_ask_turn(jd_coll *c);
/* Look for work.  Handlers may run. */
void jdi_ask_search(jd_coll *c, uint64_t now);
/* The communication thread may not sleep: somebody waits for tasks that there are. */
bool jdi_ask_urgent(const struct jdi_rank *r);

#endif
