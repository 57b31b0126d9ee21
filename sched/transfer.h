/*
 * transfer.h - messages with tasks between ranks.
 *
 * Role: sends tasks that were claimed, as an answer to a thief or of its own accord; hands those
 *       that have come to the kind of their collection.
 * Owner: the communication thread.
 * Invariants: I1 what was claimed is sent, and finished when it has been copied.
 * See: doc/transfer.md; sched/kind.h.
 */
#ifndef JDI_SCHED_TRANSFER_H
#define JDI_SCHED_TRANSFER_H

#include "sched/coll.h"

struct jdi_recipient {
    const struct jdi_am_in *in; /* the STEAL to reply to, or NULL: by a request */
    struct jdi_thief thief;
    enum jdi_steal_answer answer;
};

/* The handler of TASKS. */
void jdi_transfer_init(struct jdi_rank *r);
/* Without `in` handlers may run: c may have ended since. */
void jdi_transfer_send(jd_coll *c, const struct jdi_recipient *to,
                       const struct jdi_claim *taken);

#endif
