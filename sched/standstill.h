/*
 * standstill.h - ranks whose bodies wait for each other in different calls.
 *
 * Role: ends a job that would stand still for ever because the bodies of two ranks do not call the
 *       same, and names both calls.
 * Owner: the communication thread.
 * Invariants: I1 only ranks that really wait for each other are named, whatever other ranks do.
 * See: sched/standstill.c has the protocol; sched/collective.h, which compares reductions.
 */
#ifndef JDI_SCHED_STANDSTILL_H
#define JDI_SCHED_STANDSTILL_H

#include "am/am.h"

struct jdi_rank;

/*
 * Where a body waits for other ranks: for the end of a phase of a collection, which every rank has to
 * have begun, or, if coll is 0, for a reduction, in which every rank has to take part.
 */
struct jdi_blocked {
    uint32_t rank;
    uint16_t coll; /* 0: in a reduction */
    uint32_t phase;
    uint64_t reductions; /* that the rank has behind it */
    struct jdi_am_side
        side; /* the call; its value: the status of a body that has returned */
};

enum { JDI_STANDSTILL_KNOWN = 4 };

/* The last few waits that a rank has heard of, all with the same reductions behind them. */
struct jdi_blocked_list {
    unsigned n;
    struct jdi_blocked known[JDI_STANDSTILL_KNOWN];
};

struct jdi_blocked_lists {
    struct jdi_blocked_list up;   /* of this rank and those below it */
    struct jdi_blocked_list down; /* of all ranks */
};

struct jdi_standstill {
    bool here;      /* the body waits, at `mine` */
    bool told;      /* this rank has said so */
    uint64_t since; /* ns; 0: no turn has looked yet */
    struct jdi_blocked mine;
    struct jdi_blocked_lists *heard; /* NULL: of no wait so far */
};

/* The body begins to wait: in the reduction that has been started last, or for the end of a phase of
 * c.  `call` is an enum jdi_collective_what. */
void jdi_standstill_reduce(struct jdi_rank *r, const struct jdi_am_reduce *reduce);
void jdi_standstill_wait(struct jdi_rank *r, unsigned call, const jd_coll *c);
/* It waits no more. */
void jdi_standstill_leave(struct jdi_rank *r);

/* Install the handler and the hook.  Called once, before the first barrier.  Fini: after the last message. */
void jdi_standstill_init(struct jdi_rank *r);
void jdi_standstill_fini(struct jdi_rank *r);

#endif
