/*
 * comm.h - the communication worker: the one thread of a rank that talks to the network.
 *
 * Role: mail from workers, messages, steal requests, the detector: one turn after the other.
 * Owner: the communication thread (JACKDAW_COMM=dedicated: its own; inline: worker 0's
 *        stream, on its base context, never on a task's stack).
 * Invariants: I1 nothing here waits for a task or holds a lock over a poll.
 * See: ARCHITECTURE.md "Life of a steal"; doc/transfer.md.
 */
#ifndef JDI_SCHED_COMM_H
#define JDI_SCHED_COMM_H

#include "sched/coll.h"

/* One turn: mail, network, steals, detectors. */
void jdi_comm_turn(struct jdi_rank *r, uint64_t now);

/* The stream of the polling worker: its base context polls between ULTs.  A jdi_stream_fn. */
void jdi_comm_stream(void *rank, unsigned index, struct jdi_ult *base);
/* The loop of a communication thread of its own, until the rank stops. */
void jdi_comm_dedicated(struct jdi_rank *r);

#endif
