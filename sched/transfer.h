/*
 * transfer.h - messages with tasks between ranks.
 *
 * Role: sends claimed tasks to a thief; hands tasks that have arrived to the kind of their
 *       collection.
 * Owner: the communication thread.
 * Invariants: I1 claimed tasks are sent; the claim is finished when they have been copied.
 * See: doc/transfer.md; sched/kind.h.
 */
#ifndef JDI_SCHED_TRANSFER_H
#define JDI_SCHED_TRANSFER_H

#include "sched/coll.h"

struct jdi_recipient {
    const struct jdi_am_in *in; /* the STEAL to reply to; NULL: send a message */
    struct jdi_thief thief;
    enum jdi_steal_answer answer;
};

/* The handler of TASKS. */
void jdi_transfer_init(struct jdi_rank *r);
/* If `in` is NULL handlers may run, so c may have ended afterwards. */
void jdi_transfer_send(jd_coll *c, const struct jdi_recipient *to,
                       const struct jdi_claim *taken);

#endif
