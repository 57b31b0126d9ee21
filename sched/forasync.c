/*
 * forasync.c - ranges of numbers that are divided when somebody is hungry.
 *
 * Role: jd_forasync, and running the tasks it makes.
 * Owner: the ULT that runs a range.
 * Invariants: I1 each number of the range is run in exactly one piece.
 *             I2 a range whose pieces only compute is divided only while its lane holds
 *                nothing that others could take and somebody is hungry: after the division
 *                the lane holds something.
 * See: doc/async.md; jd_range in jackdaw.h.
 */
#include "sched/pool.h"

/* What the slot of a range task holds; the caller's bytes follow. */
struct span {
    int64_t begin, end, grain;
    uint32_t size;   /* of the caller's bytes */
    uint32_t spawns; /* 1: its pieces spawn tasks themselves, as has been seen */
    _Alignas(JDI_TASK_ALIGN) unsigned char arg[];
};

static int spawn(jd_self *me, jd_task fn, const struct span *span, const void *arg)
{
    int error;
    struct jdi_task *t = jdi_pool_spawn(me, false, fn, sizeof *span + span->size, &error);
    if (!t)
        return error;
    t->flags |= JDI_TASK_RANGE;
    struct span *copy = jdi_task_arg(t);
    *copy = *span;
    if (span->size)
        memcpy(copy->arg, arg, span->size);
    return 0;
}

int jd_forasync(jd_self *me, jd_task task, int64_t begin, int64_t end, int64_t grain,
                const void *arg, size_t size)
{
    const struct jdi_registry *known = &me->rank->registry;
    struct span span = {.begin = begin, .end = end, .grain = grain};
    if (grain < 1 || task >= known->count || known->row[task].hooks)
        return JD_EINVAL;
    if (size > JDI_TASK_ARG_MAX - sizeof span)
        return JD_ETOOBIG;
    span.size = (uint32_t)size;
    if (!me->part)
        return JD_ESTATE;
    return begin < end ? spawn(me, task, &span, arg) : 0;
}

/* Is a division of use to anybody? */
static bool wanted(jd_self *me)
{
    struct jdi_rank *r = me->rank;
    const struct jdi_deque *d = &me->lane->deque;
    if (jdi_deque_private(d) || jdi_deque_open(d))
        return false; /* there is something to take (I2) */
    return atomic_load_explicit(&r->hungry, memory_order_relaxed) ||
           atomic_load_explicit(&r->thieves, memory_order_relaxed) ||
           atomic_exchange_explicit(&r->refused, false, memory_order_relaxed);
}

/* Give the upper half away; what is left ends at the returned number. */
static int64_t divide(jd_self *me, jd_task fn, const struct span *span)
{
    struct span upper = *span;
    uint64_t pieces =
        ((uint64_t)(span->end - span->begin) - 1) / (uint64_t)span->grain + 1;
    upper.begin = span->begin + (int64_t)((pieces + 1) / 2) * span->grain;
    if (spawn(me, fn, &upper, span->arg))
        return span->end; /* no memory: nobody helps */
    if (jdi_deque_stingy(&me->lane->deque))
        jdi_lane_share(me->rank, me->lane);
    return upper.begin;
}

/*
 * Before a piece.  Where pieces spawn, what they spawn would hide the rest of the range from
 * thieves: all of the halves go below it first, the largest for the first thief.
 */
static void prepare(jd_self *me, jd_task fn, struct span *span)
{
    const struct jdi_deque *d = &me->lane->deque;
    int64_t whole = 0;
    while (span->spawns && d->open && span->end - span->begin > span->grain &&
           span->end != whole) {
        whole = span->end;
        span->end = divide(me, fn, span);
    }
    if (jdi_deque_stingy(d))
        jdi_lane_share(me->rank, me->lane);
    else if (span->end - span->begin > span->grain && wanted(me))
        span->end = divide(me, fn, span);
}

static uint64_t created(const jd_self *me)
{
    return atomic_load_explicit(&me->lane->in, memory_order_relaxed);
}

void jdi_range_run(jd_self *me, jd_task fn, void *arg)
{
    struct span *span = arg;
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
        if (jdi_worker_spent(me))
            jd_yield(me);
    }
}
