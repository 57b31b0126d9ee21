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

/* What is locked is the lock that `find` has returned. */
struct jdi_select_ops {
    /* The lock of what the case is about, which stays until the end of the rank; NULL: there can be no
     * such thing.  No lock is held. */
    struct jdi_lock *(*find)(const jd_self *me, const jd_case *c);
    /* Locked: false if there is no such thing, or not for such a case. */
    bool (*check)(struct jdi_lock *l, const jd_case *c);
    /* Locked: carry the case out if nobody has to wait for it.  0, JD_ECLOSED, or JD_EAGAIN: not now.
     * `met` are the settled waits of those whom it let go on; it stays as it is if there is none. */
    int (*attempt)(struct jdi_lock *l, const jd_case *c, struct jdi_wait **met);
    /* Locked: the line that the case waits in, also when what it is about is another thing by now. */
    struct jdi_line *(*line)(struct jdi_lock *l, const jd_case *c);
};

#endif
