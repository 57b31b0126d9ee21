/*
 * async.c - the public calls that spawn.
 *
 * Role: jd_async, jd_async_inplace, jd_async_local, jd_async_at.
 * Owner: the caller; a task is counted in me->part.
 * Invariants: I1 a spawned task is counted before anybody else can see it.
 * See: doc/async.md; sched/pool.c has every case, this file the common one.
 */
#include "sched/pool.h"

/* As jdi_pool_spawn into the pool, or NULL if it is not that simple. */
static inline struct jdi_task *spawn_fast(jd_self *me, jd_task fn, size_t size)
{
    struct jdi_part *p = me->part;
    if (JDI_UNLIKELY(!p || size > JDI_TASK_ARG_DEFAULT))
        return NULL;
    struct jdi_hand *h = p->hand;
    struct jdi_lane *l = h->pool;
    struct jdi_deque *d = &l->deque;
    if (JDI_UNLIKELY(fn >= h->ntasks || d->head == d->limit || jdi_deque_stingy(d)))
        return NULL;
    struct jdi_task *t = jdi_deque_slot(d, d->head++);
    p->live++;
    jdi_count(&l->in, 1);
    t->id = (uintptr_t)p;
    t->fn = fn;
    t->flags = 0;
    t->len = (uint32_t)size;
    return t;
}

/* A call of memcpy takes as long as all the rest. */
static inline void copy_small(void *to, const void *from, size_t size)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if (size >= 8) {
        for (size_t i = 0; i + 8 < size; i += 8)
            memcpy(t + i, f + i, 8);
        memcpy(t + size - 8, f + size - 8, 8);
    } else {
        for (size_t i = 0; i < size; i++)
            t[i] = f[i];
    }
}

static JDI_NOINLINE int spawn_slow(jd_self *me, bool home, jd_task fn, const void *arg,
                                   size_t size)
{
    int error;
    struct jdi_task *t = jdi_pool_spawn(me, home, fn, size, &error);
    if (t && size)
        memcpy(jdi_task_arg(t), arg, size);
    return error;
}

int jd_async(jd_self *me, jd_task task, const void *arg, size_t size)
{
    struct jdi_task *t = spawn_fast(me, task, size);
    if (JDI_UNLIKELY(!t))
        return spawn_slow(me, false, task, arg, size);
    copy_small(t->arg, arg, size);
    return 0;
}

static JDI_NOINLINE void *inplace_slow(jd_self *me, jd_task task, size_t size)
{
    int error;
    struct jdi_task *t = jdi_pool_spawn(me, false, task, size, &error);
    return t ? jdi_task_arg(t) : NULL;
}

void *jd_async_inplace(jd_self *me, jd_task task, size_t size)
{
    struct jdi_task *t = spawn_fast(me, task, size);
    return JDI_LIKELY(t) ? t->arg : inplace_slow(me, task, size);
}

int jd_async_local(jd_self *me, jd_task task, const void *arg, size_t size)
{
    return spawn_slow(me, true, task, arg, size);
}

int jd_async_at(jd_self *me, uint32_t rank, jd_task task, const void *arg, size_t size)
{
    if (rank >= me->rank->am->nranks)
        return JD_EINVAL;
    if (rank == me->rank->am->rank)
        return spawn_slow(me, true, task, arg, size);
    if (!me->part)
        return JD_ESTATE;
    if (task >= me->rank->registry.count)
        return JD_EINVAL;
    if (size > JDI_TASK_ARG_MAX)
        return JD_ETOOBIG;
    struct jdi_task head = {.fn = task, .len = (uint32_t)size};
    return jdi_pool_send(me, rank, &head, arg);
}
