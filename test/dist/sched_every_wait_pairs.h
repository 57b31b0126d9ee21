/*
 * sched_every_wait_pairs.h - the steps of a game with all waiting calls whose ends are known.
 *
 * Role: a task opens a finish, spawns partners in it, and waits for what they do, and only they: items in
 *       order, signals, tokens, phases, values, tasks that begin later.  Nobody else would end such a wait, so a
 *       wake-up that is lost stops the game.
 * Owner: the objects of a pair lie on the stack of its task.
 * Invariants: I1 partners do as much as their task waits for; if the finish is cancelled, all waits end by that.
 * See: test/dist/sched_every_wait.h.
 */
#ifndef JDI_TEST_DIST_SCHED_EVERY_WAIT_PAIRS_H
#define JDI_TEST_DIST_SCHED_EVERY_WAIT_PAIRS_H

#include "test/dist/sched_every_wait_shared.h"

enum { PHASES = 4, PARTNERS = 3 };

struct pair {
    struct nest nest;
    jd_channel channel;
    jd_event event, never;
    jd_phaser phaser;
    jd_mutex mutex;
    jd_cond more;
    jd_future future;
    uint64_t n, capacity, tokens, sent, got;
    unsigned partners;
    _Atomic uint32_t rung, arrived[PHASES];
};

/* ---- items in order ------------------------------------------------------------------- */

static inline int send_once(struct player *p, struct pair *x, const struct call *c)
{
    uint64_t item = x->sent;
    jd_case cases[] = {jd_case_event(x->never), jd_case_send(x->channel, &item)};
    int at, error;
    switch (below(p, 3)) {
    case 0:
        at = jd_select(p->me, cases, 2, 0, c->by);
        return at == 1 ? cases[1].error : at == 0 ? JD_ESTATE : at;
    case 1:
        if (!x->capacity)
            return jd_channel_send(p->me, x->channel, &item, c->by);
        error = jd_channel_reserve(p->me, x->channel, c->by);
        if (error)
            return error;
        if (below(p, 2))
            jd_yield(p->me);
        return jd_channel_commit(p->me, x->channel, &item);
    default:
        return jd_channel_send(p->me, x->channel, &item, c->by);
    }
}

static inline void partner_sends(struct player *p)
{
    struct pair *x = p->job.pair;
    while (x->sent < x->n) {
        struct call c = patient_call(p, OF_SEND);
        int error = send_once(p, x, &c);
        if (was_done(p, &c, error))
            x->sent++;
        else if (error != JD_ETIMEDOUT)
            return;
    }
}

/* Takes room and gives it back, so that the sender waits for this, too. */
static inline void partner_reserves(struct player *p)
{
    struct pair *x = p->job.pair;
    for (uint64_t i = 0; i < x->n && x->capacity; i++) {
        struct call c = patient_call(p, OF_SEND);
        if (!was_done(p, &c, jd_channel_reserve(p->me, x->channel, c.by)))
            continue;
        if (below(p, 2))
            do_sleep(p);
        must(p->me, jd_channel_release(p->me, x->channel));
    }
}

static inline int receive_once(struct player *p, struct pair *x, const struct call *c,
                               uint64_t *item)
{
    jd_case cases[] = {jd_case_receive(x->channel, item), jd_case_event(x->never),
                       jd_case_future(x->future, NULL, 0)};
    if (below(p, 2))
        return jd_channel_receive(p->me, x->channel, item, c->by);
    int at = jd_select(p->me, cases, 3, 0, c->by);
    return at == 0 ? cases[0].error : at > 0 ? JD_ESTATE : at;
}

static inline void receive_all(struct player *p, struct pair *x)
{
    while (x->got < x->n) {
        struct call c = patient_call(p, OF_RECEIVE);
        uint64_t item = NOTHING;
        int error = receive_once(p, x, &c, &item);
        if (was_done(p, &c, error))
            demand(p, item == x->got++, "an item comes out of its turn");
        else if (error != JD_ETIMEDOUT)
            return;
    }
}

/* ---- signals, tokens, phases ------------------------------------------------------------ */

/* The thread that is none of the library's signals, or the partner. */
static inline void partner_rings(struct player *p)
{
    struct pair *x = p->job.pair;
    struct bells *b = &p->place->bells;
    jd_event_key key;
    bool left = false;
    one_more(&x->rung);
    must(p->me, jd_event_get_key(p->me, x->event, &key));
    if (b->has_thread && below(p, 2)) {
        while (atomic_flag_test_and_set_explicit(&b->lock, memory_order_acquire))
            sched_yield();
        left = b->n < BELLS;
        if (left)
            b->key[b->n++] = key;
        atomic_flag_clear_explicit(&b->lock, memory_order_release);
    }
    if (!left)
        must(p->me, below(p, 2) ? jd_event_signal_key(key, 1)
                                : jd_event_signal(p->me, x->event, 1));
}

static inline void wait_for_bells(struct player *p, struct pair *x)
{
    struct call c;
    int error;
    do {
        uint64_t item;
        jd_case cases[] = {jd_case_receive(x->channel, &item), jd_case_event(x->event)};
        c = patient_call(p, OF_OTHERS);
        error = below(p, 2) ? jd_event_wait(p->me, x->event, c.by)
                            : jd_select(p->me, cases, 2, 0, c.by);
    } while (!was_done(p, &c, error) && error == JD_ETIMEDOUT);
    if (error >= 0)
        demand(p, atomic_load_explicit(&x->rung, RELAXED) == x->n,
               "an event is set early");
}

static inline bool lock_pair(struct player *p, struct pair *x)
{
    struct call c = call_until(p, OF_OTHERS, JD_FOREVER);
    return was_done(p, &c, jd_mutex_lock(p->me, &x->mutex, JD_FOREVER));
}

static inline void partner_gives(struct player *p)
{
    struct pair *x = p->job.pair;
    for (uint64_t i = 0; i < x->n && lock_pair(p, x); i++) {
        bool first = below(p, 2);
        x->tokens++;
        if (first)
            jd_cond_signal(p->me, &x->more);
        must(p->me, jd_mutex_unlock(p->me, &x->mutex));
        if (!first)
            jd_cond_signal(p->me, &x->more);
    }
}

static inline void take_tokens(struct player *p, struct pair *x)
{
    bool cancelled = false;
    for (uint64_t i = 0; i < x->n && !cancelled && lock_pair(p, x); i++) {
        while (!x->tokens && !cancelled) {
            struct call c = patient_call(p, OF_OTHERS);
            int error = jd_cond_wait(p->me, &x->more, &x->mutex, c.by);
            cancelled = !was_done(p, &c, error) && error != JD_ETIMEDOUT;
        }
        x->tokens -= x->tokens > 0;
        must(p->me, jd_mutex_unlock(p->me, &x->mutex));
    }
}

/* How many phases partner k goes through before it ends, and holds nobody any more. */
static inline uint64_t phases_of(const struct pair *x, uint32_t k)
{
    return x->n > k ? x->n - k : 1;
}

/* All who go through phase i have arrived there: the task of the pair, and some partners. */
static inline bool all_arrived(const struct pair *x, uint64_t i)
{
    uint32_t n = 1;
    for (uint32_t k = 0; k < x->partners; k++)
        n += phases_of(x, k) > i;
    return atomic_load_explicit(&x->arrived[i], RELAXED) == n;
}

static inline void go_through_phases(struct player *p, struct pair *x, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        struct call c;
        int error;
        one_more(&x->arrived[i]);
        do {
            c = patient_call(p, OF_OTHERS);
            error = jd_phaser_next(p->me, x->phaser, c.by);
        } while (!was_done(p, &c, error) && error == JD_ETIMEDOUT);
        if (error)
            return;
        if (p->job.safe)
            demand(p, all_arrived(x, i), "a phase ends early");
    }
}

static inline void partner_arrives(struct player *p)
{
    go_through_phases(p, p->job.pair, phases_of(p->job.pair, p->job.box));
}

/* ---- values ----------------------------------------------------------------------------- */

static inline void partner_sets(struct player *p)
{
    if (below(p, 2))
        do_sleep(p);
    for (int i = 0; i < 2; i++)
        if (p->job.future[i].number)
            set_future(p, p->job.future[i]);
}

static inline void get_value(struct player *p, struct pair *x)
{
    struct call c;
    uint64_t value = 0;
    int error;
    do {
        jd_case one = jd_case_future(x->future, &value, sizeof value);
        c = patient_call(p, OF_OTHERS);
        error = below(p, 2)
                    ? jd_future_get_until(p->me, x->future, &value, sizeof value, c.by)
                    : jd_select(p->me, &one, 1, 0, c.by);
    } while (!was_done(p, &c, error) && error == JD_ETIMEDOUT);
    if (error >= 0)
        demand(p, value == value_of(x->future), "a value is wrong");
}

/* A task that was to begin when its futures are set, or the time has come. */
static inline void begin_later(struct player *p)
{
    const struct job *j = &p->job;
    if (j->home == jd_rank(p->me) && j->at)
        demand(p, has_come(p, j->at), "a task begins before its time");
    for (int i = 0; i < 2; i++)
        if (j->future[i].number)
            demand(p, jd_future_ready(p->me, j->future[i]) == 1,
                   "a task begins before its futures are set");
}

/* ---- the steps -------------------------------------------------------------------------- */

static inline bool begin_pair(struct player *p, struct pair *x)
{
    *x = (struct pair){.n = 1 + below(p, PHASES), .capacity = below(p, 3)};
    if (!open_nest(p, &x->nest))
        return false;
    must(p->me, jd_channel_create(p->me, sizeof(uint64_t), x->capacity, &x->channel));
    must(p->me, jd_event_create(p->me, 1, &x->never));
    must(p->me, jd_future_create(p->me, &x->future));
    return true;
}

/* The finish has ended; what was sent and not received is still inside. */
static inline void end_pair(struct player *p, struct pair *x)
{
    uint64_t item, left = 0;
    close_nest(p, &x->nest);
    while (!jd_channel_receive(p->me, x->channel, &item, JD_NOW))
        left++;
    demand(p, x->sent == x->got + left, "an item of a pair is lost");
    must(p->me, jd_channel_destroy(p->me, x->channel));
    must(p->me, jd_event_destroy(p->me, x->never));
    must(p->me, jd_future_destroy(p->me, x->future));
}

/* How many partners there are; they are registered with the phaser of the pair, if it has one. */
static inline unsigned spawn_partners(struct player *p, struct pair *x, unsigned n,
                                      void (*role)(struct player *))
{
    uint32_t i = 0;
    for (; i < n; i++) {
        struct job j = {.pair = x, .role = role, .box = i, .future = {x->future}};
        if (!prepare(p, &j))
            break;
        if (x->phaser.number)
            must(p->me, jd_async_phased(p->me, &(jd_phased){x->phaser, JD_PHASE_BOTH}, 1,
                                        PARTNER, &j, sizeof j));
        else
            must(p->me, jd_async_local(p->me, PARTNER, &j, sizeof j));
    }
    return i;
}

static inline void do_items(struct player *p)
{
    struct pair x;
    if (!begin_pair(p, &x))
        return;
    if (below(p, 2))
        spawn_partners(p, &x, 1, partner_reserves);
    if (spawn_partners(p, &x, 1, partner_sends))
        receive_all(p, &x);
    end_pair(p, &x);
}

static inline void do_bells(struct player *p)
{
    struct pair x;
    if (!begin_pair(p, &x))
        return;
    must(p->me, jd_event_create(p->me, x.n, &x.event));
    if (spawn_partners(p, &x, (unsigned)x.n, partner_rings) == x.n)
        wait_for_bells(p, &x);
    end_pair(p, &x);
    must(p->me, jd_event_destroy(p->me, x.event));
}

static inline void do_tokens(struct player *p)
{
    struct pair x;
    if (!begin_pair(p, &x))
        return;
    if (spawn_partners(p, &x, 1, partner_gives))
        take_tokens(p, &x);
    end_pair(p, &x);
}

static inline void do_phases(struct player *p)
{
    struct pair x;
    if (!begin_pair(p, &x))
        return;
    must(p->me, jd_phaser_create(p->me, JD_PHASE_BOTH, &x.phaser));
    x.partners = spawn_partners(p, &x, 1 + below(p, PARTNERS), partner_arrives);
    go_through_phases(p, &x, x.n);
    must(p->me, jd_phaser_drop(p->me, x.phaser));
    end_pair(p, &x);
    must(p->me, jd_phaser_destroy(p->me, x.phaser));
}

static inline void do_value(struct player *p)
{
    struct pair x;
    if (!begin_pair(p, &x))
        return;
    struct job j = {.role = partner_sets, .future = {x.future}};
    bool sent = below(p, 2) && prepare(p, &j);
    if (sent)
        must(p->me,
             jd_async_at(p->me, below(p, jd_nranks(p->me)), PARTNER, &j, sizeof j));
    if (sent || spawn_partners(p, &x, 1, partner_sets))
        get_value(p, &x);
    end_pair(p, &x);
}

/* A task that begins when one future or two are set, or at a time. */
static inline void spawn_later(struct player *p, struct job *j, uint32_t how)
{
    jd_self *me = p->me;
    if (how == 0) {
        j->future[0] = j->future[1] = (jd_future){0};
        j->at = jd_deadline(me, below(p, SOON_NS));
        must(me, jd_async_after(me, j->at, LATER, j, sizeof *j));
    } else if (how == 1) {
        j->future[1] = (jd_future){0};
        must(me, jd_then(me, j->future[0], LATER, j, sizeof *j));
    } else if (how == 2) {
        must(me, jd_async_await(me, j->future, 2, LATER, j, sizeof *j));
    } else {
        must(me, jd_async_await_at(me, below(p, jd_nranks(me)), j->future, 2, LATER, j,
                                   sizeof *j));
    }
}

static inline void do_later(struct player *p)
{
    struct pair x;
    jd_future other;
    if (!begin_pair(p, &x))
        return;
    must(p->me, jd_future_create(p->me, &other));
    struct job j = {.home = jd_rank(p->me), .future = {x.future, other}};
    if (prepare(p, &j))
        spawn_later(p, &j, below(p, 4));
    if (below(p, 2))
        do_sleep(p);
    set_future(p, x.future);
    if (below(p, 2))
        do_sleep(p);
    set_future(p, other);
    end_pair(p, &x);
    must(p->me, jd_future_destroy(p->me, other));
}

#endif
