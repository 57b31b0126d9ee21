/*
 * self.h - ULTs that stop and go on, as a task sees itself.
 *
 * Role: the handle of a ULT; how one gives its worker away and another takes it.
 * Owner: a jd_self is touched by the worker that runs it; once it has been published by its
 *        successor, by whoever unblocks it.
 * Invariants: I1 a ULT runs on one worker at a time, me->worker.
 *             I2 `after` runs right after every jump, before anything else of the successor.
 * See: sched/self.c has the states; sched/unblock.h; sched/worker.h.
 */
#ifndef JDI_SCHED_SELF_H
#define JDI_SCHED_SELF_H

#include "sched/rank.h"

struct jdi_part;
struct jdi_seat;

/* The ULT that a task sees.  Lives as long as its ULT. */
struct jd_self {
    struct jdi_worker *worker; /* where it runs now; writer: whoever jumps to it */
    jd_coll *coll;             /* of the running task; NULL in the body */
    struct jdi_seat *seat;     /* the worker's in coll; follows `worker` */
    struct jdi_rank *rank;
    struct jdi_part
        *part; /* of the innermost finish; NULL: none, see sched/finish/part.h */
    struct jdi_ult *ult;
    uintptr_t stack;         /* an address near its beginning */
    struct jdi_letter ready; /* in a worker's mailbox or list */
    bool is_body;
    struct jd_self *next; /* in a worker's list of spare or dead ULTs */
};

/* See rank->mark_of. */
static inline const _Atomic bool *jdi_rank_mark(const jd_self *me)
{
    return me->rank->mark_of ? me->rank->mark_of(me) : NULL;
}

/* Runs in the successor of a jump, on the same worker. */
struct jdi_after {
    void (*fn)(jd_self *stopped, void *arg);
    jd_self *stopped;
    void *arg;
};

/* A new loop ULT for this rank; NULL when out of memory.  Any stream. */
jd_self *jdi_self_new(struct jdi_rank *r, bool is_body);
/* Stop `me` and go on with the loop `next`; `after` runs there.  Returns when resumed. */
void jdi_self_switch(jd_self *me, jd_self *next, struct jdi_after after);
/* First thing on every arrival, on me->worker, which whoever jumped has set. */
void jdi_self_arrive(jd_self *me);
/* A loop to go on with: spare or new.  Ends the job when there is no memory for one. */
jd_self *jdi_self_loop(struct jdi_worker *w);
/* The ULT that `me` ends with: `me` is buried by its worker, another goes on. */
struct jdi_ult *jdi_self_end(jd_self *me);
/* The next ready ULT, or NULL; NULL too when so many have gone on that it is the turn of
 * tasks and the network. */
jd_self *jdi_self_next_ready(struct jdi_worker *w);

/* Stop `me` until call->run, in the communication worker, calls jdi_unblock. */
void jdi_self_call(jd_self *me, struct jdi_call *call);

#endif
