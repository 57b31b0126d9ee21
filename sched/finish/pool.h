/*
 * pool.h - where the tasks of finishes lie: two internal collections of a rank, and its hands.
 *
 * Role: made when the first finish in the job is opened; spawning, running, taking.
 * Owner: made by the communication thread; constant then but for the parts so marked.
 * Invariants: I1 a rank has it before it opens a scope or gets a task of one.
 * Order: [pair: rank-async] whoever sees it sees what is in it.
 * See: doc/async.md; sched/finish/part.h.
 */
#ifndef JDI_SCHED_POOL_H
#define JDI_SCHED_POOL_H

#include "sched/comm.h"
#include "sched/finish/remote.h"

enum {
    JDI_POOL_HOME = 0,
    JDI_POOL = 1,
    JDI_POOL_SLOT = JDI_TASK_HEAD + JDI_TASK_ARG_DEFAULT
};

struct jdi_async {
    jd_coll *pool, *home;
    struct jdi_hand *comm; /* the communication hand */
    unsigned nhands;
    /* The communication hand's. */
    struct jdi_keytable away;      /* scopes that other ranks have part in */
    struct jdi_keytable cancelled; /* names of scopes: doc/async.md "Cancellation" */
    uint64_t messages;             /* with tasks, packed */
    struct jdi_letter *outbox, *outbox_last; /* tasks of jd_async_at, oldest first */
    struct jdi_part *all; /* the root of jd_finish_spmd while it is open */
    jd_self *all_waiter;  /* the body */
    bool all_cancelled;   /* the last one was */
    uint32_t all_phase;
    /* Any thread. */
    JDI_ALIGNED _Atomic uint64_t parcels; /* relaxed: tasks of jd_async_at not sent yet */
    struct jdi_hand hand[];
};

/* NULL: nobody in the job has opened a finish yet, as far as this rank knows. */
static inline struct jdi_async *jdi_async_of(const struct jdi_rank *r)
{
    /* [pair: rank-async] acquire: its contents. */
    return atomic_load_explicit(&r->async, memory_order_acquire);
}
static inline struct jdi_hand *jdi_hand_of(const jd_self *me)
{
    return &jdi_async_of(me->rank)->hand[me->worker->index];
}

/* The communication thread: as jdi_async_of, made if it is not there; NULL when the job ends. */
static inline struct jdi_async *jdi_pool_needed(struct jdi_rank *r)
{
    if (!jdi_async_of(r))
        (void)r->on_unknown(r, JDI_POOL);
    return jdi_async_of(r);
}
/* finish.c: have the rank make it if there is none yet.  Suspends. */
void jdi_pool_need(jd_self *me);

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

/* wire.c.  Communication hand: fill m, but for the destination and arg0, from a claim
 * of c; the caller sends and frees what is returned. */
void *jdi_pool_export(jd_coll *c, const struct jdi_claim *claim, struct jdi_am_msg *m);
/* The same for tasks that have come: they become live in c. */
void jdi_pool_import(jd_coll *c, uint32_t src, const struct jdi_am_msg *m);
/* Send a task of the caller's scope to a rank: 0, or JD_ENOMEM. */
int jdi_pool_send(jd_self *me, uint32_t dst, const struct jdi_task *head,
                  const void *arg);
void jdi_pool_move_init(struct jdi_rank *r);

/* range.c: run a task that is a range; arg as it lies in the slot. */
void jdi_range_run(jd_self *me, jd_task fn, void *arg);

/* finish_all.c: has this rank nothing to do in the scope of all ranks?  And: it has ended. */
bool jdi_spmd_idle(const jd_coll *pool);
void jdi_spmd_announced(jd_coll *pool, uint32_t phase, const uint64_t stat[JDI_TD_STATS]);

/* cancel.c: has this rank heard that it was cancelled?  Communication hand. */
bool jdi_cancel_known(const struct jdi_async *a, jd_finish_id id);
/* A cancelled finish has ended: root, still whole, at its hand. */
void jdi_cancel_over(struct jdi_part *root);
void jdi_cancel_init(struct jdi_rank *r);
/* The end of the job, streams joined, on all ranks: poll until what ranks have told each
 * other has arrived; then free what is left of a job that has failed. */
void jdi_cancel_settle(struct jdi_rank *r);
void jdi_cancel_free(struct jdi_async *a);

#endif
