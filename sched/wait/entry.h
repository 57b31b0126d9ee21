/*
 * entry.h - a place in the line of those who wait for an object.
 *
 * Role: ties the place to the wait that it stands for, and says what the wait ends with.
 * Owner: the ULT that waits provides the storage: its stack, or a case of jd_select.  While the entry is in
 *        a line, it is under the lock of the object.
 * Invariants: I1 a wait may have several entries, in different lines.  Whoever claims the wait finds it by
 *                one of them; the ULT takes the others out when it goes on.
 *             I2 whoever has claimed the wait writes what it ends with, so nobody else does.
 * Order: [pair: lock]; [pair: wait-end] what the wait ends with, also in a case, before its ULT goes on.
 * See: doc/waiting.md "Lines".
 */
#ifndef JDI_SCHED_WAIT_ENTRY_H
#define JDI_SCHED_WAIT_ENTRY_H

#include "core/container.h"
#include "core/line.h"
#include "sched/wait/wait.h"

struct jdi_entry {
    struct jdi_link link;
    struct jdi_wait *wait;
    /* Of a case of jd_select; NULL: the wait has no other entry, and ends with the error itself. */
    int *error;
    int index;     /* of that case: the wait ends with it */
    bool reserves; /* in a channel: it waits for room, and has no item yet */
    void *item;    /* in a channel: where the item is, or shall be */
};

/* The first who still waits, claimed and out of the line; NULL: there is none.  Those before it have
 * ended otherwise, and are thrown out. */
static inline struct jdi_entry *jdi_entry_claim(struct jdi_line *l)
{
    while (l->first) {
        struct jdi_entry *e = jdi_container_of(l->first, struct jdi_entry, link);
        jdi_line_leave(l, &e->link);
        if (jdi_wait_claim(e->wait))
            return e;
    }
    return NULL;
}

/* Say what the wait of a claimed entry ends with: 0 or JD_ECLOSED.  Returns the wait, which the caller
 * ends with jdi_entry_end when it holds no lock. */
static inline struct jdi_wait *jdi_entry_settle(struct jdi_entry *e, int error)
{
    struct jdi_wait *w = e->wait;
    w->result = error;
    if (e->error) { /* its ULT looks after the end of the wait */
        *e->error = error;
        w->result = e->index;
    }
    return w;
}

/* End a chain of settled waits.  No lock is held. */
static inline void jdi_entry_end(struct jdi_worker *by, struct jdi_wait *w)
{
    while (w) {
        struct jdi_wait *next = w->chain;
        jdi_wait_end(by, w, w->result);
        w = next;
    }
}

/* Claim and settle all who still wait, and append them to a chain; returns its new end. */
static inline struct jdi_wait **jdi_entry_settle_all(struct jdi_line *l, int error,
                                                     struct jdi_wait **last)
{
    for (struct jdi_entry *e; (e = jdi_entry_claim(l)); last = &(*last)->chain)
        *last = jdi_entry_settle(e, error);
    return last;
}

#endif
