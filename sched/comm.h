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

/* The base context of the polling worker: runs `first` until the rank stops. */
void jdi_comm_inline(struct jdi_worker *w, jd_self *first);
/* The loop of a communication thread of its own, until the rank stops. */
void jdi_comm_dedicated(struct jdi_rank *r);

/* The body's ULT, to be the first of worker 0; launch.c. */
jd_self *jdi_body_new(struct jdi_worker *w);

/* transfer.c: handlers of JDI_MSG_STEAL, _TASKS and _NOWORK, and asking a victim. */
void jdi_transfer_init(struct jdi_rank *r);
void jdi_transfer_ask(jd_coll *c, uint32_t victim);
/* Make tasks that came before their phase live; on entering it. */
void jdi_transfer_unhold(jd_coll *c);

/* td_glue.c: the detector of a collection. */
void jdi_td_glue_init(struct jdi_rank *r);
void jdi_td_open(jd_coll *c);

/* coll_api.c: a destroy that waits for others. */
void jdi_coll_destroy_turn(struct jdi_rank *r);

#endif
