/*
 * finish.c - opening a finish, and waiting for its end.
 *
 * Role: jd_finish and its two halves.
 * Owner: the ULT that opened the finish, on its worker; it is pinned until the finish ends.
 * Invariants: I1 me->part belongs to the innermost finish and to the worker's hand.
 *             I2 a frame runs only tasks on its own stack for which it must wait anyway.
 * See: doc/async.md "The end of a finish"; sched/finish/part.h.
 */
#include "sched/finish/finish.h"

#include "sched/finish/cancel.h"
#include "sched/finish/pool.h"
#include "sched/stopwatch.h"
#include "sched/traces.h"
#include "sched/unblock.h"

static struct jdi_part *part_in(jd_scope *s)
{
    return (struct jdi_part *)(void *)s;
}

/* ---- the first finish of the rank --------------------------------------------------- */

struct open_call {
    struct jdi_call call;
    jd_self *me;
};

static void run_need(struct jdi_rank *r, struct jdi_call *call)
{
    struct open_call *o = jdi_container_of(call, struct open_call, call);
    (void)jdi_pool_needed(r);
    jdi_unblock(NULL, o->me);
}

void jdi_finish_need(jd_self *me)
{
    struct open_call o = {.call.run = run_need, .me = me};
    if (!jdi_pool_of(me->rank))
        jdi_self_call(me, &jdi_self_asks_comm, &o.call);
}

/* ---- helping ------------------------------------------------------------------------ */

/* Has the ULT stack enough for one more task? */
static bool has_stack(const jd_self *me)
{
    const char here = 0;
    uintptr_t used = me->stack - (uintptr_t)&here;
    return used < me->stack_size / 4;
}

static void help(jd_self *me, struct jdi_part *p)
{
    jd_coll *coll = me->coll;
    struct jdi_seat *seat = me->seat;
    jd_task task = me->task;
    struct jdi_phaser_part *phased = me->phased;
    bool is_body = me->is_body;
    uint64_t child = me->child;
    me->is_body = false; /* the tasks must not do what only a body may do */
    me->phased = NULL;   /* nor are they registered with the phasers of the caller */
    me->child = 0;       /* nor do they spawn for it */
    jdi_pool_help(me, p);
    me->child = child;
    me->phased = phased;
    me->is_body = is_body;
    me->coll = coll;
    me->seat = seat;
    me->task = task;
}

/* The caller handles an exception, which the tasks must not take for theirs. */
static JDI_NOINLINE void help_from_handler(jd_self *me, struct jdi_part *p)
{
    struct jdi_own own = jdi_own_keep(&me->worker->own);
    jdi_own_bring(&me->worker->own, &(struct jdi_own){0});
    help(me, p);
    jdi_own_bring(&me->worker->own, &own);
}

/* The caller is measured, and the tasks are not part of it. */
static JDI_NOINLINE void help_timed(jd_self *me, struct jdi_part *p)
{
    struct jdi_stopwatch *watch = me->watch;
    jdi_stopwatch_stop(me);
    me->watch = NULL;
    if (jdi_own_handles(&me->worker->own))
        help_from_handler(me, p);
    else
        help(me, p);
    me->watch = watch;
    jdi_stopwatch_start(me);
}

static JDI_NOINLINE void tell_of_finish(jd_self *me, const struct jdi_part *p,
                                        bool opened)
{
    if (me->rank->on_finish)
        me->rank->on_finish(me->rank, p->id, opened);
}

/* ---- begin and end ------------------------------------------------------------------ */

int jd_finish_begin(jd_self *me, jd_scope *s)
{
    if (JDI_UNLIKELY(!jdi_pool_of(me->rank)))
        jdi_finish_need(me);
    struct jdi_part *p = part_in(s);
    me->frames++;
    jdi_part_open(p, jdi_hand_of(me), me->part);
    me->part = p;
    jdi_traces_put(me->worker, JDI_TRACE_OPEN, 0, 0, jdi_part_number(p));
    if (JDI_UNLIKELY(me->is_body))
        tell_of_finish(me, p, true);
    return 0;
}

static void publish_opener(jd_self *me, void *arg)
{
    struct jdi_part *p = arg;
    p->waiter = me;
}

static void wait_for_tasks(jd_self *me, struct jdi_part *p)
{
    struct jdi_cause why = {.kind = JDI_CAUSE_FINISH,
                            .home = p->id.home,
                            .number = p->id.number,
                            .deadline = JD_FOREVER};
    jdi_self_wait(me, &why, publish_opener, p);
}

int jd_finish_end(jd_self *me, jd_scope *s)
{
    struct jdi_part *p = part_in(s);
    if (me->part != p)
        return JD_ESTATE;
    if (JDI_UNLIKELY(me->child != 0))
        jdi_pool_keep_promise(p->hand);
    if (--p->live && has_stack(me)) {
        const struct jdi_own_at *at = &me->worker->own;
        int saved = *at->error;
        if (JDI_UNLIKELY(me->watch != NULL))
            help_timed(me, p);
        else if (JDI_UNLIKELY(jdi_own_handles(at)))
            help_from_handler(me, p);
        else
            help(me, p);
        *me->worker->own.error = saved;
    }
    if (p->live == 0 && p->remote)
        jdi_part_zero(p); /* perhaps all credit is back: no waiter is set yet */
    if (p->live || p->remote)
        wait_for_tasks(me, p);
    jdi_traces_put(me->worker, JDI_TRACE_CLOSE, 0, 0, jdi_part_number(p));
    if (JDI_UNLIKELY(me->is_body))
        tell_of_finish(me, p, false);
    jdi_part_close(p);
    me->part = p->outer;
    me->frames--;
    if (JDI_LIKELY(!jdi_part_cancelled(p)))
        return 0;
    jdi_cancel_over(p);
    return JD_ECANCELED;
}

int jd_finish(jd_self *me, jd_task_fn fn, void *arg)
{
    jd_scope s;
    int error = jd_finish_begin(me, &s);
    if (error)
        return error;
    fn(me, arg);
    return jd_finish_end(me, &s);
}
