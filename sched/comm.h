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

/* transfer.c: the handler of JDI_MSG_TASKS; taking tasks of a collection and sending them. */
struct jdi_recipient {
    const struct jdi_am_in *in; /* the STEAL to reply to, or NULL: by a request */
    struct jdi_thief thief;
    enum jdi_steal_answer answer;
};
void jdi_transfer_init(struct jdi_rank *r);
/* Without `in` handlers may run: c may have ended since. */
void jdi_transfer_send(jd_coll *c, const struct jdi_recipient *to,
                       const struct jdi_claim *taken);

/* ask.c: requests, answers and loads; the steal policy of a collection. */
void jdi_ask_init(struct jdi_rank *r);
void jdi_ask_handlers(struct jdi_rank *r);
void jdi_ask_clear_loads(struct jdi_rank *r);
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

/* detect.c: the detector of a collection. */
void jdi_td_glue_init(struct jdi_rank *r);
void jdi_td_open(jd_coll *c);

/* coll_api.c: a destroy that waits for others. */
void jdi_coll_destroy_turn(struct jdi_rank *r);

#endif
