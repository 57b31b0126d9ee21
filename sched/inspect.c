/*
 * inspect.c - looking at the stopped ULTs of a rank while its workers run.
 *
 * Role: see inspect.h.
 * Owner: the list is under its lock; `gate` is written by whoever inspects, one at a time.
 * Invariants: I1 and I2 of inspect.h.
 * Order: those of inspect.h.
 * See: doc/waiting.md "What a task waits for".
 */
#include "sched/inspect.h"

#include "core/fence.h"
#include "core/symbols.h"
#include "sched/worker.h"

/* Of rank->gate. */
enum {
    SLOW = 1, /* constant: the kernel has no heavy fence */
    LOOKS = 2 /* somebody inspects */
};

void jdi_inspect_init(struct jdi_rank *r)
{
    atomic_init(&r->gate, r->fences ? 0 : SLOW);
    r->keeps_stacks = r->knobs->state == JDI_STATE_STACKS;
    if (r->keeps_stacks)
        (void)jdi_symbols_walk((void *[JDI_SYMBOLS_DEPTH]){NULL});
    jdi_lock_init(&r->inspect.turn);
    jdi_lock_init(&r->inspect.lock);
}

/* ---- the list ------------------------------------------------------------------------- */

void jdi_inspect_add(jd_self *me)
{
    struct jdi_inspect *i = &me->rank->inspect;
    jdi_lock(&i->lock);
    me->known.next = i->first;
    me->known.link = &i->first;
    if (i->first)
        i->first->known.link = &me->known.next;
    i->first = me;
    jdi_unlock(&i->lock);
}

void jdi_inspect_remove(jd_self *me)
{
    struct jdi_inspect *i = &me->rank->inspect;
    jdi_lock(&i->lock);
    JD_ASSERT(*me->known.link == me);
    *me->known.link = me->known.next;
    if (me->known.next)
        me->known.next->known.link = me->known.link;
    if (i->at == me)
        i->at = me->known.next;
    jdi_unlock(&i->lock);
}

/* ---- the gate ------------------------------------------------------------------------- */

void jdi_inspect_wait(struct jdi_rank *r)
{
    /* [pair: inspect-gate] seq_cst: where there is no heavy fence, `suspended` was cleared before this load of
     * the gate. */
    atomic_thread_fence(memory_order_seq_cst);
    if (!(atomic_load_explicit(&r->gate, memory_order_acquire) & LOOKS))
        return;
    jdi_lock(&r->inspect.lock);
    jdi_unlock(&r->inspect.lock);
}

static void open_gate(struct jdi_rank *r)
{
    uint32_t slow = r->fences ? 0 : SLOW;
    atomic_store_explicit(&r->gate, slow | LOOKS, memory_order_relaxed);
    /* [pair: inspect-gate] seq_cst: the gate is seen by every ULT whose `suspended` is cleared after the loads that
     * follow. */
    if (r->fences)
        jdi_fence_heavy();
    else
        atomic_thread_fence(memory_order_seq_cst);
}

static void close_gate(struct jdi_rank *r)
{
    /* [pair: inspect-gate] release: all that was read. */
    atomic_store_explicit(&r->gate, r->fences ? 0 : SLOW, memory_order_release);
}

/* ---- looking, under the lock ---------------------------------------------------------- */

static bool is_stopped(const jd_self *me)
{
    /* [pair: inspect-stop] acquire: the cause, and all that the ULT wrote before it stopped. */
    return atomic_load_explicit(&me->suspended, memory_order_acquire);
}

/* When an inspection saw this stop first; 0: this one does. */
static uint64_t seen_since(jd_self *me, uint64_t now)
{
    if (me->known.seen == me->stop)
        return me->known.seen_at;
    me->known.seen = me->stop;
    me->known.seen_at = now;
    return 0;
}

/*
 * What a ULT that runs writes for itself, without an order.  Each is one aligned word that is read whole, and what
 * it says may be old by a moment: nobody relies on it who does not look twice.
 */
static JDI_UNORDERED bool describe_active(const jd_self *me, struct jdi_active *a)
{
    const struct jdi_rank *r = me->rank;
    const jd_coll *coll = *(jd_coll *const volatile *)&me->coll;
    jd_task task = *(const volatile jd_task *)&me->task;
    *a = (struct jdi_active){.worker = -1,
                             .part = *(struct jdi_part *const volatile *)&me->part};
    if (!coll && !me->is_body)
        return false;
    if (coll && task < r->registry.count)
        a->task = r->registry.row[task].name;
    for (unsigned i = 0; i < r->nworkers; i++)
        if (*(jd_self *const volatile *)&r->workers[i].running == me)
            a->worker = (int)i;
    return true;
}

static struct jdi_waiting describe_ult(jd_self *me, uint64_t now)
{
    struct jdi_rank *r = me->rank;
    struct jdi_waiting w = {.cause = *me->cause,
                            .task = me->coll ? r->registry.row[me->task].name : NULL,
                            .worker = me->stopped_on,
                            .begun = true,
                            .since = seen_since(me, now),
                            .frame = me->frame,
                            .nframes = me->nframes};
    if (r->finish_of)
        w.finish = r->finish_of(me, &w.around);
    return w;
}

/* Look at the next ULT.  False: there is none. */
static bool look_at_next(struct jdi_rank *r, uint64_t now, jdi_inspect_fn *fn, void *ctx)
{
    struct jdi_inspect *i = &r->inspect;
    jdi_lock(&i->lock);
    jd_self *me = i->at;
    if (me) {
        i->at = me->known.next;
        if (is_stopped(me)) {
            struct jdi_waiting w = describe_ult(me, now);
            fn(ctx, &w);
        }
    }
    jdi_unlock(&i->lock);
    return me;
}

void jdi_inspect_each(struct jdi_rank *r, jdi_inspect_fn *fn, void *ctx)
{
    uint64_t now = jdi_rank_now(r);
    jdi_lock(&r->inspect.turn);
    open_gate(r);
    jdi_lock(&r->inspect.lock);
    r->inspect.at = r->inspect.first;
    jdi_unlock(&r->inspect.lock);
    while (look_at_next(r, now, fn, ctx))
        continue;
    close_gate(r);
    jdi_unlock(&r->inspect.turn);
}

/* A body that has returned is no more than a ULT that waits for the end of its worker. */
static bool body_is_over(const jd_self *me)
{
    return me->is_body && atomic_load_explicit(&me->rank->returned, memory_order_relaxed);
}

void jdi_inspect_active(struct jdi_rank *r, jdi_active_fn *fn, void *ctx)
{
    struct jdi_active a;
    jdi_lock(&r->inspect.turn);
    if (r->fences)
        jdi_fence_heavy(); /* what the streams have written is seen below */
    jdi_lock(&r->inspect.lock);
    for (const jd_self *me = r->inspect.first; me; me = me->known.next)
        if (!is_stopped(me) && !body_is_over(me) && describe_active(me, &a))
            fn(ctx, &a);
    jdi_unlock(&r->inspect.lock);
    jdi_unlock(&r->inspect.turn);
}
