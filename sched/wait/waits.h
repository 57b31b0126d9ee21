/*
 * waits.h - the waits of a worker's ULTs that a deadline or a cancellation may end.
 *
 * Role: a timer wheel for each worker, and the list of those waits whose finish can be cancelled.
 * Owner: under `lock`: the worker adds, a ULT removes its own wait wherever it goes on, the
 *        communication worker turns the wheel.
 * Invariants: I1 a wait is in here from jdi_waits_add until its ULT, or who has claimed it for a
 *                deadline or a cancellation, takes it out.
 *             I2 worker->due is not later than the next time at which its wheel has to be turned.
 * Order: [pair: lock]; [pair: worker-waits] a new object before the communication worker finds it;
 *        [pair: idle-wake] an earlier deadline before a look at who sleeps.
 * See: doc/waiting.md "Who turns the wheels".
 */
#ifndef JDI_SCHED_WAIT_WAITS_H
#define JDI_SCHED_WAIT_WAITS_H

#include "core/lock.h"
#include "sched/inspect.h"
#include "sched/wait/wait.h"

struct jdi_waits {
    struct jdi_lock lock;
    struct jdi_worker *worker;
    struct jdi_wait *marked; /* those with a mark, newest first */
    struct jdi_wheel wheel;
};

/* The hooks of a rank.  Before its workers are made. */
void jdi_waits_init(struct jdi_rank *r);
void jdi_waits_free(struct jdi_rank *r);

/* The waits of w, made at the first call; NULL: out of memory.  The stream of w. */
struct jdi_waits *jdi_waits_of(struct jdi_worker *w);
/* Put a prepared wait in; from then on it may end.  The stream of its ULT. */
void jdi_waits_add(struct jdi_wait *w);
/* Take out a wait that has ended otherwise.  Its ULT, on any worker. */
void jdi_waits_remove(struct jdi_wait *w);
/* A finish was marked: end the waits that belong to marked finishes.  Communication thread, after the
 * mark was set. */
void jdi_waits_cancelled(struct jdi_rank *r);
/* Call fn once for each wait of no ULT that has not ended.  Those that begin meanwhile may be told or not.  As for
 * jdi_inspect_each. */
void jdi_waits_each(struct jdi_rank *r, jdi_inspect_fn *fn, void *ctx);

#endif
