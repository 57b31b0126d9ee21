/*
 * call.h - what one thread of a rank has another thread run.
 *
 * Role: carries what a ULT asks of the communication thread, and owners of each other.  The asker
 *       provides the storage, most often inside a larger struct (jdi_container_of).
 * Owner: whoever asks until it is posted, then the thread that runs it.
 * Invariants: I1 a call is run exactly once for each post.  The runner does not touch the call
 *                afterwards, because its storage may be gone.
 *             I2 calls of one sender run in the order in which they were posted.
 * Order: posted calls: [pair: mailbox-head].
 * See: jdi_rank_post, jdi_worker_post; core/mailbox.h.
 */
#ifndef JDI_SCHED_CALL_H
#define JDI_SCHED_CALL_H

#include "core/container.h"
#include "core/mailbox.h"

struct jdi_rank;

struct jdi_call {
    struct jdi_letter letter;
    void (*run)(struct jdi_rank *rank, struct jdi_call *call);
};

/* Run the calls in the mailbox, oldest first.  Only the reader of the mailbox may do this. */
static inline void jdi_call_run_all(struct jdi_rank *r, struct jdi_mailbox *m)
{
    struct jdi_letter *l = jdi_mailbox_take_all(m);
    while (l) {
        struct jdi_letter *next = l->next; /* run() may end the life of the call */
        struct jdi_call *call = jdi_container_of(l, struct jdi_call, letter);
        call->run(r, call);
        l = next;
    }
}

#endif
