/*
 * worker.c - the loop: take a task and run it; if there is none, look elsewhere, then rest.
 *
 * Role: what every loop ULT does, and the streams that carry them.
 * Invariants: I1-I3 of worker.h. I4 a task's `out` is counted by the worker on which it ends.
 * Order: [pair: rank-stop], [pair: idle-wake], [pair: coll-active], [pair: coll-epoch].
 * See: worker.h; paper 003 section 6, process(); ARCHITECTURE.md "Life of a task".
 */
#include "sched/worker.h"

#include "sched/ask.h"
#include "sched/crowd.h"
#include "sched/deques.h"
#include "sched/inspect.h"
#include "sched/look.h"
#include "sched/neighbours.h"
#include "sched/rest.h"
#include "sched/runq.h"
#include "sched/stopwatch.h"

enum {
    SEEK_NS =
        10000000 /* how often a worker with ready ULTs looks for tasks of neighbours */
};

void jdi_worker_init(struct jdi_worker *w, struct jdi_rank *r, unsigned index)
{
    w->rank = r;
    w->index = index;
    w->comm = index == 0 && !r->place.apart;
    w->beside = index == 0 && r->place.apart && !r->place.dedicated;
    w->fuel = 1;
    w->rng = (r->rng + index + 1) * 0x9E3779B97F4A7C15ULL | 1;
    jdi_runq_init(&w->ready, r->nworkers == 1, r->am->time);
    jdi_lock_init(&w->lanes.lock);
    jdi_mailbox_init(&w->calls);
    jdi_idle_init(&w->own_idle);
    w->idle = w->comm ? r->am->idle : &w->own_idle;
    atomic_init(&w->due, UINT64_MAX);
}

static void bury(struct jdi_worker *w)
{
    while (w->dead) {
        jd_self *gone = w->dead;
        w->dead = gone->next;
        jdi_inspect_remove(gone);
        w->rank->ult->destroy(gone->ult); /* and *gone with it */
    }
}

void jdi_worker_fini(struct jdi_worker *w)
{
    JD_CHECK(!w->spare && !jdi_runq_size(&w->ready) && !jdi_deques_ready(w));
    JD_AUDIT(jdi_deques_check(w));
    bury(w);
}

/* ---- running ------------------------------------------------------------------------ */

static uint32_t run_some(jd_self *me, jd_coll *c, uint32_t fuel)
{
    uint32_t ran = c->kind->run(me, c, fuel);
    if (ran)
        jdi_time_tasks(me->rank->am->time, ran);
    return ran;
}

/* For virtual time with several workers: one task at a time, so that the others see what a task did
 * when it ends. */
static JDI_NOINLINE uint32_t run_singly(jd_self *me, jd_coll *c, uint32_t fuel)
{
    struct jdi_worker *w = me->worker;
    uint32_t ran = 0;
    while (ran < fuel && run_some(me, c, 1)) {
        ran++;
        w = me->worker; /* the task may have gone on on another one */
        if (jdi_rank_now(w->rank) - w->looked >= JDI_LOOK_NS)
            break;
    }
    w->fuel = w->fuel > ran ? w->fuel : ran; /* a single task may have set it too low */
    return ran;
}

/*
 * Whoever opens tasks calls one sleeping worker, and relies on that worker to look at all shelves.
 * A called worker may find something to run before it has looked at all shelves: a ULT, its own
 * tasks, or tasks that it took.  These may keep the worker busy for ever, so it calls the next
 * sleeping worker first.
 */
static void pass_call(struct jdi_worker *w)
{
    if (JDI_LIKELY(!w->called))
        return;
    w->called = false;
    if (jdi_neighbours_open(w) || jdi_neighbours_ready(w))
        jdi_rank_wake_one(w->rank);
}

/* ---- turns -------------------------------------------------------------------------- */

/* Collections take turns, batch by batch.  Else tasks of one that wait for those of another one,
 * by adding themselves again, would wait for ever.  Nobody owns what has landed on the
 * communication thread's shelf, so busy workers take of it, too. */
static uint32_t run_turn(jd_self *me, jd_coll *c)
{
    struct jdi_worker *w = me->worker;
    struct jdi_seat *mine = &c->seat[w->index];
    jdi_store_enter(&mine->shelf);
    if (JDI_UNLIKELY(jdi_retained_waits(&mine->retained)))
        jdi_retain_fetch(c, mine);
    if (me->rank->place.apart && !w->is_hungry && jdi_store_landed(&c->store) &&
        !jdi_coll_has_own(c, w->index) && jdi_neighbours_take(w, c))
        jdi_rank_measure(w->rank, &w->clock, JDI_ACT_STEAL);
    if (JDI_UNLIKELY(w->called) && jdi_coll_has_own(c, w->index))
        pass_call(w);
    return jdi_time_shared(me->rank->am->time) ? run_singly(me, c, w->fuel)
                                               : run_some(me, c, w->fuel);
}

/* Run a batch of the first collection, from the worker's turn on, of which it has tasks. */
static uint32_t run_own(jd_self *me)
{
    struct jdi_rank *r = me->rank;
    for (unsigned i = 0, n = jdi_worker_ncolls(r); i < n; i++) {
        unsigned id = jdi_worker_in_turn(me->worker, i, n);
        jd_coll *c = jdi_worker_coll(r, id);
        uint32_t ran = c ? run_turn(me, c) : 0;
        if (ran) {
            me->worker->turn = id + 1 < n ? id + 1 : 0;
            return ran;
        }
    }
    return 0;
}

/* ---- resting ----------------------------------------------------- */

/* Note that this worker uses no collection now: see jdi_rank_forgot. */
static void pass(struct jdi_worker *w)
{
    JD_ASSERT(jdi_rank_is_owner(w->rank, w->index));
    uint64_t epoch = atomic_load_explicit(&w->rank->epoch, memory_order_acquire);
    /* [pair: coll-epoch] release: this worker's earlier uses of collections. */
    atomic_store_explicit(&w->epoch, epoch, memory_order_release);
}

/* When all workers are hungry, other ranks are asked, or a phase may have ended.  The finishes of a rank alone need
 * neither. */
static bool comm_helps(struct jdi_rank *r)
{
    if (r->am->nranks > 1 || !r->place.apart || r->am->time)
        return true;
    /* [pair: idle-wake] This worker is counted as hungry, passes the fence, and looks for a collection.  The
     * communication thread lists one, passes the fence of its sleep, and looks who is hungry. */
    atomic_thread_fence(memory_order_seq_cst);
    return jdi_worker_ncolls(r) > JDI_COLLS_OWN;
}

static void set_hungry(struct jdi_worker *w, bool hungry)
{
    JD_ASSERT(jdi_rank_is_owner(w->rank, w->index));
    if (w->is_hungry == hungry)
        return;
    w->is_hungry = hungry;
    if (!hungry) {
        atomic_fetch_sub_explicit(&w->rank->hungry, 1, memory_order_relaxed);
        w->round.since = 0;
        return;
    }
    atomic_fetch_add_explicit(&w->rank->hungry, 1, memory_order_relaxed);
    if (comm_helps(w->rank)) /* perhaps all are hungry now */
        jdi_idle_wake(w->rank->am->idle);
}

void jdi_worker_post(struct jdi_worker *w, struct jdi_call *call)
{
    jdi_mailbox_put(&w->calls, &call->letter);
    jdi_idle_wake(w->idle);
}

void jdi_worker_read(struct jdi_worker *w)
{
    JD_ASSERT(jdi_rank_is_owner(w->rank, w->index));
    jdi_call_run_all(w->rank, &w->calls);
}

/*
 * Worker 0 polls, and may be in a long task, beside other workers: so it is in virtual time.  Then
 * these see to deadlines themselves when they have nothing to do.
 */
static bool turns_wheels(const struct jdi_worker *w)
{
    return !w->comm && !w->rank->place.apart;
}

/* Have those go on whose deadlines have come.  False: there are none. */
static bool see_to_deadlines(struct jdi_worker *w, uint64_t now)
{
    if (!turns_wheels(w) || jdi_rank_first_due(w->rank) > now)
        return false;
    w->rank->on_due(w->rank);
    return true;
}

static void pause_for(struct jdi_worker *w, enum jdi_idle_stage stage)
{
    jdi_time_pause(w->rank->am->time, stage);
    jdi_clock_book(&w->clock, JDI_ACT_IDLE, jdi_rank_now(w->rank));
}

/* Nothing to run, and the worker does not poll: wait a little. */
static void sleep_or_pause(jd_self *me)
{
    struct jdi_worker *w = me->worker;
    uint64_t now = jdi_rank_now(w->rank);
    jdi_clock_book(&w->clock, JDI_ACT_STEAL, now);
    uint64_t due = turns_wheels(w) ? jdi_rank_first_due(w->rank) : UINT64_MAX;
    if (due <= now) {
        w->rank->on_due(w->rank);
        return;
    }
    if (jdi_neighbours_pry(w, now))
        return;
    enum jdi_idle_stage stage = jdi_idle_stage(&w->round, &w->rank->patience, now);
    /* A round that asks the kernel takes longer than a spin is for, and whoever makes something ready may need
     * the core. */
    if (stage == JDI_IDLE_SPIN &&
        atomic_load_explicit(&w->rank->asks_kernel, memory_order_relaxed))
        stage = JDI_IDLE_YIELD;
    /* The communication thread looks for tasks in other ranks, and needs the core for that. */
    bool gives_core = w->beside && w->rank->am->nranks > 1;
    if (stage == JDI_IDLE_SLEEP || gives_core)
        jdi_rest_sleep(w, due == UINT64_MAX ? due : due - now);
    else
        pause_for(w, stage);
}

/* Nothing to run.  False: the loop shall end, because another rank can use its stack meanwhile. */
static bool rest(jd_self *me)
{
    struct jdi_worker *w = me->worker;
    if (w->rank->on_rest && w->rank->on_rest(w)) {
        /* What goes on so must not starve the network. */
        uint64_t now = jdi_rank_now(w->rank);
        jdi_clock_book(&w->clock, JDI_ACT_PROGRESS, now);
        jdi_look_around(me, now);
        return true;
    }
    set_hungry(w, true);
    if (!w->comm)
        sleep_or_pause(me);
    else if (w->rank->am->pools_stacks && !w->spare)
        return false;
    else
        jdi_look_visit(me, JDI_VISIT_REST);
    return true;
}

static void requeue_yielded(struct jdi_worker *w)
{
    while (w->yielded) {
        jd_self *s = w->yielded;
        w->yielded = s->older;
        jdi_runq_put_front(&w->ready, s);
    }
}

/* The loop gives the worker to a ready ULT.  Returns on whatever worker needs a loop next. */
static void go_on_with(jd_self *me, jd_self *ready)
{
    struct jdi_worker *w = me->worker;
    set_hungry(w, false);
    pass_call(w);
    if (jdi_crowd_shares(w->rank)) {
        jdi_self_switch(me, ready, (struct jdi_after){jdi_crowd_give, me, w->rank});
    } else {
        me->next = w->spare;
        w->spare = me;
        jdi_self_switch(me, ready, (struct jdi_after){0});
    }
    jdi_rank_measure(me->rank, &me->worker->clock, JDI_ACT_WORK);
}

/* Go on with another deque of the worker, if one is ready. */
static bool change_deque(jd_self *me, uint64_t now)
{
    struct jdi_worker *w = me->worker;
    w->lanes.turned = now;
    jd_self *ready = jdi_deques_change(w);
    if (ready)
        go_on_with(me, ready);
    return ready != NULL;
}

static bool steal_ready(jd_self *me)
{
    jd_self *stolen = jdi_neighbours_steal_ready(me->worker);
    if (!stolen)
        return false;
    jdi_rank_measure(me->rank, &me->worker->clock, JDI_ACT_STEAL);
    go_on_with(me, stolen);
    return true;
}

/*
 * JACKDAW_UNBLOCK=proactive: the worker of a task that waits has set its deque aside.  It goes on with
 * another deque; the tasks on its shelves come last.  What is stolen now runs before these.
 */
static bool go_elsewhere(jd_self *me)
{
    struct jdi_worker *w = me->worker;
    w->lanes.away = false;
    if (w->resumed++ >= JDI_SELF_ROW)
        return false;
    return change_deque(me, jdi_rank_now(w->rank)) ||
           (!jdi_neighbours_steal(w) && steal_ready(me));
}

/* After a batch of own tasks: let the network have a turn, and another deque if it has waited long. */
static void after_tasks(jd_self *me, uint64_t now)
{
    struct jdi_worker *w = me->worker;
    set_hungry(w, false);
    jdi_look_around(me, now);
    if (!jdi_deques_ready(w))
        w->lanes.turned = now;
    else if (jdi_look_deques_are_late(w, now))
        (void)change_deque(me, now);
}

/*
 * A worker that has something to go on with is no thief.  But it looks at its neighbours now and then,
 * because these may all be in long tasks with others open behind them.
 */
static bool may_seek(struct jdi_worker *w, bool has_ready, uint64_t now)
{
    if (has_ready && now - w->sought < SEEK_NS)
        return false;
    w->sought = now;
    return true;
}

/* One round of the loop, at the end of a row of ULTs.  False if there was nothing to do. */
static bool round_of_tasks(jd_self *me)
{
    struct jdi_rank *r = me->rank;
    if (JDI_UNLIKELY(me->worker->lanes.away) && go_elsewhere(me))
        return true;
    /* ULTs whose time nobody has measured. */
    bool ults = me->worker->resumed && !r->timed;
    me->worker->resumed = 0;
    /* Set before the tasks run, which may take long, because a rank whose workers are all busy
     * must not ask other ranks. */
    if (me->worker->is_hungry && jdi_rest_has_own(me->worker))
        set_hungry(me->worker, false);
    uint32_t ran = run_own(me);
    struct jdi_worker *w = me->worker;
    uint64_t now = jdi_rank_now(w->rank);
    jdi_clock_book(&w->clock, ran || ults ? JDI_ACT_WORK : JDI_ACT_STEAL, now);
    w->turned = now;
    jdi_look_refuel(w, ran, now);
    bool has_ready = jdi_runq_size(&w->ready) || jdi_deques_ready(w);
    requeue_yielded(w); /* these wait for others, so they keep nobody from looking */
    if (ran) {
        after_tasks(me, now);
        return true;
    }
    if (may_seek(w, has_ready, now)) {
        if (jdi_neighbours_steal(w)) {
            jdi_rank_measure(r, &w->clock, JDI_ACT_STEAL);
            set_hungry(w, false);
            return true; /* `called` stays set, because other shelves may have open tasks */
        }
        w->called = false; /* all shelves were found empty */
    }
    if (!jdi_runq_size(&w->ready) && !jdi_deques_ready(w))
        return steal_ready(me);
    /* Neither ULTs that wake each other for ever, nor those that yield, must starve the network. */
    jdi_look_around(me, now);
    (void)change_deque(me, now);
    return true;
}

/* JACKDAW_LATENCY=block: the ULT that has blocked this worker, if it is ready. */
static jd_self *take_woken(struct jdi_worker *w)
{
    /* [pair: worker-woken] acquire: what was written before the ULT was made ready. */
    jd_self *ready = atomic_load_explicit(&w->woken, memory_order_acquire);
    if (ready) {
        JD_ASSERT(ready == w->blocked);
        atomic_store_explicit(&w->woken, NULL, memory_order_relaxed);
        w->blocked = NULL;
    }
    return ready;
}

/* JACKDAW_LATENCY=block: wait for the ULT that has blocked this worker, and go on with it. */
static JDI_NOINLINE void wait_blocked(jd_self *me)
{
    struct jdi_worker *w = me->worker;
    jd_self *ready = take_woken(w);
    if (ready)
        go_on_with(me, ready);
    else if (w->comm)
        jdi_look_visit(me, JDI_VISIT_REST);
    else
        jdi_rest_sleep(w, UINT64_MAX);
}

/* ---- too many ULTs wait: sched/crowd.c ------------------------------------------------ */

/* Serve those that go on, and the network, but begin no task now. */
static JDI_NOINLINE void hold_back(jd_self *me)
{
    struct jdi_worker *w = me->worker;
    uint64_t now = jdi_rank_now(w->rank);
    jdi_clock_book(&w->clock, JDI_ACT_STEAL, now);
    w->looked = now;
    w->resumed = 0;
    w->lanes.away = false;
    set_hungry(w, false); /* it has tasks */
    pass_call(w);
    requeue_yielded(w);
    if (jdi_runq_size(&w->ready) || jdi_deques_ready(w)) {
        jdi_look_around(me, now);
        (void)change_deque(me, now);
    } else if (w->comm) {
        if (!steal_ready(me))
            jdi_look_visit(me, JDI_VISIT_STALL);
    } else if (!see_to_deadlines(w, now) && !steal_ready(me)) {
        pause_for(w, JDI_IDLE_YIELD);
    }
}

/* What a worker without a loop can go on with, or NULL. */
static jd_self *next_without_loop(struct jdi_worker *w)
{
    if (w->blocked)
        return take_woken(w);
    w->resumed = 0;
    w->lanes.away = false;
    requeue_yielded(w);
    bool deques_first = w->relieved++ & 1; /* neither shall starve the other */
    jd_self *next = deques_first ? jdi_deques_change(w) : NULL;
    if (!next)
        next = jdi_self_next_ready(w);
    if (!next)
        next = jdi_deques_change(w);
    if (!next)
        next = jdi_neighbours_steal_ready(w);
    return next || !jdi_crowd_may_try(w) ? next : jdi_self_loop(w);
}

jd_self *jdi_worker_relieve(struct jdi_worker *w, void (*turn)(struct jdi_worker *w))
{
    struct jdi_after after = w->after;
    w->after.fn = NULL;
    if (after.fn)
        after.fn(after.stopped, after.arg);
    for (;;) {
        /* First, because ULTs that yield are ready at any time. */
        (void)see_to_deadlines(w, jdi_rank_now(w->rank));
        turn(w);
        pass(w);
        jdi_worker_read(w);
        jd_self *next = next_without_loop(w);
        if (next) {
            next->worker = w;
            return next;
        }
        if (jdi_rank_stops(w->rank))
            return NULL;
    }
}

/* The loop ends, and the base context makes another one when there is something to do. */
static struct jdi_ult *rest_bare(struct jdi_worker *w)
{
    w->visit = JDI_VISIT_BARE;
    w->stats.stacks--; /* the next one has this stack, or one like it */
    return w->base;
}

struct jdi_ult *jdi_worker_run(jd_self *me)
{
    for (;;) {
        struct jdi_worker *w = me->worker;
        pass(w);
        jdi_worker_read(w);
        if (JDI_UNLIKELY(w->blocked != NULL)) {
            wait_blocked(me);
            continue;
        }
        jd_self *ready = jdi_self_next_ready(w);
        if (ready) {
            go_on_with(me, ready);
            continue;
        }
        if (jdi_rank_stops(w->rank) && !jdi_runq_size(&w->ready))
            break;
        if (jdi_crowd_shares(w->rank))
            jdi_crowd_give_all(w);
        if (jdi_crowd_holds(w) && (jdi_rest_has_own(w) || jdi_neighbours_open(w)))
            hold_back(me);
        else if (!round_of_tasks(me) && !rest(me))
            return rest_bare(me->worker);
    }
    struct jdi_worker *w = me->worker;
    w->visit = JDI_VISIT_END;
    me->next = w->dead;
    w->dead = me;
    jd_self *next = w->spare;
    if (next)
        w->spare = next->next;
    else if (jdi_crowd_shares(w->rank))
        next = jdi_crowd_take(w->rank);
    if (next)
        next->worker = w;
    return next ? next->ult : w->base;
}

jd_self *jdi_worker_begin(struct jdi_rank *r, unsigned index, struct jdi_ult *base)
{
    struct jdi_worker *w = &r->workers[index];
    jdi_owner_take(&w->thread);
    w->base = base;
    jdi_own_find(&w->own);
    w->looked = jdi_rank_now(w->rank);
    jdi_idle_thread_init();
    if (r->place.bind != JDI_BIND_NONE && jdi_topo_bind(r->topo, &r->place, index))
        jdi_log(&r->am->log, JDI_LOG_WARN, "worker %u could not be bound", index);
    jd_self *first = index == 0 ? r->new_body(w) : jdi_self_loop(w);
    if (first)
        first->worker = w;
    jdi_clock_start(&w->clock, jdi_rank_now(r), jdi_time_cpu(r->am->time));
    return first;
}

void jdi_worker_end(struct jdi_worker *w)
{
    set_hungry(w, false);
    jdi_clock_end(&w->clock, JDI_ACT_STEAL, jdi_rank_now(w->rank),
                  jdi_time_cpu(w->rank->am->time));
    jdi_owner_leave(&w->thread);
}

static void pause_between(struct jdi_worker *w)
{
    jdi_rank_measure(w->rank, &w->clock, JDI_ACT_STEAL);
    pause_for(w, JDI_IDLE_YIELD);
}

void jdi_worker_stream(void *rank, unsigned index, struct jdi_ult *base)
{
    struct jdi_rank *r = rank;
    struct jdi_worker *w = &r->workers[index];
    jd_self *next = jdi_worker_begin(r, index, base);
    w->visit = JDI_VISIT_STARVED; /* there may be no memory for the first one */
    while (w->visit == JDI_VISIT_STARVED) {
        if (!next)
            next = jdi_worker_relieve(w, pause_between);
        if (!next)
            break;
        r->ult->jump(base, next->ult, NULL);
        if (w->visit == JDI_VISIT_STARVED) /* that ULT, or a later one, has stopped */
            jdi_rank_measure(r, &w->clock, JDI_ACT_WORK);
        next = NULL;
    }
    jdi_worker_end(w);
}
