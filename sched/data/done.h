/*
 * done.h - what is in a jd_done.
 *
 * Role: counts transfers that were started, and those that have ended; the calls are in jackdaw.h.
 * Owner: the ULT whose jd_done it is, and the communication thread: see done.c.
 * Invariants: I1 of done.c.
 * See: doc/data.md "Memory and copies"; sched/data/done.c.
 */
#ifndef JDI_SCHED_DATA_DONE_H
#define JDI_SCHED_DATA_DONE_H

#include "sched/rank.h"

struct jdi_wait;

/* The contents of a jd_done. */
struct jdi_done {
    uint64_t started;
    _Atomic uint64_t ended;  /* [pair: done-ended] */
    struct jdi_wait *waiter; /* writer: the communication thread */
    int error;               /* the first error */
};
_Static_assert(sizeof(struct jdi_done) <= sizeof(jd_done), "it lies in a jd_done");

static inline struct jdi_done *jdi_done_of(jd_done *done)
{
    return (struct jdi_done *)(void *)done;
}

/* One more transfer of d has ended.  Communication thread; does not block. */
void jdi_done_landed(struct jdi_done *d, int error);

#endif
