/*
 * collective.h - what the body asks of the communication thread and waits for.
 *
 * Role: a call on the body's stack, with a reduction over all ranks if it needs one, and a result.
 * Owner: the body until it suspends, then the communication thread until it resumes the body.
 * Invariants: I1 jdi_unblock is the last thing done to it.
 * See: sched/call.h; sched/coll_api.c, sched/data/mem.c.
 */
#ifndef JDI_SCHED_COLLECTIVE_H
#define JDI_SCHED_COLLECTIVE_H

#include "sched/coll.h"

struct jdi_collective {
    struct jdi_call call;
    jd_self *me;
    jd_coll *coll;
    struct jdi_am_reduce reduce;
    uint64_t value[2];
    bool stepped;            /* the second part has been started */
    enum jdi_coll_state was; /* state before the destroy */
    uint64_t epoch;          /* of the rank, at the destroy */
    int error;
};

/* Suspend `me` while the communication thread runs `run`; returns all->error. */
int jdi_collective(jd_self *me, struct jdi_collective *all,
                   void (*run)(struct jdi_rank *r, struct jdi_call *call));
/* Start all->reduce over n words; the body goes on when the reduction is done. */
void jdi_collective_reduce(struct jdi_collective *all, uint64_t *value, uint32_t n,
                           enum jdi_am_kind kind, enum jd_op op);
/* Let the body go on with `error`. */
void jdi_collective_done(struct jdi_collective *all, int error);

#endif
