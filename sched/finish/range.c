/*
 * range.c - ranges of numbers that are split when another worker or rank is idle.
 *
 * Role: jd_forasync, and running the tasks it makes.
 * Owner: the ULT that runs a range.
 * Invariants: I1 each number of the range is run in exactly one piece.
 *             I2 each range, whole or a half, owns an argument from its spawn to its last piece.
 *             I3 a range whose pieces only compute is split only when its shelf is empty and
 *                another worker or rank is idle (or, under a load-based policy, whenever the
 *                shelf is empty).  After a split the shelf holds a task.
 * See: doc/async.md; jd_range in jackdaw.h.
 */
#include "sched/finish/range.h"

#include "sched/finish/pool.h"
#include "sched/look.h"

/* Make a task for the range.  The caller writes its own argument, then calls jdi_store_put.  NULL and
 * *error on failure. */
static struct jdi_range *spawn(jd_self *me, jd_task fn, const struct jdi_range *span,
                               int *error)
{
    struct jdi_task *t = jdi_pool_spawn(me, false, fn, sizeof *span + span->size, error);
    if (!t)
        return NULL;
    t->flags |= JDI_TASK_RANGE;
    struct jdi_range *copy = jdi_pool_arg(t);
    *copy = *span;
    return copy;
}

/* The range has ended, so drop its argument. */
static void let_go(const jd_task_hooks *hooks, void *arg)
{
    if (hooks && hooks->drop)
        hooks->drop(arg);
}

int jd_forasync(jd_self *me, jd_task task, int64_t begin, int64_t end, int64_t grain,
                const void *arg, size_t size)
{
    const struct jdi_registry *known = &me->rank->registry;
    struct jdi_range span = {.begin = begin, .end = end, .grain = grain};
    if (grain < 1 || task >= known->count || (!arg && size))
        return JD_EINVAL;
    if (size > JDI_TASK_ARG_MAX - sizeof span)
        return JD_ETOOBIG;
    span.size = (uint32_t)size;
    if (!me->part)
        return JD_ESTATE;
    if (begin >= end) { /* the runtime owns the argument in this case too */
        if (arg)
            let_go(known->row[task].hooks, (void *)(uintptr_t)arg);
        return 0;
    }
    int error;
    struct jdi_range *range = spawn(me, task, &span, &error);
    if (!range)
        return error;
    if (size)
        memcpy(range->arg, arg, size);
    jdi_store_put(jdi_pool_shelf(me, false));
    return 0;
}

/* Is a split of use to anybody?  Thieves that read loads never ask a rank whose load is 0, so we
 * would not hear of them; with such policies we split whenever the shelf is empty. */
static bool wanted(jd_self *me)
{
    struct jdi_rank *r = me->rank;
    const struct jdi_shelf *s = &me->seat->shelf;
    if (jdi_store_has_own(s) || !jdi_store_has_takers(s))
        return false; /* others can take from the shelf already (I3), or never can */
    return r->steal->by_load || atomic_load_explicit(&r->hungry, memory_order_relaxed) ||
           atomic_load_explicit(&r->thieves, memory_order_relaxed) ||
           atomic_exchange_explicit(&r->refused, false, memory_order_relaxed);
}

/* Make a task for `upper`, with a copy of the argument.  False when out of memory. */
static bool spawn_half(jd_self *me, jd_task fn, struct jdi_range *span,
                       const struct jdi_range *upper)
{
    struct jdi_fault *fault = &me->rank->am->fault;
    const jd_task_hooks *hooks = me->rank->registry.row[fn].hooks;
    size_t bytes = hooks ? hooks->size(span->arg) : 0;
    void *packed = hooks ? jdi_alloc(fault, bytes + !bytes) : NULL;
    int error;
    if (hooks && !packed)
        return false;
    struct jdi_range *half = spawn(me, fn, upper, &error);
    if (half && hooks) { /* pack ends the old argument, so both halves unpack */
        hooks->pack(span->arg, packed);
        hooks->unpack(span->arg, packed, bytes);
        hooks->unpack(half->arg, packed, bytes);
    } else if (half) {
        memcpy(half->arg, span->arg, span->size);
    }
    jdi_free(packed);
    if (half)
        jdi_store_put(jdi_pool_shelf(me, false));
    return half != NULL;
}

/* Spawn the upper half as a task of its own.  Returns the end of the lower half. */
static int64_t divide(jd_self *me, jd_task fn, struct jdi_range *span)
{
    struct jdi_range upper = *span;
    uint64_t pieces =
        ((uint64_t)(span->end - span->begin) - 1) / (uint64_t)span->grain + 1;
    upper.begin = span->begin + (int64_t)((pieces + 1) / 2) * span->grain;
    if (!spawn_half(me, fn, span, &upper))
        return span->end; /* out of memory: run the range alone */
    jdi_store_offer(&me->seat->shelf);
    return upper.begin;
}

/*
 * Called before each piece.  If pieces spawn tasks, these would hide the rest of the range from
 * thieves.  So all halves are put below these tasks first, the largest where the first thief takes.
 */
static void prepare(jd_self *me, jd_task fn, struct jdi_range *span)
{
    struct jdi_shelf *s = &me->seat->shelf;
    int64_t whole = 0;
    while (span->spawns && jdi_store_has_takers(s) &&
           span->end - span->begin > span->grain && span->end != whole) {
        whole = span->end;
        span->end = divide(me, fn, span);
    }
    if (jdi_store_offer(s))
        return;
    if (span->end - span->begin > span->grain && wanted(me))
        span->end = divide(me, fn, span);
}

static uint64_t created(const jd_self *me)
{
    return atomic_load_explicit(&me->seat->account.in, memory_order_relaxed);
}

void jdi_range_run(jd_self *me, jd_task fn, void *arg)
{
    struct jdi_range *span = arg;
    const jd_task_fn run = me->rank->registry.row[fn].fn;
    while (span->begin < span->end) {
        prepare(me, fn, span);
        int64_t left = span->end - span->begin;
        int64_t step = left < span->grain ? left : span->grain;
        jd_range piece = {span->begin, span->begin + step, span->arg};
        span->begin += step;
        uint64_t before = created(me);
        run(me, &piece);
        span->spawns |= created(me) != before;
        if (span->begin >= span->end || jdi_part_cancelled(me->part))
            break;
        jdi_time_tasks(me->rank->am->time, 1);
        if (jdi_look_spent(me))
            jd_yield(me);
    }
    let_go(me->rank->registry.row[fn].hooks, span->arg);
}
