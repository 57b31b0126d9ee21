/*
 * select.h - a wait for the first of several cases.
 *
 * Role: what jd_select asks of a kind of cases.  Each file with a kind has a const struct of operations, and
 *       puts a pointer to it into its row of rank->cases before the workers start.
 * Owner: the ULT that selects; while it waits, whoever has claimed its wait writes to the case.
 * Invariants: I1 to I3 of select.c.
 * See: doc/waiting.md "Select"; sched/wait/event.c is the kind to copy.
 */
#ifndef JDI_SCHED_WAIT_SELECT_H
#define JDI_SCHED_WAIT_SELECT_H

#include "sched/wait/entry.h"

/* The private part of a case. */
struct jdi_select_place {
    struct jdi_entry entry;
    struct jdi_lock *lock;            /* NULL: what the case is about has none here */
    const struct jdi_select_ops *ops; /* NULL: the case is off */
    struct jdi_select_place *next;    /* by lock */
    jd_case *c;
    uint32_t turn;    /* of the i-th case: which case is looked at in turn i */
    uint64_t more[5]; /* of the kind, for as long as the call takes */
};

/* What is locked is the lock that `find` has found. */
struct jdi_select_ops {
    /* Find the lock of what the case is about, which stays a lock until the end of the rank; NULL: none is needed.
     * False: there can be no such thing.  No lock is held. */
    bool (*find)(const jd_self *me, const jd_case *c, struct jdi_lock **lock);
    /* Locked: false if there is no such thing, or not for such a case. */
    bool (*check)(struct jdi_lock *l, const jd_case *c);
    /* Locked: carry the case out if nobody has to wait for it.  0, JD_ECLOSED or another error of the case, or
     * JD_EAGAIN: not now.  `met` are the settled waits of those whom it let go on; it stays as it is if
     * there is none. */
    int (*attempt)(struct jdi_lock *l, const jd_case *c, struct jdi_wait **met);
    /* Locked: the line that the case waits in, also when what it is about is another thing by now.  NULL:
     * the kind has no line of entries, but those below. */
    struct jdi_line *(*line)(struct jdi_lock *l, const jd_case *c);
    /* No lock is held: get what `join` needs.  0, or JD_ENOMEM. */
    int (*prepare)(jd_self *me, struct jdi_select_place *p);
    /* Locked: have p->entry.wait claimed when the case can be carried out. */
    void (*join)(jd_self *me, struct jdi_select_place *p);
    /* No lock is held, and all have joined: do of this what calls the kernel.  NULL: nothing.  An error is the
     * error of the case, which then is the one that is done. */
    int (*begin)(jd_self *me, struct jdi_select_place *p);
    /* No lock is held: after `prepare`, whether it has joined or not. */
    void (*leave)(jd_self *me, struct jdi_select_place *p);
};

#endif
