/*
 * call.h - what the body asks of the communication worker and waits for.
 *
 * Role: a request on the body's stack: mail, an optional reduction, a result.
 * Owner: the body until it suspends, then the communication thread until it resumes it.
 * Invariants: I1 jdi_unblock is the last thing done to a call.
 * See: sched/coll_api.c, sched/launch/calls.c.
 */
#ifndef JDI_SCHED_CALL_H
#define JDI_SCHED_CALL_H

#include "sched/comm.h"

struct jdi_call {
    struct jdi_mail mail; /* first: a mail is a call */
    jd_self *me;
    jd_coll *coll;
    struct jdi_am_reduce reduce;
    uint64_t value[2];
    bool stepped;            /* a second part has been started */
    enum jdi_coll_state was; /* before it was to be destroyed */
    uint64_t epoch;          /* of the rank, when it was to be destroyed */
    int error;
};

/* Suspend `me` while the communication worker runs `run`; returns call->error. */
int jdi_call(jd_self *me, struct jdi_call *call,
             void (*run)(struct jdi_rank *r, struct jdi_mail *mail));
/* Start call->reduce over n words; the body goes on when it is done. */
void jdi_call_reduce(struct jdi_call *call, uint64_t *value, uint32_t n,
                     enum jdi_am_kind kind, enum jd_op op);
/* Let the body go on with `error`. */
void jdi_call_done(struct jdi_call *call, int error);

#endif
