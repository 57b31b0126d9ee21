/*
 * waits.c - the waits of a worker's ULTs that a deadline or a cancellation may end.
 *
 * Role: see waits.h; the turn of all wheels of a rank.
 * Invariants: I1 and I2 of waits.h. I3 no lock is held while a ULT is made ready.
 * Order: those of waits.h.
 * See: waits.h; sched/wait/wait.c.
 */
#include "sched/wait/waits.h"

#include "core/container.h"

enum {
    TURN_MOST = 256, /* waits that a turn ends, so that the network is not kept waiting */
    WHEEL_LEAST = 8, /* of one worker, however many there are */
    LOOK_MOST = 16   /* waits that an inspection looks at in one turn of the lock */
};

struct jdi_waits *jdi_waits_of(struct jdi_worker *w)
{
    struct jdi_waits *s = atomic_load_explicit(&w->waits, memory_order_relaxed);
    if (JDI_LIKELY(s != NULL))
        return s;
    s = jdi_zalloc(&w->rank->am->fault, sizeof *s);
    if (!s)
        return NULL;
    jdi_lock_init(&s->lock);
    jdi_wheel_init(&s->wheel, jdi_rank_now(w->rank));
    s->worker = w;
    /* [pair: worker-waits] release: the fields above. */
    atomic_store_explicit(&w->waits, s, memory_order_release);
    return s;
}

/* ---- in and out, under the lock ------------------------------------------------------ */

static void set_due(struct jdi_waits *s, uint64_t due)
{
    atomic_store_explicit(&s->worker->due, due, memory_order_relaxed);
}

/* Before *link in the list of those with a mark. */
static void list_wait(struct jdi_wait *w, struct jdi_wait **link)
{
    w->listed = true;
    w->next = *link;
    w->link = link;
    if (w->next)
        w->next->link = &w->next;
    *link = w;
}

/* True if the deadline is earlier than what the communication worker may know of. */
static bool put_in(struct jdi_waits *s, struct jdi_wait *w)
{
    if (w->mark)
        list_wait(w, &s->marked);
    if (w->timer.at == JD_FOREVER)
        return false;
    jdi_wheel_add(&s->wheel, &w->timer);
    if (w->timer.at >= atomic_load_explicit(&s->worker->due, memory_order_relaxed))
        return false;
    set_due(s, w->timer.at);
    return true;
}

static void take_out_wait(struct jdi_waits *s, struct jdi_wait *w)
{
    if (w->timer.home)
        jdi_wheel_remove(&s->wheel, &w->timer);
    if (!w->listed)
        return;
    w->listed = false;
    *w->link = w->next;
    if (w->next)
        w->next->link = w->link;
}

/* Claim w for this turn.  False if something else ends it: then its ULT takes it out. */
static bool win(struct jdi_waits *s, struct jdi_wait *w)
{
    if (!jdi_wait_claim(w))
        return false;
    take_out_wait(s, w);
    w->taken_out = true;
    return true;
}

/* ---- the ULT ------------------------------------------------------------------------- */

/* The communication worker may sleep until a later deadline than `at`. */
static void tell_due(struct jdi_rank *r, uint64_t at)
{
    /* [pair: idle-wake] seq_cst: `due` of the worker was written before, and is looked at by the
     * communication worker after its announcement (jdi_rank_due_news). */
    atomic_thread_fence(memory_order_seq_cst);
    if (at < atomic_load_explicit(&r->due, memory_order_relaxed))
        jdi_idle_wake_fenced(r->am->idle);
    if (!r->place.apart)
        jdi_rank_wake_sleeper(r); /* a worker that sees to deadlines, too: on_due */
}

void jdi_waits_add(struct jdi_wait *w)
{
    struct jdi_waits *s = w->waits;
    struct jdi_rank *r = s->worker->rank;
    uint64_t now = jdi_rank_now(r);
    bool sooner = false;
    JD_ASSERT(jdi_rank_is_owner(r, s->worker->index));
    jdi_lock(&s->lock);
    if (!s->wheel.timers && now > s->wheel.now)
        s->wheel.now = now;
    /* Whoever sets the mark looks through this list afterwards: either w is found there, or the lock
     * shows the mark here. */
    bool late =
        w->mark && atomic_load_explicit(w->mark, memory_order_relaxed) && win(s, w);
    if (!late)
        sooner = put_in(s, w);
    jdi_unlock(&s->lock);
    if (late)
        jdi_wait_end(s->worker, w, JD_ECANCELED);
    else if (sooner)
        tell_due(r, w->timer.at);
}

void jdi_waits_remove(struct jdi_wait *w)
{
    struct jdi_waits *s = w->waits;
    jdi_lock(&s->lock);
    take_out_wait(s, w);
    jdi_unlock(&s->lock);
}

/* ---- the communication worker -------------------------------------------------------- */

static void end_won(struct jdi_wait *w, int result)
{
    while (w) {
        struct jdi_wait *next = w->chain;
        jdi_wait_end(NULL, w, result);
        w = next;
    }
}

/* Turn one wheel; returns when it has to be turned again. */
static uint64_t turn_wheel(struct jdi_waits *s, unsigned most)
{
    struct jdi_timer *list = NULL;
    struct jdi_wait *won = NULL, **last = &won;
    jdi_lock(&s->lock);
    (void)jdi_wheel_expire(&s->wheel, jdi_rank_now(s->worker->rank), most, &list);
    while (list) {
        struct jdi_wait *w = jdi_container_of(list, struct jdi_wait, timer);
        list = list->next;
        if (!win(s, w))
            continue;
        *last = w;
        last = &w->chain;
    }
    uint64_t due = jdi_wheel_next(&s->wheel);
    set_due(s, due);
    jdi_unlock(&s->lock);
    end_won(won, JD_ETIMEDOUT);
    return due;
}

/* Turn those wheels that are due.  Returns when the first has to be turned again. */
static uint64_t turn_all(struct jdi_rank *r)
{
    unsigned share = TURN_MOST / r->nworkers;
    uint64_t soonest = UINT64_MAX;
    for (unsigned i = 0; i < r->nworkers; i++) {
        struct jdi_worker *w = &r->workers[i];
        uint64_t due = atomic_load_explicit(&w->due, memory_order_relaxed);
        if (due == UINT64_MAX)
            continue;
        /* [pair: worker-waits] acquire: the object's fields. */
        struct jdi_waits *s = atomic_load_explicit(&w->waits, memory_order_acquire);
        if (s && due <= jdi_rank_now(r)) {
            jdi_time_meet(r->am->time);
            due = turn_wheel(s, share > WHEEL_LEAST ? share : WHEEL_LEAST);
        }
        soonest = due < soonest ? due : soonest;
    }
    return soonest;
}

static void turn_wheels(struct jdi_rank *r)
{
    uint64_t soonest = turn_all(r);
    atomic_store_explicit(&r->due, soonest, memory_order_relaxed);
    jdi_rank_again(r, soonest);
}

static void turn_idly(struct jdi_rank *r)
{
    (void)turn_all(r);
}

static void cancel_waits(struct jdi_waits *s)
{
    struct jdi_wait *won = NULL, **last = &won;
    jdi_lock(&s->lock);
    for (struct jdi_wait *w = s->marked, *next; w; w = next) {
        next = w->next;
        if (!atomic_load_explicit(w->mark, memory_order_relaxed) || !win(s, w))
            continue;
        *last = w;
        last = &w->chain;
    }
    jdi_unlock(&s->lock);
    end_won(won, JD_ECANCELED);
}

void jdi_waits_cancelled(struct jdi_rank *r)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    for (unsigned i = 0; i < r->nworkers; i++) {
        /* [pair: worker-waits] acquire, as above. */
        struct jdi_waits *s =
            atomic_load_explicit(&r->workers[i].waits, memory_order_acquire);
        if (s)
            cancel_waits(s);
    }
}

/* ---- inspection ----------------------------------------------------------------------- */

/* Under the lock: the memory of a wait in the list is there. */
static void describe_wait(const struct jdi_waits *s, const struct jdi_wait *w,
                          jdi_inspect_fn *fn, void *ctx)
{
    struct jdi_waiting to = {.worker = s->worker->index};
    if (!w->of_none ||
        atomic_load_explicit(&w->state, memory_order_relaxed) & JDI_WAIT_CLAIMED)
        return;
    w->ops->describe(w, &to);
    fn(ctx, &to);
}

/* Look at a few waits behind the place `at`, which stands in the list as a wait that never ends, and move it behind
 * them.  False: there are no more, and it is out. */
static bool look_at_some(struct jdi_waits *s, struct jdi_wait *at, jdi_inspect_fn *fn,
                         void *ctx)
{
    struct jdi_wait *last = at;
    jdi_lock(&s->lock);
    for (unsigned n = 0; n < LOOK_MOST && last->next; n++) {
        last = last->next;
        describe_wait(s, last, fn, ctx);
    }
    bool more = last->next;
    take_out_wait(s, at);
    if (more)
        list_wait(at, &last->next);
    jdi_unlock(&s->lock);
    return more;
}

void jdi_waits_each(struct jdi_rank *r, jdi_inspect_fn *fn, void *ctx)
{
    static const _Atomic bool never = false;
    for (unsigned i = 0; i < r->nworkers; i++) {
        /* [pair: worker-waits] acquire, as above. */
        struct jdi_waits *s =
            atomic_load_explicit(&r->workers[i].waits, memory_order_acquire);
        struct jdi_wait at = {.timer.at = JD_FOREVER, .mark = &never};
        if (!s)
            continue;
        jdi_lock(&s->lock);
        list_wait(&at, &s->marked);
        jdi_unlock(&s->lock);
        while (look_at_some(s, &at, fn, ctx))
            continue;
    }
}

/* ---- start and end -------------------------------------------------------------------- */

void jdi_waits_init(struct jdi_rank *r)
{
    atomic_init(&r->due, UINT64_MAX);
    jdi_rank_on_turn(r, turn_wheels);
    r->on_due = turn_idly;
}

void jdi_waits_free(struct jdi_rank *r)
{
    for (unsigned i = 0; i < r->nworkers; i++) {
        struct jdi_waits *s =
            atomic_load_explicit(&r->workers[i].waits, memory_order_relaxed);
        JD_CHECK(!s || (!s->wheel.timers && !s->marked));
        jdi_free(s);
    }
}
