/*
 * call.h - something that one thread of a rank has another one run.
 *
 * Role: what ULTs ask of the communication thread, and owners of each other; lies with whoever
 *       asks, and most often inside something larger (jdi_container_of).
 * Owner: whoever asks until it is posted, then the thread that runs it.
 * Invariants: I1 a call is run exactly once for each post, and is not touched afterwards: its
 *                owner may be gone.
 *             I2 of one sender's calls the earlier is run first.
 * Order: letters: [pair: mailbox-head].
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

/* The reader of a mailbox of calls: run what has come, oldest first. */
static inline void jdi_call_run_all(struct jdi_rank *r, struct jdi_mailbox *m)
{
    struct jdi_letter *l = jdi_mailbox_take_all(m);
    while (l) {
        struct jdi_letter *next = l->next; /* run() may let the letter's owner go */
        struct jdi_call *call = jdi_container_of(l, struct jdi_call, letter);
        call->run(r, call);
        l = next;
    }
}

#endif
