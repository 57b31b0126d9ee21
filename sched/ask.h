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

/* The published words: loads by number of collection, and since when the communication thread sleeps
 * beside a worker that works, or 0. */
enum { JDI_ASK_LOADS = 32, JDI_ASK_NAP_WORD = JDI_ASK_LOADS };

/* Choose the policy of the rank from its knobs; install the handlers of STEAL and NOWORK. */
void jdi_ask_init(struct jdi_rank *r);
void jdi_ask_handlers(struct jdi_rank *r);
/* Set the published loads to 0, because the same words served another purpose before. */
void jdi_ask_clear_loads(struct jdi_rank *r);

/* A phase of c begins. */
void jdi_ask_begin(jd_coll *c);
/* The phase or the job ends: refuse and forget all thieves.  Runs no handlers. */
void jdi_ask_end(jd_coll *c);
/* Add the steal counters of c to `s`. */
void jdi_ask_count(const jd_coll *c, struct jdi_stats *s);
/* Add them to the rank's; c is freed next. */
void jdi_ask_forget(jd_coll *c);

/* Does this rank still wait for an answer about c (rule R13)? */
bool jdi_ask_open(const jd_coll *c);
/* Serve remembered thieves and publish the load.  Handlers may run. */
void jdi_ask_turn(jd_coll *c);
/* Do other ranks see no task of c although it has some?  Any thread of the rank; a guess. */
bool jdi_ask_hides(const jd_coll *c);
/* Look for work.  Handlers may run. */
void jdi_ask_search(jd_coll *c, uint64_t now);
/* Has this rank looked for tasks of c long enough that the detector may report (rule R12)? */
bool jdi_ask_patient(const jd_coll *c);
/* True if a remembered thief could be served now, so the communication thread must not sleep. */
bool jdi_ask_urgent(const struct jdi_rank *r);

#endif
