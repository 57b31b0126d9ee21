/*
 * neighbours.c - what a worker gets from the other owners of its rank.
 *
 * Role: see neighbours.h.
 * Invariants: I1 of neighbours.h.
 * Order: [pair: idle-wake], [pair: store-put].
 * See: neighbours.h; sched/store.c; sched/runq.c.
 */
#include "sched/neighbours.h"

#include "core/random.h"
#include "sched/deques.h"
#include "sched/runq.h"
#include "sched/traces.h"

bool jdi_neighbours_open(struct jdi_worker *w)
{
    struct jdi_rank *r = w->rank;
    for (unsigned i = 0, n = jdi_worker_ncolls(r); i < n; i++) {
        jd_coll *c = jdi_worker_coll(r, i);
        if (c && jdi_store_local(&c->store))
            return true;
    }
    return false;
}

/* ---- taking from the other owners of the rank --------------------------------------- */

/* Take tasks of c from the other owners of the rank; return how many. */
uint64_t jdi_neighbours_take(struct jdi_worker *w, jd_coll *c)
{
    struct jdi_seat *mine = &c->seat[w->index];
    struct jdi_store_take got =
        jdi_store_take(&mine->shelf, &w->rng, w->rank->local_amount);
    jdi_stats_count(&w->stats.looks_tasks, got.vain + (got.n > 0));
    if (!got.n) {
        jdi_time_look(w->rank->am->time, got.vain);
        return 0;
    }
    c->kind->taken(c, mine, got.n);
    mine->account.stolen += got.n;
    jdi_stats_count(&w->stats.stolen_local, got.n);
    jdi_stats_count(&w->stats.steals_local, 1);
    jdi_traces_put(w, JDI_TRACE_TAKE, c->id, got.from, got.n);
    jdi_deques_leave(w);
    if (got.more) {
        /* Whoever opened these tasks has woken this worker only.  Waking the next worker also
         * passes this worker's call on. */
        w->called = false;
        jdi_rank_wake_one(w->rank);
    }
    jdi_time_look(w->rank->am->time, got.vain);
    jdi_time_take(w->rank->am->time);
    jdi_store_arrived(&mine->shelf, got.n);
    return got.n;
}

uint64_t jdi_neighbours_steal(struct jdi_worker *w)
{
    JD_ASSERT(jdi_rank_is_owner(w->rank, w->index));
    struct jdi_rank *r = w->rank;
    for (unsigned i = 0, n = jdi_worker_ncolls(r); i < n; i++) {
        unsigned id = jdi_worker_in_turn(w, i, n);
        jd_coll *c = jdi_worker_coll(r, id);
        uint64_t got = c ? jdi_neighbours_take(w, c) : 0;
        if (got) {
            w->turn = id; /* these run next */
            return got;
        }
    }
    return 0;
}

/* Ask for tasks that a neighbour hides because it is in a long task.  Not often, because each look
 * fetches cache lines to which neighbours write all the time. */
bool jdi_neighbours_pry(struct jdi_worker *w, uint64_t now)
{
    struct jdi_rank *r = w->rank;
    bool opened = false;
    if (now - w->pried < JDI_STORE_PRY_NS)
        return false;
    w->pried = now;
    for (unsigned i = 0, n = jdi_worker_ncolls(r); i < n; i++) {
        jd_coll *c = jdi_worker_coll(r, i);
        if (c)
            opened = jdi_store_pry(&c->store, &c->seat[w->index].shelf, now) || opened;
    }
    return opened;
}

/* Does a neighbour hide tasks that a later pry could open? */
bool jdi_neighbours_hide(struct jdi_worker *w)
{
    struct jdi_rank *r = w->rank;
    for (unsigned i = 0, n = jdi_worker_ncolls(r); i < n; i++) {
        jd_coll *c = jdi_worker_coll(r, i);
        if (c && jdi_store_hides(&c->store, &c->seat[w->index].shelf))
            return true;
    }
    return false;
}

/* ---- taking ready ULTs from other workers -------------------------------------------- */

/* Has another worker a ready ULT that can move, or any worker one in a deque? */
bool jdi_neighbours_ready(const struct jdi_worker *w)
{
    const struct jdi_rank *r = w->rank;
    for (unsigned i = 0; i < r->nworkers; i++)
        if (jdi_deques_ready(&r->workers[i]) ||
            (i != w->index && jdi_runq_movable(&r->workers[i].ready)))
            return true;
    return false;
}

/* Take one ready ULT from another worker, which may be in a long task.  The thief runs it at once: in
 * a queue the next thief would have it. */
jd_self *jdi_neighbours_steal_ready(struct jdi_worker *w)
{
    struct jdi_rank *r = w->rank;
    unsigned n = r->nworkers, first = n > 1 ? jdi_random_below(&w->rng, n) : 0;
    unsigned looks = 0; /* in vain */
    jd_self *of_deque = jdi_deques_steal(w);
    if (of_deque)
        return of_deque;
    for (unsigned i = 0; n > 1 && i < n; i++) {
        unsigned v = first + i < n ? first + i : first + i - n;
        bool more = false;
        if (v == w->index)
            continue;
        jdi_stats_count(&w->stats.looks_ready, 1);
        jd_self *s = jdi_runq_steal(&r->workers[v].ready, &more);
        if (!s) {
            looks++;
            continue;
        }
        s->moved = true;
        jdi_stats_count(&w->stats.migrated, 1);
        if (more)
            jdi_rank_wake_one(r);
        jdi_time_look(r->am->time, looks);
        jdi_time_take(r->am->time);
        return s;
    }
    jdi_time_look(r->am->time, looks);
    return NULL;
}
