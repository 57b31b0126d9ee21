/*
 * runq.c - the ready ULTs of a worker.
 *
 * Role: see runq.h.
 * Invariants: those of runq.h. I3 pinned ULTs and others are in a list each, both from the newest to the
 *             oldest: `order` falls.  So a thief passes no pinned one, however many there are.
 * Order: [pair: lock], [pair: runq-newest].
 * See: runq.h; test/unit/sched_runq_*.
 */
#include "sched/runq.h"

#include <string.h>

void jdi_runq_init(struct jdi_runq *q, bool alone, const struct jdi_time *time)
{
    q->alone = alone;
    atomic_init(&q->newest, NULL);
    q->time = time;
    q->held = (struct jdi_time_lock){0};
    jdi_lock_init(&q->lock);
    memset(q->list, 0, sizeof q->list);
    q->last_front = q->last_back = 0;
    atomic_init(&q->n, 0);
    atomic_init(&q->movable, 0);
}

static void runq_enter(struct jdi_runq *q)
{
    jdi_time_lock(q->time, &q->held);
    jdi_lock(&q->lock);
}

/* Under the lock, as the following.  Relaxed: the lock shows the rest. */
static void runq_count(struct jdi_runq *q, const jd_self *s, int by)
{
    uint32_t n = atomic_load_explicit(&q->n, memory_order_relaxed);
    uint32_t movable = atomic_load_explicit(&q->movable, memory_order_relaxed);
    atomic_store_explicit(&q->n, n + (uint32_t)by, memory_order_relaxed);
    if (!jdi_self_pinned(s))
        atomic_store_explicit(&q->movable, movable + (uint32_t)by, memory_order_relaxed);
}

static struct jdi_runq_list *list_of(struct jdi_runq *q, const jd_self *s)
{
    return &q->list[jdi_self_pinned(s)];
}

static void unlink_from(struct jdi_runq *q, jd_self *s)
{
    struct jdi_runq_list *l = list_of(q, s);
    *(s->newer ? &s->newer->older : &l->front) = s->older;
    *(s->older ? &s->older->newer : &l->back) = s->newer;
    runq_count(q, s, -1);
}

static void put_front(struct jdi_runq *q, jd_self *s)
{
    jdi_lock(&q->lock);
    struct jdi_runq_list *l = list_of(q, s);
    s->order = ++q->last_front;
    s->newer = NULL;
    s->older = l->front;
    *(l->front ? &l->front->newer : &l->back) = s;
    l->front = s;
    runq_count(q, s, 1);
    jdi_unlock(&q->lock);
}

void jdi_runq_put_front(struct jdi_runq *q, jd_self *s)
{
    jdi_time_lock(q->time, &q->held);
    put_front(q, s);
}

/* Two who take it at the same time do not both get it. */
static jd_self *take_newest(struct jdi_runq *q)
{
    jd_self *s = atomic_load_explicit(&q->newest, memory_order_relaxed);
    if (!s)
        return NULL;
    if (q->alone) /* then only the worker comes here */
        atomic_store_explicit(&q->newest, NULL, memory_order_relaxed);
    else /* [pair: runq-newest] acquire: what who woke the ULT wrote. */
        s = atomic_exchange_explicit(&q->newest, NULL, memory_order_acquire);
    return s;
}

void jdi_runq_put_newest(struct jdi_runq *q, jd_self *s)
{
    JD_ASSERT(q->alone || !jdi_self_pinned(s));
    jdi_time_lock(q->time, &q->held);
    jd_self *old = take_newest(q);
    if (JDI_UNLIKELY(old != NULL))
        put_front(q, old);
    /* [pair: runq-newest] release: what who woke the ULT wrote. */
    atomic_store_explicit(&q->newest, s, memory_order_release);
}

void jdi_runq_put_back(struct jdi_runq *q, jd_self *s)
{
    runq_enter(q);
    struct jdi_runq_list *l = list_of(q, s);
    s->order = --q->last_back;
    s->older = NULL;
    s->newer = l->back;
    *(l->back ? &l->back->older : &l->front) = s;
    l->back = s;
    runq_count(q, s, 1);
    jdi_unlock(&q->lock);
}

static bool runq_is_empty(const struct jdi_runq *q)
{
    return !atomic_load_explicit(&q->n, memory_order_relaxed);
}

/* The newest, or the oldest, of both lists; NULL if both are empty. */
static jd_self *runq_end(const struct jdi_runq *q, bool front)
{
    jd_self *a = front ? q->list[0].front : q->list[0].back;
    jd_self *b = front ? q->list[1].front : q->list[1].back;
    if (!a || !b)
        return a ? a : b;
    return (a->order > b->order) == front ? a : b;
}

static jd_self *runq_take(struct jdi_runq *q, bool front)
{
    if (runq_is_empty(q))
        return NULL;
    runq_enter(q);
    jd_self *s = runq_end(q, front);
    if (s)
        unlink_from(q, s);
    jdi_unlock(&q->lock);
    return s;
}

jd_self *jdi_runq_take_front(struct jdi_runq *q)
{
    jd_self *s = take_newest(q);
    if (!s)
        return runq_take(q, true);
    jdi_time_lock(q->time, &q->held);
    return s;
}

jd_self *jdi_runq_take_back(struct jdi_runq *q)
{
    jd_self *s = runq_take(q, false);
    return s ? s : jdi_runq_take_front(q);
}

jd_self *jdi_runq_steal(struct jdi_runq *q, bool *more)
{
    if (!jdi_runq_movable(q)) {
        jdi_time_seen(q->time, &q->held);
        return NULL;
    }
    runq_enter(q);
    jd_self *s = q->list[0].back;
    if (s)
        unlink_from(q, s);
    jdi_unlock(&q->lock);
    if (!s)
        s = take_newest(q);
    *more = jdi_runq_movable(q);
    return s;
}
