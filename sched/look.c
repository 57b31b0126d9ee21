/*
 * look.c - how a busy worker looks around.
 *
 * Role: see look.h.
 * Owner: the stream of the worker.
 * Order: none of its own; what wakes others has its pair in core/idle.h.
 * See: look.h; ARCHITECTURE.md "Life of a steal" has what an inline rank learns in this way.
 */
#include "sched/look.h"

#include "sched/ask.h"
#include "sched/deques.h"
#include "sched/neighbours.h"
#include "sched/runq.h"
#include "sched/stopwatch.h"

enum {
    RING_NS =
        100000, /* how often a worker wakes the communication thread for what that cannot see */
    /* How long a ULT may run tasks of one collection by itself while others have some, too.  It is
     * long because a ULT that gives its worker away before it has ended keeps its stack. */
    OWN_TURN_NS = 10000000,
    DEQUE_TURN_NS =
        500000, /* after which ready deques have a turn beside the active one */
    FUEL_MAX = 4096
};

/* Are there tasks for the worker in a collection of which `me` runs no tasks? */
static JDI_NOINLINE bool others_wait(jd_self *me, uint64_t now)
{
    struct jdi_worker *w = me->worker;
    for (unsigned i = 0, n = jdi_worker_ncolls(w->rank); i < n; i++) {
        jd_coll *c = jdi_worker_coll(w->rank, i);
        if (c && c != me->coll &&
            (jdi_coll_has_own(c, w->index) || jdi_store_landed(&c->store)))
            return true;
    }
    w->turned = now;
    return false;
}

bool jdi_look_deques_are_late(const struct jdi_worker *w, uint64_t now)
{
    return jdi_deques_ready(w) && now - w->lanes.turned >= DEQUE_TURN_NS;
}

/* Do they, after the loop has run none for long? */
static bool others_are_late(jd_self *me, uint64_t now)
{
    return now - me->worker->turned >= OWN_TURN_NS && others_wait(me, now);
}

void jdi_look_refuel(struct jdi_worker *w, uint32_t ran, uint64_t now)
{
    uint64_t took = now - w->looked;
    w->looked = now;
    if (ran < w->fuel && took < JDI_LOOK_NS)
        return;
    if (took > 2 * JDI_LOOK_NS)
        w->fuel = w->fuel > 1 ? w->fuel / 2 : 1;
    else if (took < JDI_LOOK_NS && w->fuel < FUEL_MAX)
        w->fuel *= 2;
}

/* The fuel may have been set for shorter tasks.  So look at the clock after 1, 2, 4... tasks, and
 * set the fuel to the number that took long enough. */
bool jdi_look_late(struct jdi_worker *w, uint32_t ran)
{
    if ((ran & (ran - 1)) || jdi_rank_now(w->rank) - w->looked < JDI_LOOK_NS)
        return false;
    w->fuel = ran;
    return true;
}

void jdi_look_visit(jd_self *me, enum jdi_visit why)
{
    struct jdi_worker *w = me->worker;
    w->visit = why;
    w->rank->ult->jump(me->ult, w->base, NULL);
    jdi_self_arrive(me);
}

/* Does a collection have tasks that other ranks do not see? */
static bool anything_unseen(struct jdi_worker *w)
{
    struct jdi_rank *r = w->rank;
    for (unsigned i = 0, n = jdi_worker_ncolls(r); i < n; i++) {
        jd_coll *c = jdi_worker_coll(r, i);
        if (c && jdi_ask_hides(c))
            return true;
    }
    return false;
}

/* Does another worker, while this one works, need tasks of other ranks? */
static bool others_hunger(const struct jdi_rank *r)
{
    return r->am->nranks > 1 && atomic_load_explicit(&r->hungry, memory_order_relaxed);
}

/*
 * Between tasks, let the network have a turn.  A communication thread that shares this worker's core
 * is awake if it has something to do, and waits for the core; else it sleeps, and is woken
 * for what it cannot see asleep.
 */
void jdi_look_around(jd_self *me, uint64_t now)
{
    struct jdi_worker *w = me->worker;
    struct jdi_rank *r = w->rank;
    if (w->comm)
        jdi_look_visit(me, JDI_VISIT_POLL);
    if (!w->beside)
        return;
    uint32_t looks = atomic_load_explicit(&r->looks, memory_order_relaxed);
    atomic_store_explicit(&r->looks, looks + 1, memory_order_relaxed);
    if (!jdi_idle_waits(r->am->idle)) {
        jdi_time_pause(r->am->time, JDI_IDLE_YIELD);
    } else if (now - w->rang >= RING_NS && (others_hunger(r) || anything_unseen(w))) {
        w->rang = now;
        jdi_idle_wake(r->am->idle);
    }
}

bool jdi_look_spent(jd_self *me)
{
    struct jdi_worker *w = me->worker;
    uint32_t ran = ++w->burnt;
    if (ran < w->fuel && !jdi_look_late(w, ran))
        return false;
    w->burnt = 0;
    uint64_t now = jdi_rank_now(w->rank);
    jdi_clock_book(&w->clock, JDI_ACT_WORK, now);
    jdi_look_refuel(w, ran, now);
    jdi_look_around(me, now);
    jdi_worker_read(w);
    return w->yielded || jdi_runq_size(&w->ready) || jdi_deques_has_next(w) ||
           jdi_look_deques_are_late(w, now) || others_are_late(me, now);
}

/* Has the worker nothing to do but the ULT that runs? */
static bool has_nothing_else(struct jdi_worker *w)
{
    if (jdi_runq_size(&w->ready) || w->yielded || !jdi_mailbox_empty(&w->calls) ||
        jdi_deques_ready(w))
        return false;
    for (unsigned i = 0, n = jdi_worker_ncolls(w->rank); i < n; i++) {
        jd_coll *c = jdi_worker_coll(w->rank, i);
        if (c && (jdi_coll_has_own(c, w->index) || jdi_store_landed(&c->store)))
            return false;
    }
    return true;
}

/* A ULT that yields until something comes must not take longer to see it than a switch of stacks.  The
 * network and the neighbours are looked at as often as between tasks.  In virtual time each yield
 * goes the long way, on which time passes. */
bool jdi_look_is_lonely(jd_self *me)
{
    struct jdi_worker *w = me->worker;
    if (w->rank->am->time || !has_nothing_else(w))
        return false;
    uint32_t ran = ++w->burnt;
    if (ran < w->fuel && !jdi_look_late(w, ran))
        return true;
    w->burnt = 0;
    jdi_look_refuel(w, ran, jdi_rank_now(w->rank));
    return false;
}

void jdi_look_stall(jd_self *me)
{
    struct jdi_worker *w = me->worker;
    if (JDI_UNLIKELY(me->watch != NULL))
        jdi_stopwatch_stop(me);
    jdi_rank_measure(w->rank, &w->clock, JDI_ACT_WORK);
    if (w->comm) {
        jdi_look_visit(me, JDI_VISIT_POLL);
    } else {
        jdi_time_pause(w->rank->am->time, JDI_IDLE_YIELD);
        jdi_rank_measure(w->rank, &w->clock, JDI_ACT_IDLE);
    }
    if (JDI_UNLIKELY(me->watch != NULL))
        jdi_stopwatch_start(me);
}
