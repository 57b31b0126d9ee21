/*
 * mailbox.h - many senders, one reader: how threads hand something over without a lock.
 *
 * Role: requests to the communication worker, and ready ULTs to a worker.
 * Owner: any thread puts; one thread takes.
 * Invariants: I1 what was put is taken once. I2 of one sender's letters the earlier is
 *             taken first.
 * Order: [pair: mailbox-head] what the sender wrote before what the reader does with it.
 * See: test/unit/core_mailbox_*.
 *
 * put is lock-free (its CAS fails only because another put or take succeeded), take_all is
 * wait-free.  A letter may be put again once it has been taken.
 */
#ifndef JDI_CORE_MAILBOX_H
#define JDI_CORE_MAILBOX_H

#include "core/base.h"

#include <stdatomic.h>

struct jdi_letter {
    struct jdi_letter *next;
};

struct jdi_mailbox {
    _Atomic(struct jdi_letter *) head; /* newest first; NULL: empty */
};

static inline void jdi_mailbox_init(struct jdi_mailbox *m)
{
    atomic_init(&m->head, NULL);
}

/* Any thread.  The caller then wakes the reader. */
static inline void jdi_mailbox_put(struct jdi_mailbox *m, struct jdi_letter *l)
{
    struct jdi_letter *head = atomic_load_explicit(&m->head, memory_order_relaxed);
    do
        l->next = head;
    /* [pair: mailbox-head] release: the letter's contents. */
    while (!atomic_compare_exchange_weak_explicit(
        &m->head, &head, l, memory_order_release, memory_order_relaxed));
}

/* Any thread: a hint. */
static inline bool jdi_mailbox_empty(const struct jdi_mailbox *m)
{
    return !atomic_load_explicit(&m->head, memory_order_relaxed);
}

/* The reader: everything that is there, oldest first, or NULL. */
static inline struct jdi_letter *jdi_mailbox_take_all(struct jdi_mailbox *m)
{
    if (jdi_mailbox_empty(m))
        return NULL;
    /* [pair: mailbox-head] acquire: the letters' contents. */
    struct jdi_letter *l = atomic_exchange_explicit(&m->head, NULL, memory_order_acquire);
    struct jdi_letter *oldest = NULL;
    while (l) {
        struct jdi_letter *next = l->next;
        l->next = oldest;
        oldest = l;
        l = next;
    }
    return oldest;
}

#endif
