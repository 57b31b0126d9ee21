/*
 * sched_waiting_kit.h - what the programs that test suspended tasks share.
 *
 * Role: a list of suspended tasks on each rank, and those who resume them.
 * Owner: the list owns a suspended task, then whoever takes the task off the list.
 * Invariants: I1 a handle is resumed on the rank that suspended it.
 * See: include/jackdaw.h, sched/self.c; test/dist/sched_kit.h.
 */
#ifndef JDI_TEST_DIST_SCHED_WAITING_KIT_H
#define JDI_TEST_DIST_SCHED_WAITING_KIT_H

#include "test/dist/sched_kit.h"

#include <pthread.h>
#include <sched.h>

/* A suspended task, on its own stack. */
struct parked {
    jd_self *me;
    struct parked *next;
    struct shared *s;
};

struct shared { /* of one rank */
    _Atomic(struct parked *) list;
    _Atomic uint64_t parked, resumed, done, lights, moved;
    _Atomic bool open, quit;
    pthread_t waker;
};

static inline struct shared *shared_of(jd_self *me)
{
    return jd_coll_local(jd_coll_mine(me));
}

static inline void publish(jd_self *me, void *arg)
{
    struct parked *p = arg;
    struct shared *s = p->s;
    p->me = me;
    p->next = atomic_load_explicit(&s->list, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(
        &s->list, &p->next, p, memory_order_release, memory_order_relaxed))
        ;
    /* From here on the task may run and p be gone. */
    atomic_fetch_add_explicit(&s->parked, 1, memory_order_relaxed);
}

/* Resume whatever is suspended here; any thread, `me` NULL where it runs no ULT. */
static inline unsigned resume_all(jd_self *me, struct shared *s)
{
    struct parked *p = atomic_exchange_explicit(&s->list, NULL, memory_order_acquire);
    unsigned n = 0;
    while (p) {
        struct parked *next = p->next;
        jd_resume(me, p->me);
        p = next;
        n++;
    }
    atomic_fetch_add_explicit(&s->resumed, n, memory_order_relaxed);
    return n;
}

/* ---- tasks --------------------------------------------------------------------------- */

static inline void park_once(jd_self *me, struct shared *s)
{
    struct parked p = {.s = s};
    jd_coll *mine = jd_coll_mine(me);
    jd_suspend(me, publish, &p);
    if (jd_worker(me) >= jd_nworkers(me) || mine != jd_coll_mine(me) || p.me != me)
        atomic_fetch_add_explicit(&s->moved, 1, memory_order_relaxed);
}

static inline void park(jd_self *me, void *arg)
{
    struct shared *s = shared_of(me);
    uint64_t number = *(uint64_t *)arg, copy = number;
    park_once(me, s);
    if (*(uint64_t *)arg != copy) /* the argument has to be there still */
        atomic_fetch_add_explicit(&s->moved, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->done, 1, memory_order_relaxed);
}

static inline void light(jd_self *me, void *arg)
{
    (void)arg;
    atomic_fetch_add_explicit(&shared_of(me)->lights, 1, memory_order_relaxed);
}

/* ---- collections --------------------------------------------------------------------- */

static inline void add(jd_self *me, jd_coll *c, jd_task task, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        must(me, jd_coll_add(me, c, task, &i, sizeof i));
}

static inline jd_coll *make(jd_self *me, struct shared *s)
{
    jd_coll *c = NULL;
    memset(s, 0, sizeof *s);
    must(me, jd_coll_create(me, &(jd_coll_props){.local = s}, &c));
    return c;
}

static inline void end(jd_self *me, jd_coll *c, struct shared *s)
{
    ok_all(me, !atomic_load(&s->moved), "each went on as it was");
    must(me, jd_coll_destroy(me, c));
}

/* Body: go on with reductions until `word` of all ranks adds up to `total`. */
static inline void until(jd_self *me, _Atomic uint64_t *word, uint64_t total)
{
    while (sum_of(me, atomic_load_explicit(word, memory_order_acquire)) < total)
        jd_yield(me);
}

/* ---- a thread of the program --------------------------------------------------------- */

static inline void *waker(void *arg)
{
    struct shared *s = arg;
    while (!atomic_load_explicit(&s->quit, memory_order_relaxed))
        if (!resume_all(NULL, s))
            sched_yield();
    return NULL;
}

static inline bool start_waker(struct shared *s)
{
    return !pthread_create(&s->waker, NULL, waker, s);
}

static inline void stop_waker(struct shared *s)
{
    atomic_store_explicit(&s->quit, true, memory_order_relaxed);
    pthread_join(s->waker, NULL);
}

#endif
