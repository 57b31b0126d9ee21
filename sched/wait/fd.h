/*
 * fd.h - waits for descriptors.
 *
 * Role: the entries of a rank's descriptors, with places for those who wait; made and freed with the
 *       rank.
 * Owner: any worker of the rank, and the poller's thread: each entry has a lock.
 * Invariants: I1 to I4 of fd.c.
 * See: doc/waiting.md "Descriptors".
 */
#ifndef JDI_SCHED_WAIT_FD_H
#define JDI_SCHED_WAIT_FD_H

#include "sched/wait/entry.h"

/* A place of a wait in an entry; lies where the wait does. */
struct jdi_fd_place {
    struct jdi_wait *wait;
    int what; /* JD_IN, JD_OUT */
    int result; /* by which this place has ended the wait: a mask or an error; 0: it has not */
    bool refused; /* an error of the kernel */
    const struct jdi_entry
        *entry; /* of a case of jd_select: the wait ends with its index; NULL */
    struct jdi_fd_place *next; /* of those that the same event ends */
};

/*
 * Put a place whose `wait` and `what` are set, and whose `result` is 0, into the entry of fd.  After 0 the
 * wait may end at any time, with `result`.  JD_EBUSY: another wait has the place; JD_ENOMEM, JD_ESYS: there is no
 * entry or no poller.  A stream of the rank, in real time.
 */
int jdi_fd_join(struct jdi_worker *by, int fd, struct jdi_fd_place *p);
/* Take it out again, if the wait has ended otherwise: before its memory ends. */
void jdi_fd_leave(struct jdi_rank *r, int fd, struct jdi_fd_place *p);

/* Before and after the workers.  The latter ends the poller: nothing of it runs when this returns. */
void jdi_fd_init(struct jdi_rank *r);
void jdi_fd_free_all(struct jdi_rank *r);

#endif
