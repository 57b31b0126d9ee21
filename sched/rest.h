/*
 * rest.h - how a worker sleeps.
 *
 * Role: what a worker looks for before it sleeps, and the protocol with those who wake.
 * Owner: the stream of the worker.
 * Invariants: I1 nobody sleeps beside work: whoever makes some sees the announcement, or the sleeper sees
 *             the work.
 * See: sched/worker.c, sched/comm.c; test/models/wake.pml.
 */
#ifndef JDI_SCHED_REST_H
#define JDI_SCHED_REST_H

#include "sched/worker.h"

/* Is there a task on the worker's own shelves? */
bool jdi_rest_has_own(struct jdi_worker *w);
/* Is there anything for w to do, on its own shelves or anywhere in the rank? */
bool jdi_rest_is_wanted(struct jdi_worker *w);
/* Sleep until woken, or for `timeout_ns`. */
void jdi_rest_sleep(struct jdi_worker *w, uint64_t timeout_ns);

#endif
