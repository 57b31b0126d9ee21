/*
 * future_wait.h - ULTs and tasks of this rank that wait for futures.
 *
 * Role: the asker's side of a future; a wait ends by one answer, also in a cancelled finish.
 * Owner: the communication thread.
 * Invariants: I1 and I2 of future_wait.c.
 * See: doc/data.md "Futures", "Cancellation".
 */
#ifndef JDI_SCHED_DATA_FUTURE_WAIT_H
#define JDI_SCHED_DATA_FUTURE_WAIT_H

#include "sched/data/future.h"

/* A wait for a future.  Whoever waits provides the storage. */
struct jdi_future_wait {
    struct jdi_request request; /* first, for the cast from a request */
    jd_future future;
    const _Atomic bool *cancelled;        /* the mark that ends the wait; NULL: none */
    struct jdi_future_wait *next, **link; /* in data->waits, if there is a mark */
    bool dropping;                        /* a DROP is under way */
};

/* Begin a wait.  Exactly one answer will come, perhaps before this returns; then the receiver ends
 * the wait.  Communication thread. */
void jdi_future_wait_begin(struct jdi_rank *r, struct jdi_future_wait *w, bool with_value,
                           const char *(*answered)(struct jdi_rank *,
                                                   struct jdi_request *,
                                                   const struct jdi_answer *));
void jdi_future_wait_end(struct jdi_rank *r, struct jdi_future_wait *w);
/* Called after a finish was marked cancelled: drop the waits that belong to marked finishes. */
void jdi_future_wait_cancelled(struct jdi_rank *r);

#endif
