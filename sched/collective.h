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

/* What a rank does that reduces: other ranks that do something else are told so. */
enum jdi_collective_what {
    JDI_COLLECTIVE_BARRIER = 1,
    JDI_COLLECTIVE_ALLREDUCE_U64,
    JDI_COLLECTIVE_ALLREDUCE_F64,
    JDI_COLLECTIVE_COLL_CREATE,
    JDI_COLLECTIVE_COLL_DESTROY,
    JDI_COLLECTIVE_FINISH_SPMD,
    JDI_COLLECTIVE_MEM_CREATE,
    JDI_COLLECTIVE_MEM_DESTROY,
    JDI_COLLECTIVE_MEM_FREEZE,
    JDI_COLLECTIVE_FUTURES_CREATE,
    JDI_COLLECTIVE_FUTURES_DESTROY,
    JDI_COLLECTIVE_PROCESS, /* reduces nothing, as the next one */
    JDI_COLLECTIVE_COLL_WAIT,
    JDI_COLLECTIVE_COLL_RESTORE,
    JDI_COLLECTIVE_COLL_BALANCE,
    JDI_COLLECTIVE_COLL_GET_LOAD,
    JDI_COLLECTIVE_COLL_SAVE,
    JDI_COLLECTIVE_COLL_LOAD,
    JDI_COLLECTIVE_STATS,
    JDI_COLLECTIVE_END, /* the body has returned; its value: the status, shifted left by one */
    JDI_COLLECTIVE_WHATS
};

struct jdi_collective {
    struct jdi_call call;
    enum jdi_collective_what what; /* if it reduces */
    jd_self *me;
    jd_coll *coll;
    struct jdi_am_reduce reduce;
    uint64_t value[2];
    /* Runs when a reduction is done, on the communication thread; it may start another one, and ends with
     * jdi_collective_done.  NULL: then the body goes on. */
    void (*reduced)(struct jdi_collective *all);
    bool stepped;            /* the second part has been started */
    enum jdi_coll_state was; /* state before the destroy */
    uint64_t epoch;          /* of the rank, at the destroy */
    int error;
};

/* Suspend `me` while the communication thread runs `run`; returns all->error. */
int jdi_collective(jd_self *me, struct jdi_collective *all,
                   void (*run)(struct jdi_rank *r, struct jdi_call *call));
/* Start all->reduce over n words; all->reduced says what comes after it. */
void jdi_collective_reduce(struct jdi_collective *all, uint64_t *value, uint32_t n,
                           enum jdi_am_kind kind, enum jd_op op);
/* am->disagree: end the job, with the status of a body if it is known, and name both calls. */
void jdi_collective_disagree(struct jdi_am *am, const struct jdi_am_side *a,
                             const struct jdi_am_side *b);
/* What jdi_standstill has found: end the job likewise. */
void jdi_collective_differ(struct jdi_rank *r, const struct jdi_blocked *a,
                           const struct jdi_blocked *b) JD_NORETURN;
/* The status of the bodies that a side speaks for; 0 if they have not returned. */
uint64_t jdi_collective_status(const struct jdi_am_side *s);
/* The name of a public call, but for JDI_COLLECTIVE_END. */
const char *jdi_collective_name(unsigned what);
/* Let the body go on with `error`. */
void jdi_collective_done(struct jdi_collective *all, int error);

#endif
