/*
 * pool.h - where the tasks of finishes lie: two internal collections of a rank, and its hands.
 *
 * Role: made when the first finish in the job is opened; spawning, running, taking.
 * Owner: made by the communication thread; constant then but for the parts so marked.
 * Invariants: I1 a rank has it before it opens a scope or gets a task of one.
 * Order: [pair: rank-pool] whoever sees it sees what is in it.
 * See: doc/async.md; sched/finish/part.h.
 */
#ifndef JDI_SCHED_FINISH_POOL_H
#define JDI_SCHED_FINISH_POOL_H

#include "sched/finish/part.h"

enum {
    JDI_POOL_HERE = 0,
    JDI_POOL_ANY = 1,
    JDI_POOL_SLOT = JDI_TASK_HEAD + JDI_TASK_ARG_DEFAULT
};

struct jdi_pool {
    jd_coll *any,
        *here; /* tasks that any rank may run, and those that stay at this one */
    struct jdi_hand *comm; /* the communication hand */
    unsigned nhands;
    /* The communication hand's. */
    struct jdi_keytable remote;    /* scopes that other ranks have part in */
    struct jdi_keytable cancelled; /* names of scopes: doc/async.md "Cancellation" */
    uint64_t messages;             /* with tasks, packed */
    struct jdi_letter *outbox, *outbox_last; /* tasks of jd_async_at, oldest first */
    struct jdi_part *all; /* the root of jd_finish_spmd while it is open */
    jd_self *all_waiter;  /* the body */
    bool all_cancelled;   /* the last one was */
    uint32_t all_phase;
    uint32_t all_told; /* the last one of which CANCELLED has come */
    /* Any thread. */
    JDI_ALIGNED _Atomic uint64_t
        outgoing; /* relaxed: tasks of jd_async_at not sent yet */
    struct jdi_hand hand[];
};

/* NULL: nobody in the job has opened a finish yet, as far as this rank knows. */
static inline struct jdi_pool *jdi_pool_of(const struct jdi_rank *r)
{
    /* [pair: rank-pool] acquire: its contents. */
    return atomic_load_explicit(&r->pool, memory_order_acquire);
}
static inline struct jdi_hand *jdi_hand_of(const jd_self *me)
{
    return &jdi_pool_of(me->rank)->hand[me->worker->index];
}

/* The communication thread: as jdi_pool_of, made if it is not there; NULL when the job ends. */
static inline struct jdi_pool *jdi_pool_needed(struct jdi_rank *r)
{
    if (!jdi_pool_of(r))
        (void)r->on_unknown(r, JDI_POOL_ANY);
    return jdi_pool_of(r);
}

/* A task of the caller's scope, counted, its argument still to be written; NULL with *error
 * set.  For every case; `home`: into the home pool. */
struct jdi_task *jdi_pool_spawn(jd_self *me, bool home, jd_task fn, size_t size,
                                int *error);
/* Run up to `fuel` tasks of the caller's shelf in c; how many. */
uint32_t jdi_pool_run(jd_self *me, jd_coll *c, uint32_t fuel);
/* On the stack of a frame that waits for p, of its hand: run tasks of p, as long as the youngest of
 * a shelf is one, and nothing else wants the worker. */
void jdi_pool_help(jd_self *me, struct jdi_part *p);
/* Those that have come from other hands are counted in parts of this one. */
void jdi_pool_taken(jd_coll *c, struct jdi_seat *mine, uint64_t n);

/* Let go of an argument that will not be run. */
void jdi_pool_drop(struct jdi_rank *r, struct jdi_task *t);

#endif
