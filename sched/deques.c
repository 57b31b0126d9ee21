/*
 * deques.c - latency hiding: the many deques of a worker.
 *
 * Role: see deques.h.  The functions have the names of the paper's pseudo-code where it has one:
 *       suspend is handleChild of a suspended vertex, callback and pop are callback and popBottom,
 *       change and steal are the two halves of main.  doc/deques.md says where this differs, and why.
 * Invariants: I1 to I4 of deques.h.
 * Order: [pair: lock]; [pair: table-chunk].  A worker's lock comes before the pool's; nobody holds the
 *        locks of two workers.
 * See: deques.h.
 */
#include "sched/deques.h"

#include "core/random.h"

enum {
    TRIES_MOST = 64
}; /* random deques at which a thief looks before it goes through all workers */

/* ---- the pool ----------------------------------------------------------------------- */

static struct jdi_lane *lane_at(struct jdi_deques *p, uint32_t index)
{
    return jdi_table_at(&p->lanes, index);
}

int jdi_deques_init(struct jdi_rank *r)
{
    if (r->knobs->unblock != JDI_UNBLOCK_DEQUE &&
        r->knobs->unblock != JDI_UNBLOCK_PROACTIVE)
        return 0;
    r->deques = jdi_zalloc(&r->am->fault, sizeof *r->deques);
    if (!r->deques)
        return JD_ENOMEM;
    jdi_lock_init(&r->deques->lock);
    jdi_table_init(&r->deques->lanes, sizeof(struct jdi_lane), &r->am->fault);
    return 0;
}

void jdi_deques_fini(struct jdi_rank *r)
{
    if (!r->deques)
        return;
    jdi_table_fini(&r->deques->lanes);
    jdi_free(r->deques);
    r->deques = NULL;
}

static void link_last(struct jdi_lane_list *list, struct jdi_lane *l)
{
    l->next = NULL;
    l->prev = list->last;
    *(l->prev ? &l->prev->next : &list->first) = l;
    list->last = l;
}

static void unlink_lane(struct jdi_lane_list *list, struct jdi_lane *l)
{
    *(l->prev ? &l->prev->next : &list->first) = l->next;
    *(l->next ? &l->next->prev : &list->last) = l->prev;
    l->next = l->prev = NULL;
}

/* A descriptor above `total`, with its chunk if that is new.  Under the pool's lock. */
static struct jdi_lane *grow_pool(struct jdi_deques *p)
{
    uint32_t index = atomic_load_explicit(&p->total, memory_order_relaxed);
    if (jdi_table_grow(&p->lanes, index))
        return NULL;
    /* Relaxed: who reads an index below `total` reads the chunk with acquire. */
    atomic_store_explicit(&p->total, index + 1, memory_order_relaxed);
    return lane_at(p, index);
}

/* newDeque: one for w, whose lock the caller has.  NULL when out of memory. */
static struct jdi_lane *lane_new(struct jdi_worker *w)
{
    struct jdi_deques *p = w->rank->deques;
    jdi_lock(&p->lock);
    struct jdi_lane *l = p->free.first;
    if (l)
        unlink_lane(&p->free, l);
    else
        l = grow_pool(p);
    if (l)
        atomic_store_explicit(&l->owner, w, memory_order_relaxed);
    jdi_unlock(&p->lock);
    if (!l)
        return NULL;
    JD_ASSERT(l->state == JDI_LANE_FREE && !l->suspended && !l->resumed.n);
    jdi_stats_count(&w->stats.deques, 1);
    w->lanes.n++;
    if (w->lanes.n > w->stats.most_deques)
        jdi_stats_set(&w->stats.most_deques, w->lanes.n);
    return l;
}

/* free: the caller has the lock of its worker.  Indices at the top are given up, so that thieves do not
 * draw them in vain. */
static void lane_free(struct jdi_worker *w, struct jdi_lane *l)
{
    struct jdi_deques *p = w->rank->deques;
    JD_ASSERT(!l->suspended && !l->resumed.n);
    l->state = JDI_LANE_FREE;
    w->lanes.n--;
    jdi_lock(&p->lock);
    atomic_store_explicit(&l->owner, NULL, memory_order_relaxed);
    link_last(&p->free, l);
    uint32_t total = atomic_load_explicit(&p->total, memory_order_relaxed);
    for (; total; total--) {
        struct jdi_lane *top = lane_at(p, total - 1);
        if (atomic_load_explicit(&top->owner, memory_order_relaxed))
            break;
        unlink_lane(&p->free, top);
    }
    atomic_store_explicit(&p->total, total, memory_order_relaxed);
    jdi_unlock(&p->lock);
}

/* ---- states, under the lock of the deque's worker ------------------------------------ */

/* The bag of l has changed. */
static void count_ready(struct jdi_worker *w, struct jdi_lane *l)
{
    struct jdi_lanes *ls = &w->lanes;
    uint32_t before = atomic_load_explicit(&l->nready, memory_order_relaxed);
    uint32_t ready = atomic_load_explicit(&ls->nready, memory_order_relaxed);
    atomic_store_explicit(&l->nready, l->resumed.n, memory_order_relaxed);
    atomic_store_explicit(&ls->nready, ready + !before - !l->resumed.n,
                          memory_order_relaxed);
}

/* l is not active: it waits, is ready, or goes back to the pool (I2). */
static void settle(struct jdi_worker *w, struct jdi_lane *l)
{
    bool listed = l->state == JDI_LANE_READY;
    if (listed && !l->resumed.n)
        unlink_lane(&w->lanes.ready, l);
    if (!listed && l->resumed.n)
        link_last(&w->lanes.ready, l);
    if (l->resumed.n)
        l->state = JDI_LANE_READY;
    else if (l->suspended)
        l->state = JDI_LANE_SUSPENDED;
    else
        lane_free(w, l);
}

/* What the worker runs from here on belongs to another deque. */
static void set_aside(struct jdi_worker *w)
{
    struct jdi_lane *a = w->lanes.active;
    if (!a)
        return;
    JD_ASSERT(a->state == JDI_LANE_ACTIVE);
    w->lanes.active = NULL;
    settle(w, a);
}

/* A deque that nobody waits for is as good as a new one. */
static void leave_unless_new(struct jdi_worker *w)
{
    const struct jdi_lane *a = w->lanes.active;
    if (a && (a->suspended || a->resumed.n))
        set_aside(w);
}

static struct jdi_lane *active_or_new(struct jdi_worker *w)
{
    if (!w->lanes.active) {
        w->lanes.active = lane_new(w);
        if (w->lanes.active)
            w->lanes.active->state = JDI_LANE_ACTIVE;
    }
    return w->lanes.active;
}

/* ---- the worker ---------------------------------------------------------------------- */

/* The ULT goes on on w. */
static jd_self *taken(struct jdi_worker *w, jd_self *s)
{
    if (s) {
        s->moved = s->worker != w;
        jdi_stats_count(&w->stats.migrated, s->moved);
    }
    return s;
}

static void lanes_enter(struct jdi_worker *w)
{
    jdi_time_lock(w->rank->am->time, &w->lanes.held);
    jdi_lock(&w->lanes.lock);
}

void jdi_deques_suspend(struct jdi_worker *w, jd_self *me)
{
    JD_ASSERT(me->worker == w && jdi_rank_is_owner(w->rank, w->index));
    me->lane = NULL;
    if (jdi_self_pinned(me))
        return;
    lanes_enter(w);
    struct jdi_lane *l = active_or_new(w);
    if (l) { /* else it comes back through the worker's queue */
        l->suspended++;
        me->lane = l;
    }
    if (w->rank->knobs->unblock == JDI_UNBLOCK_PROACTIVE) {
        set_aside(w);
        w->lanes.away = true;
    }
    jdi_unlock(&w->lanes.lock);
}

jd_self *jdi_deques_pop(struct jdi_worker *w, bool oldest)
{
    if (!jdi_deques_has_next(w))
        return NULL;
    lanes_enter(w);
    struct jdi_lane *a = w->lanes.active;
    jd_self *s = oldest ? jdi_bag_take_old(&a->resumed) : jdi_bag_take_new(&a->resumed);
    count_ready(w, a);
    jdi_unlock(&w->lanes.lock);
    return taken(w, s);
}

jd_self *jdi_deques_change(struct jdi_worker *w)
{
    jd_self *s = NULL;
    if (!jdi_deques_ready(w))
        return NULL;
    lanes_enter(w);
    struct jdi_lane *l = w->lanes.ready.first;
    if (l) {
        unlink_lane(&w->lanes.ready, l);
        l->state = JDI_LANE_ACTIVE;
        set_aside(w);
        w->lanes.active = l;
    } else {
        l = w->lanes.active; /* a ULT has come back to it meanwhile */
    }
    if (l) {
        s = jdi_bag_take_new(&l->resumed);
        count_ready(w, l);
    }
    jdi_unlock(&w->lanes.lock);
    return taken(w, s);
}

void jdi_deques_leave(struct jdi_worker *w)
{
    if (!w->lanes.active)
        return;
    lanes_enter(w);
    leave_unless_new(w);
    jdi_unlock(&w->lanes.lock);
}

/* ---- thieves -------------------------------------------------------------------------- */

/* Have a deque for what is about to be stolen. */
static bool prepare_lane(struct jdi_worker *w)
{
    lanes_enter(w);
    leave_unless_new(w);
    bool is_there = active_or_new(w) != NULL;
    jdi_unlock(&w->lanes.lock);
    return is_there;
}

/* Take from l: half of what is ready, or one. */
static bool take_from_lane(struct jdi_worker *thief, struct jdi_lane *l, bool half,
                           struct jdi_bag *got)
{
    jdi_stats_count(&thief->stats.looks_ready, 1);
    struct jdi_worker *v = atomic_load_explicit(&l->owner, memory_order_relaxed);
    if (!v || v == thief || !atomic_load_explicit(&l->nready, memory_order_relaxed))
        return false;
    lanes_enter(v);
    /* It may be free, or another worker's, since the look; then it is none of v's. */
    bool is_his = atomic_load_explicit(&l->owner, memory_order_relaxed) == v;
    if (is_his && l->resumed.n) {
        if (half)
            jdi_bag_halve(&l->resumed, got);
        else
            jdi_bag_add(got, jdi_bag_take_old(&l->resumed));
        count_ready(v, l);
        if (l->state != JDI_LANE_ACTIVE)
            settle(v, l);
    }
    jdi_unlock(&v->lanes.lock);
    return got->n;
}

/* Any deque of v with something ready. */
static struct jdi_lane *ready_of(struct jdi_worker *v)
{
    lanes_enter(v);
    struct jdi_lane *l = v->lanes.ready.first ? v->lanes.ready.first : v->lanes.active;
    jdi_unlock(&v->lanes.lock);
    return l;
}

/* Nobody may sleep while something is ready, and a draw may miss it. */
static bool go_through_all(struct jdi_worker *w, bool half, struct jdi_bag *got)
{
    struct jdi_rank *r = w->rank;
    unsigned first = jdi_random_below(&w->rng, r->nworkers);
    for (unsigned i = 0; i < r->nworkers; i++) {
        struct jdi_worker *v = &r->workers[(first + i) % r->nworkers];
        struct jdi_lane *l = v != w && jdi_deques_ready(v) ? ready_of(v) : NULL;
        if (l && take_from_lane(w, l, half, got))
            return true;
    }
    return false;
}

static bool draw_lane(struct jdi_worker *w, bool half, struct jdi_bag *got)
{
    struct jdi_deques *p = w->rank->deques;
    for (unsigned i = 0; i < TRIES_MOST; i++) {
        uint32_t n = atomic_load_explicit(&p->total, memory_order_relaxed);
        if (n && take_from_lane(w, lane_at(p, jdi_random_below(&w->rng, n)), half, got))
            return true;
        if (i >= n)
            return false;
    }
    return false;
}

static bool others_are_ready(const struct jdi_worker *w)
{
    const struct jdi_rank *r = w->rank;
    for (unsigned i = 0; i < r->nworkers; i++)
        if (i != w->index && jdi_deques_ready(&r->workers[i]))
            return true;
    return false;
}

/* What is left of the loot lies in the thief's new deque. */
static void keep_loot(struct jdi_worker *w, const struct jdi_bag *got)
{
    lanes_enter(w);
    struct jdi_lane *a = w->lanes.active;
    JD_ASSERT(a && !a->resumed.n);
    a->resumed = *got;
    count_ready(w, a);
    jdi_unlock(&w->lanes.lock);
}

jd_self *jdi_deques_steal(struct jdi_worker *w)
{
    struct jdi_bag got = {0};
    if (!others_are_ready(w))
        return NULL;
    bool half = prepare_lane(w);
    uint64_t before = w->stats.looks_ready;
    bool found = draw_lane(w, half, &got) || go_through_all(w, half, &got);
    unsigned vain = (unsigned)(w->stats.looks_ready - before) - found;
    if (!found) {
        jdi_time_look(w->rank->am->time, vain);
        return NULL;
    }
    jd_self *s = jdi_bag_take_old(&got);
    if (got.n)
        keep_loot(w, &got);
    if (got.n || others_are_ready(w))
        jdi_rank_wake_one(w->rank); /* I1 of neighbours.h */
    jdi_time_look(w->rank->am->time, vain);
    jdi_time_take(w->rank->am->time);
    return taken(w, s);
}

/* ---- any thread ----------------------------------------------------------------------- */

struct jdi_worker *jdi_deques_callback(jd_self *stopped)
{
    struct jdi_lane *l = stopped->lane;
    /* The deque keeps its worker while something is counted in it (I2). */
    struct jdi_worker *w = atomic_load_explicit(&l->owner, memory_order_relaxed);
    stopped->lane = NULL;
    lanes_enter(w);
    JD_ASSERT(l->suspended);
    l->suspended--;
    jdi_bag_add(&l->resumed, stopped);
    count_ready(w, l);
    if (l->state != JDI_LANE_ACTIVE)
        settle(w, l);
    jdi_unlock(&w->lanes.lock);
    return w;
}

void jdi_deques_check(struct jdi_worker *w)
{
    struct jdi_deques *p = w->rank->deques;
    uint32_t total = p ? atomic_load_explicit(&p->total, memory_order_relaxed) : 0;
    uint32_t mine = 0, ready = 0, ults = 0;
    for (uint32_t i = 0; i < total; i++) {
        const struct jdi_lane *l = lane_at(p, i);
        if (atomic_load_explicit(&l->owner, memory_order_relaxed) != w)
            continue;
        mine++;
        ready += l->resumed.n > 0;
        ults += l->resumed.n + l->suspended;
        JD_CHECK(l->state != JDI_LANE_FREE);
        JD_CHECK((l->state == JDI_LANE_ACTIVE) == (l == w->lanes.active));
        JD_CHECK(l->state != JDI_LANE_READY || l->resumed.n);
        JD_CHECK(l->state != JDI_LANE_SUSPENDED || (l->suspended && !l->resumed.n));
    }
    JD_CHECK(mine == w->lanes.n && mine <= ults + 1);
    JD_CHECK(ready == atomic_load_explicit(&w->lanes.nready, memory_order_relaxed));
}
