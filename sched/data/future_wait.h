/*
 * future_wait.h - those of this rank who wait for futures.
 *
 * Role: the asker's side of a future: one answer, or the end of a cancelled finish.
 * Owner: the communication thread.
 * Invariants: I1 and I2 of future_wait.c.
 * See: doc/data.md "Futures", "Cancellation".
 */
#ifndef JDI_SCHED_DATA_FUTURE_WAIT_H
#define JDI_SCHED_DATA_FUTURE_WAIT_H

#include "sched/data/future.h"

/* One of this rank who waits for a future; lies with who waits. */
struct jdi_future_wait {
    struct jdi_request request; /* first: a request is a wait */
    jd_future future;
    const _Atomic bool *cancelled;        /* the mark that ends the wait; NULL: none */
    struct jdi_future_wait *next, **link; /* in data->waits, if there is a mark */
    bool dropping;                        /* a DROP is on its way */
};

/* Communication thread.  One answer will come, perhaps inside; then end it. */
void jdi_future_wait_begin(struct jdi_rank *r, struct jdi_future_wait *w, bool with_value,
                           const char *(*answered)(struct jdi_rank *,
                                                   struct jdi_request *,
                                                   const struct jdi_answer *));
void jdi_future_wait_end(struct jdi_rank *r, struct jdi_future_wait *w);
/* Some scope of this rank has just been cancelled. */
void jdi_future_wait_cancelled(struct jdi_rank *r);

#endif
