/*
 * retain.h - retained seeds on their way to the shelf of the worker that ran them.
 *
 * Role: after JD_RESTORE_RETAIN each worker has a list of the seeds that it executed; it puts them
 *       onto its own shelf when it first looks at the collection in the next phase.
 * Owner: the body from restore() to the start; then whoever sets `waiting` to false.
 * Invariants: I1 the tasks of a list are counted in, in the body's account, before the list waits.
 *             I2 a list is put onto one shelf, once: the shelf of its worker, or, if that worker
 *                does not come, the shelf where tasks from other ranks land.
 *             I3 the first task of a list lies youngest on the shelf, so its owner runs the list
 *                in order, and thieves take from its end.  The list of a timed collection has its
 *                long seeds first, the longest of all before the others; seeds of the same bin, and
 *                those that are not long, in the order in which they ran.
 * Order: [pair: retain-waiting] the list, and the start of its phase, before whoever fetches it.
 * See: doc/transfer.md "Seeds that are retained"; paper 003, section 6.
 *
 *   state     event                                         next      who
 *   EMPTY     restore(), and the worker has run seeds       LISTED    body
 *   LISTED    the phase starts                              WAITING   comm
 *   WAITING   its worker is about to run tasks              EMPTY     that worker
 *   WAITING   its worker has not come for LATE_NS, and      EMPTY     comm
 *             workers may take tasks from each other
 */
#ifndef JDI_SCHED_RETAIN_H
#define JDI_SCHED_RETAIN_H

#include "sched/record.h"

#include <stdatomic.h>

struct jdi_seat;

struct jdi_retained {
    struct jdi_record seeds; /* in the order in which they ran; I3 */
    uint64_t id;             /* of the first; the others follow */
    _Atomic bool waiting;    /* [pair: retain-waiting] */
};

/* Does a list wait here?  Any thread; a guess for all but the worker of the seat. */
static inline bool jdi_retained_waits(const struct jdi_retained *list)
{
    return atomic_load_explicit(&list->waiting, memory_order_relaxed);
}

/* Make each worker's list of what it kept, and count all of it in.  The body, in restore(). */
void jdi_retain_list(jd_self *me, jd_coll *c);
/* The phase has been opened: let the lists wait.  Communication thread. */
void jdi_retain_begin(jd_coll *c, uint64_t now);
/* Put the list of `seat` onto its shelf, if it waits.  The worker of the seat.  Ends the job when
 * out of memory. */
void jdi_retain_fetch(jd_coll *c, struct jdi_seat *seat);
/* Put lists that nobody has fetched for long where others can take them.  Communication thread. */
void jdi_retain_turn(jd_coll *c, uint64_t now);
void jdi_retain_fini(struct jdi_retained *list);

#endif
