/*
 * pool.h - where the tasks of finishes lie: two internal collections of a rank, and its hands.
 *
 * Role: spawning, running and taking tasks of finishes.  The pool is made when the first finish in
 *       the job is opened.
 * Owner: the communication thread makes the pool; afterwards it is constant but for the fields so
 *        marked.
 * Invariants: I1 a rank has a pool before it opens a finish or gets a task of one.
 * Order: [pair: rank-pool] the pool's fields before whoever sees the pool.
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
        *here; /* any: tasks for every rank; here: tasks that stay at this rank */
    struct jdi_hand *comm; /* the communication hand */
    unsigned nhands;
    bool
        traced; /* its tasks are recorded, or their probes looked at: they have numbers */
    /* Writer and reader: the communication hand. */
    struct jdi_keytable remote;    /* finishes in which other ranks take part */
    struct jdi_keytable cancelled; /* names of finishes: doc/async.md "Cancellation" */
    uint64_t messages;             /* number of messages with tasks that were packed */
    uint64_t arrivals;             /* number of messages with tasks that came in */
    struct jdi_letter *outbox, *outbox_last; /* tasks of jd_async_at, oldest first */
    uint64_t outbox_late; /* when the oldest is sent although other messages wait */
    struct jdi_part *all; /* the root of jd_finish_spmd while it is open */
    jd_self *all_waiter;  /* the body */
    bool all_cancelled;   /* the last jd_finish_spmd was cancelled */
    uint32_t all_phase;
    uint32_t all_told; /* the last phase for which CANCELLED has come */
    /* Writers: any thread. */
    JDI_ALIGNED _Atomic uint64_t
        outgoing; /* relaxed: tasks of jd_async_at not sent yet */
    struct jdi_hand hand[];
};

/* The rank's pool; NULL if this rank has not heard of any finish in the job. */
static inline struct jdi_pool *jdi_pool_of(const struct jdi_rank *r)
{
    /* [pair: rank-pool] acquire: its contents. */
    return atomic_load_explicit(&r->pool, memory_order_acquire);
}
static inline struct jdi_hand *jdi_hand_of(const jd_self *me)
{
    return &jdi_pool_of(me->rank)->hand[me->worker->index];
}

/* The rank's pool, made if there is none; NULL when the job ends.  Communication thread. */
static inline struct jdi_pool *jdi_pool_needed(struct jdi_rank *r)
{
    if (!jdi_pool_of(r))
        (void)r->on_unknown(r, JDI_POOL_ANY);
    return jdi_pool_of(r);
}

/* The caller's shelf in `here` if `home` is true, else in `any`. */
static inline struct jdi_shelf *jdi_pool_shelf(const jd_self *me, bool home)
{
    const struct jdi_hand *h = me->part->hand;
    return home ? &h->here->shelf : &h->any->shelf;
}
/* Make and count a task of the caller's finish for that shelf.  The caller writes the argument, then
 * publishes the task (jdi_store_put, jdi_store_drafted).  Returns NULL and sets *error on failure.
 * Handles every case. */
struct jdi_task *jdi_pool_spawn(jd_self *me, bool home, jd_task fn, size_t size,
                                int *error);
/* The same, of a task that can have a name. */
struct jdi_task *jdi_pool_spawn_named(jd_self *me, bool home, jd_task fn, size_t size,
                                      int *error);
/* The same, of a task that gets no label. */
struct jdi_task *jdi_pool_make(jd_self *me, bool home, jd_task fn, size_t size,
                               int *error);
/* Where the argument of a new task lies, for the caller of jdi_pool_spawn. */
static inline void *jdi_pool_arg(struct jdi_task *t)
{
    return (unsigned char *)jdi_task_arg(t) + jdi_task_label_head(t->flags);
}
/* Run up to `fuel` tasks of the caller's shelf in c; return how many ran. */
uint32_t jdi_pool_run(jd_self *me, jd_coll *c, uint32_t fuel);
/* The same, and each task is recorded. */
uint32_t jdi_pool_run_traced(jd_self *me, jd_coll *c, uint32_t fuel);
/* Run tasks of p on the stack of a frame that waits for p, a part of the frame's hand.  Stops when
 * the youngest task of neither shelf is of p, or when another ULT waits for the worker. */
void jdi_pool_help(jd_self *me, struct jdi_part *p);
/* Count the n youngest tasks, which have come from other hands, in parts of this hand. */
void jdi_pool_taken(jd_coll *c, struct jdi_seat *mine, uint64_t n);
/* `me`, a task, goes on on another worker than before: that worker counts it from here on. */
void jdi_pool_moved(jd_self *me);

/* Has the task that runs a name, and so have those that it spawns? */
static inline bool jdi_pool_names(const jd_self *me)
{
    return me->child && me->part && jdi_pool_of(me->rank)->any->recall;
}
/* The youngest task on the shelf of the hand, which a steal log sends elsewhere, is complete: send it, unless somebody
 * has it already. */
void jdi_pool_divert(struct jdi_hand *h);
static inline void jdi_pool_keep_promise(struct jdi_hand *h)
{
    if (JDI_UNLIKELY(h->any->promised))
        jdi_pool_divert(h);
}

/* Assert what holds when no finish is open on this rank, and none of its tasks is here. */
void jdi_pool_check(const struct jdi_pool *a);
/* Drop the argument of a task that will not run. */
void jdi_pool_drop(struct jdi_rank *r, struct jdi_task *t);

#endif
