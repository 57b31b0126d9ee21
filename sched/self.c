/*
 * self.c - ULTs that stop and go on: suspend, yield.
 *
 * Role: the protocol by which a waiting task gives its worker away and gets one back.
 * Owner: the worker that runs a jd_self owns it; after the successor (`after`) has published it,
 *        whoever resumes it.
 * Invariants: I1 a ULT is published only after the jump away from it has ended (ult.h I3).
 * Order: a resumed ULT travels in a queue: [pair: lock].
 * See: worker.h; sched/unblock.h; test/dist/sched_waiting_kit.h.
 *
 *   state      event                      next       who
 *   RUNNING    jd_suspend: jump away      STOPPED    its worker; the successor publishes it
 *   STOPPED    jdi_unblock                READY      any thread: into the queue of a worker
 *   READY      a loop takes it            RUNNING    that worker; the loop becomes SPARE
 *   READY      a thief takes it           READY      an idle worker, into its own queue
 *   SPARE      a task stops, or stop      RUNNING    its worker
 *   RUNNING    a loop finds nothing, and   (ended)    its worker goes on on its base context
 *              ranks share stacks
 * If a task stops, nothing is READY or SPARE and there is no memory for a loop, its worker goes on on its
 * base context: sched/crowd.c.
 */
#include "sched/self.h"

#include "core/symbols.h"
#include "sched/coll.h"
#include "sched/crowd.h"
#include "sched/deques.h"
#include "sched/inspect.h"
#include "sched/look.h"
#include "sched/name.h"
#include "sched/runq.h"
#include "sched/stopwatch.h"
#include "sched/traces.h"

jd_self *jdi_self_new(struct jdi_rank *r, jdi_ult_fn *fn, bool is_body)
{
    struct jdi_ult_room room = {.bytes = sizeof(jd_self)};
    struct jdi_ult *ult = r->ult->create(r->engine, fn, NULL, &room);
    jd_self *me = ult ? room.at : NULL;
    if (!me)
        return NULL;
    *me = (jd_self){.rank = r,
                    .ult = ult,
                    .stack_size = (size_t)r->knobs->stack_size,
                    .is_body = is_body,
                    .child = is_body ? jdi_name_body(r->am->rank) : 0};
    jdi_inspect_add(me);
    return me;
}

void jdi_self_arrive(jd_self *me)
{
    jdi_inspect_pass(me);
    struct jdi_worker *w = me->worker;
    struct jdi_after after = w->after;
    if (me->coll)
        jdi_coll_sit(me, me->coll);
    if (JDI_UNLIKELY(me->moved)) {
        me->moved = false;
        if (me->part)
            me->rank->on_move(me);
    }
    w->running = me;
    w->after.fn = NULL;
    if (after.fn) {
        /* What `after` does for another ULT is no business of this ULT's errno. */
        int saved = *w->own.error;
        after.fn(after.stopped, after.arg);
        *w->own.error = saved;
    }
}

/* The ULT to jump to: that of next, or without one the base context. */
static struct jdi_ult *lead_to(struct jdi_worker *w, jd_self *next)
{
    if (JDI_UNLIKELY(!next)) {
        w->visit = JDI_VISIT_STARVED;
        w->running = NULL; /* the ULT may end elsewhere before this worker has a loop */
        return w->base;
    }
    next->worker = w;
    return next->ult;
}

void jdi_self_switch(jd_self *me, jd_self *next, struct jdi_after after)
{
    struct jdi_worker *w = me->worker;
    JD_ASSERT(!w->after.fn);
    w->after = after;
    w->rank->ult->jump(me->ult, lead_to(w, next), NULL);
    jdi_self_arrive(me);
}

static struct jdi_ult *loop_ult(void *arg, void *data)
{
    jd_self *me = arg;
    (void)data;
    me->stack = (uintptr_t)__builtin_frame_address(0);
    bool first = !me->worker->running;
    jdi_self_arrive(me);
    /* A new loop goes on where a ULT has stopped, but for the first one of a worker. */
    jdi_rank_measure(me->rank, &me->worker->clock, first ? JDI_ACT_STEAL : JDI_ACT_WORK);
    return jdi_worker_run(me);
}

static jd_self *new_loop(struct jdi_worker *w)
{
    jd_self *loop = jdi_self_new(w->rank, loop_ult, false);
    if (loop)
        jdi_stats_count(&w->stats.stacks, 1);
    else
        jdi_crowd_starves(w);
    return loop;
}

jd_self *jdi_self_loop(struct jdi_worker *w)
{
    jd_self *loop = w->spare;
    if (loop) {
        w->spare = loop->next;
        return loop;
    }
    /* The caller is a task that is about to stop: a jump keeps errno only from the jump on. */
    int saved = *w->own.error;
    if (jdi_crowd_shares(w->rank))
        loop = jdi_crowd_take(w->rank);
    if (!loop)
        loop = new_loop(w);
    *w->own.error = saved;
    return loop;
}

/* A row of long pieces ends early.  A look at the clock costs as much as a switch, so there are only
 * three of them in a row. */
static inline bool row_is_late(const struct jdi_worker *w)
{
    unsigned n = w->resumed;
    return (n == 1 || n == 4 || n == 16) &&
           jdi_rank_now(w->rank) - w->looked >= JDI_SELF_ROW_NS;
}

/*
 * ULTs that resume each other for ever must not starve tasks and the network.  Nor must they starve
 * an older ULT: the first of each row is the one that has waited longest.
 */
jd_self *jdi_self_next_ready(struct jdi_worker *w)
{
    bool queued = jdi_runq_size(&w->ready), in_deque = jdi_deques_has_next(w);
    if ((!queued && !in_deque) || w->resumed >= JDI_SELF_ROW || row_is_late(w))
        return NULL;
    /* The queue and the active deque take turns, if both have some. */
    jd_self *next = NULL;
    if (in_deque && (!queued || w->resumed & 1))
        next = jdi_deques_pop(w, !w->resumed);
    if (!next && queued)
        next =
            w->resumed ? jdi_runq_take_front(&w->ready) : jdi_runq_take_back(&w->ready);
    if (!next)
        return NULL;
    w->resumed++;
    jdi_time_switch(w->rank->am->time);
    return next;
}

/* Who goes on when a ULT stops; NULL: the base context, because there is no memory for a loop. */
static jd_self *successor(struct jdi_worker *w)
{
    jd_self *next = jdi_self_next_ready(w);
    if (!next)
        next = jdi_self_loop(w);
    if (JDI_UNLIKELY(!next)) { /* one of a new row */
        w->resumed = 0;
        next = jdi_self_next_ready(w);
    }
    return next;
}

struct jdi_ult *jdi_self_end(jd_self *me)
{
    struct jdi_worker *w = me->worker;
    me->next = w->dead;
    w->dead = me;
    return lead_to(w, successor(w));
}

/* A look at the clock costs as much as the rest of a suspension, so only few are measured. */
static JDI_NOINLINE void count_delay(jd_self *me)
{
    uint64_t delay = jdi_rank_now(me->rank) - me->ready_at;
    jdi_stats_log2(me->worker->stats.ready_ns, JDI_STATS_TIMES, delay);
    me->ready_at = 0;
}

/* With me->cause set. */
static inline void stop_for(jd_self *me, jd_self *next,
                            void (*publish)(jd_self *me, void *arg), void *arg)
{
    struct jdi_worker *w = me->worker;
    jdi_stats_count(&w->stats.suspended, 1);
    jdi_crowd_stop(w);
    me->stopped_on = w->index;
    me->stop++;
    /* [pair: inspect-stop] release: the cause, and all that an inspection can reach from `me`. */
    atomic_store_explicit(&me->suspended, true, memory_order_release);
    jdi_traces_ult(me, JDI_TRACE_STOP, me->cause->kind);
    jdi_self_switch(me, next, (struct jdi_after){publish, me, arg});
    jdi_traces_ult(me, JDI_TRACE_GO, JDI_CAUSE_NONE);
    JD_ASSERT(!atomic_load_explicit(&me->suspended, memory_order_relaxed));
    jdi_crowd_go_on(w, me->worker);
    jdi_stats_count(&me->worker->stats.resumed, 1);
    if (JDI_UNLIKELY(me->ready_at))
        count_delay(me);
}

/* JACKDAW_STATE=stacks: an inspection finds where the ULT stands.  The addresses lie on its own stack, which stands
 * still as long as they are read. */
static JDI_NOINLINE void stop_with_stack(jd_self *me, jd_self *next,
                                         void (*publish)(jd_self *me, void *arg),
                                         void *arg)
{
    void *frames[JDI_SYMBOLS_DEPTH];
    int saved = *me->worker->own.error;
    me->frame = frames;
    me->nframes = jdi_symbols_walk(frames);
    *me->worker->own.error = saved;
    stop_for(me, next, publish, arg);
    me->frame = NULL;
    me->nframes = 0;
}

static inline void stop_and_wait(jd_self *me, void (*publish)(jd_self *me, void *arg),
                                 void *arg)
{
    if (JDI_UNLIKELY(me->watch != NULL))
        jdi_stopwatch_stop(me);
    if (JDI_UNLIKELY(me->rank->deques != NULL))
        jdi_deques_suspend(me->worker, me);
    if (JDI_UNLIKELY(me->rank->keeps_stacks))
        stop_with_stack(me, successor(me->worker), publish, arg);
    else
        stop_for(me, successor(me->worker), publish, arg);
    if (JDI_UNLIKELY(me->watch != NULL))
        jdi_stopwatch_start(me);
}

void jdi_self_wait(jd_self *me, const struct jdi_cause *why,
                   void (*publish)(jd_self *me, void *arg), void *arg)
{
    me->cause = why;
    stop_and_wait(me, publish, arg);
}

/* JACKDAW_LATENCY=block: the loop that goes on runs nothing before `me` is ready. */
static JDI_NOINLINE void block(jd_self *me, void (*publish)(jd_self *me, void *arg),
                               void *arg)
{
    if (JDI_UNLIKELY(me->watch != NULL))
        jdi_stopwatch_stop(me);
    me->worker->blocked = me;
    me->blocks = true;
    if (JDI_UNLIKELY(me->rank->keeps_stacks))
        stop_with_stack(me, jdi_self_loop(me->worker), publish, arg);
    else
        stop_for(me, jdi_self_loop(me->worker), publish, arg);
    if (JDI_UNLIKELY(me->watch != NULL))
        jdi_stopwatch_start(me);
}

static JDI_NOINLINE void suspend(jd_self *me, void (*publish)(jd_self *me, void *arg),
                                 void *arg)
{
    if (JDI_UNLIKELY(me->rank->knobs->latency == JDI_LATENCY_BLOCK) && !me->is_body)
        block(me, publish, arg);
    else
        stop_and_wait(me, publish, arg);
}

void jdi_self_suspend(jd_self *me, const struct jdi_cause *why,
                      void (*publish)(jd_self *me, void *arg), void *arg)
{
    me->cause = why; /* first, so that no register keeps it meanwhile */
    suspend(me, publish, arg);
}

void jd_suspend(jd_self *me, void (*publish)(jd_self *me, void *arg), void *arg)
{
    static const struct jdi_cause why = {.kind = JDI_CAUSE_SUSPEND,
                                         .deadline = JD_FOREVER};
    me->cause = &why;
    suspend(me, publish, arg);
}

static void publish_yield(jd_self *me, void *arg)
{
    struct jdi_worker *w = arg;
    me->older = w->yielded;
    w->yielded = me;
}

void jd_yield(jd_self *me)
{
    struct jdi_worker *w = me->worker;
    if (jdi_look_is_lonely(me))
        return;
    if (JDI_UNLIKELY(me->watch != NULL))
        jdi_stopwatch_stop(me);
    jdi_traces_ult(me, JDI_TRACE_STOP, JDI_CAUSE_NONE);
    jdi_self_switch(me, successor(w), (struct jdi_after){publish_yield, me, w});
    jdi_traces_ult(me, JDI_TRACE_GO, JDI_CAUSE_NONE);
    if (JDI_UNLIKELY(me->watch != NULL))
        jdi_stopwatch_start(me);
}

static void publish_call(jd_self *me, void *arg)
{
    jdi_rank_post(me->rank, arg);
}

const struct jdi_cause jdi_self_asks_comm = {.kind = JDI_CAUSE_COMM,
                                             .deadline = JD_FOREVER};

void jdi_self_call(jd_self *me, const struct jdi_cause *why, struct jdi_call *call)
{
    jdi_self_suspend(me, why, publish_call, call);
}
