/*
 * comm.h - the communication worker: the one thread of a rank that talks to the network.
 *
 * Role: runs turns; each handles calls of workers, messages, steal requests and the detector.
 * Owner: the communication thread: one that runs no tasks, or, where there is one thread, worker 0's
 *        stream, on its base context, never on a task's stack.
 * Invariants: I1 nothing here waits for a task, or holds a lock during a poll.
 * See: ARCHITECTURE.md "Life of a steal"; doc/transfer.md.
 */
#ifndef JDI_SCHED_COMM_H
#define JDI_SCHED_COMM_H

#include "sched/coll.h"

/* One turn: calls, network, hooks, steals, detectors. */
void jdi_comm_turn(struct jdi_rank *r, uint64_t now);

/* A jdi_stream_fn: the stream of the polling worker, whose base context polls between ULTs. */
void jdi_comm_stream(void *rank, unsigned index, struct jdi_ult *base);
/* The loop of a communication thread that runs no tasks, until the rank stops. */
void jdi_comm_apart(struct jdi_rank *r);

#endif
