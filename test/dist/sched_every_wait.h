/*
 * sched_every_wait.h - what a game with all waiting calls knows beside that of sched_waiting_torture.h.
 *
 * Role: what the tasks of a rank share, the ledger of its channels and descriptors, what a task knows while it
 *       runs, and what a wait may end with.
 * Owner: a place belongs to the tasks of its rank, wherever they come from; a player to its task.
 * Invariants: I1 after a place is closed everything in it is ready, so that nobody waits there for ever.
 *             I2 a ledger counts an item before it can be received.
 *             I3 whoever may be cancelled does not wait, without a deadline, for what only another task ends
 *                that is dropped then, but in calls that a cancellation ends.
 * See: test/dist/sched_every_wait_ends_once.c.
 */
#ifndef JDI_TEST_DIST_SCHED_EVERY_WAIT_H
#define JDI_TEST_DIST_SCHED_EVERY_WAIT_H

#include "test/dist/sched_ends_kit.h"
#include "test/dist/sched_fds_kit.h"
#include "test/dist/sched_waiting_jobs.h"

enum { PLAYER, PARTNER, CARETAKER, WAKER, LATER };
enum { CHANNELS = 3, EVENTS = 2, FUTURES = 3, ITEMS = 4096, BELLS = 64 };
enum { SOON_NS = 20000, END_NS = 150000 };

/* Keys of events that the thread which is none of the library's signals once each. */
struct bells {
    atomic_flag lock;
    unsigned n;
    jd_event_key key[BELLS];
    pthread_t thread;
    bool has_thread;
    _Atomic bool quit;
};

struct place { /* of a rank */
    jd_channel channel[CHANNELS];
    jd_event event[EVENTS], begun; /* begun: `players` is set */
    jd_mutex mutex;
    jd_cond more;
    uint64_t tokens, inside; /* under the mutex */
    bool no_more, has_fds;   /* no_more: under the mutex, who waits for a token leaves */
    bool closed;             /* under `resets`: what is ready stays ready */
    atomic_flag resets;
    int fd[2];
    jd_finish_id players;
    _Atomic bool over;
    _Atomic uint32_t nitems;
    _Atomic uint64_t written, read;
    _Atomic uint8_t sent[ITEMS], received[ITEMS];
    struct bells bells;
};

/* Of all ranks, in memory that they share. */
struct game {
    jd_futures futures;
    jd_mem mem; /* a word for each task */
    bool cancels;
    uint64_t inexact; /* ns by which workers may be ahead of each other */
    struct ends ends;
    _Atomic uint64_t dropped;
    struct place place[RANKS];
};
static struct game *game;

struct player;
struct pair;

struct job {
    uint64_t seed;
    uint32_t id, group, home;
    uint32_t box; /* of a waker; of a partner: which it is */
    uint16_t depth;
    bool safe;                     /* nobody cancels it */
    void (*role)(struct player *); /* of a partner */
    struct pair *pair;             /* of who has spawned it on this rank */
    jd_future future[2];
    jd_time at; /* on the clock of `home` */
};

struct player {
    jd_self *me;
    struct place *place;
    struct side *side;
    uint64_t rng;
    struct job job;
    unsigned nested;
};

static inline uint32_t below(struct player *p, uint32_t n)
{
    return jdi_random_below(&p->rng, n);
}

static inline void demand(struct player *p, bool right, const char *what)
{
    if (!right)
        complain(p->me, what);
}

/* ---- waits ------------------------------------------------------------------------------ */

/* A call that may wait: its deadline, and whether it would be a wait that this or a cancellation ends. */
struct call {
    enum end_kind kind;
    jd_time by;
    bool waits;
};

static inline struct call call_until(struct player *p, enum end_kind kind, jd_time by)
{
    return (struct call){kind, by, would_wait(p->me, by)};
}

static inline struct call some_call(struct player *p, enum end_kind kind)
{
    uint32_t dice = below(p, 5);
    return call_until(p, kind,
                      dice == 0   ? JD_NOW
                      : dice == 1 ? JD_FOREVER
                                  : jd_deadline(p->me, below(p, SOON_NS)));
}

/* For what comes for certain: wait for ever, or until a deadline and then again. */
static inline struct call patient_call(struct player *p, enum end_kind kind)
{
    return call_until(p, kind,
                      below(p, 2) ? JD_FOREVER : jd_deadline(p->me, below(p, SOON_NS)));
}

static inline bool has_come(const struct player *p, jd_time at)
{
    jd_time now = jd_clock(p->me);
    return now >= at || at - now <= game->inexact;
}

/* Look at what a call has returned, and count it; true: it was carried out. */
static inline bool was_done(struct player *p, const struct call *c, int error)
{
    count_end(&game->ends, c->kind, c->waits, error);
    if (error >= 0)
        return true;
    if (error == JD_ETIMEDOUT) {
        demand(p, has_come(p, c->by), "a wait ends before its deadline");
    } else if (error == JD_ECANCELED) {
        demand(p, jd_cancelled(p->me), "a wait is cancelled, and its finish is not");
        demand(p, !p->job.safe, "a finish is cancelled that nobody cancels");
    } else {
        demand(p, error == JD_ECLOSED, "a wait ends in a way that cannot be");
    }
    return false;
}

/* ---- the ledger ------------------------------------------------------------------------- */

/* The number of a new item, counted as sent; ITEMS: there are enough. */
static inline uint32_t new_item(struct player *p)
{
    uint32_t item = one_more(&p->place->nitems);
    if (item >= ITEMS)
        return ITEMS;
    atomic_fetch_add_explicit(&p->place->sent[item], 1, RELAXED);
    return item;
}

static inline void not_sent(struct player *p, uint64_t item)
{
    atomic_fetch_sub_explicit(&p->place->sent[item], 1, RELAXED);
}

static inline void got_item(struct player *p, uint64_t item)
{
    demand(p, item < ITEMS, "an item was never sent");
    if (item < ITEMS)
        atomic_fetch_add_explicit(&p->place->received[item], 1, RELAXED);
}

static inline jd_future some_future(struct player *p)
{
    return jd_futures_at(game->futures, below(p, jd_nranks(p->me)), below(p, FUTURES));
}

static inline uint64_t value_of(jd_future f)
{
    return scatter(f.number ^ (uint64_t)f.home << 32);
}

/* From here to may_close() the place stays as it is: true, it is open. */
static inline bool still_open(struct place *at)
{
    while (atomic_flag_test_and_set_explicit(&at->resets, memory_order_acquire))
        sched_yield();
    return !at->closed;
}

static inline void may_close(struct place *at)
{
    atomic_flag_clear_explicit(&at->resets, memory_order_release);
}

/* ---- tasks ------------------------------------------------------------------------------ */

/* Prepare a task of p's finish; false: there are enough. */
static inline bool prepare(struct player *p, struct job *j)
{
    j->seed = jdi_random(&p->rng);
    j->group = p->job.group;
    j->safe = p->job.safe;
    j->depth = p->job.depth ? p->job.depth - 1 : 0;
    return prepare_task(j->group, &j->id);
}

static inline struct player begin(jd_self *me, const void *arg)
{
    struct player p = {
        .me = me, .place = &game->place[jd_rank(me)], .side = &all->side[jd_rank(me)]};
    memcpy(&p.job, arg, sizeof p.job);
    p.rng = scatter(p.job.seed);
    if (atomic_fetch_add_explicit(&all->ran[p.job.id], 1, RELAXED))
        complain(me, "a task runs twice");
    return p;
}

static inline void leave(const struct player *p)
{
    one_more(&all->group[p->job.group].ended);
}

/* A finish of its own in p, whose tasks are a group. */
struct nest {
    jd_scope scope;
    uint32_t outer;
    bool was_safe;
};

static inline bool open_nest(struct player *p, struct nest *n)
{
    uint32_t g = one_more(&all->ngroups);
    if (p->nested >= 3 || g >= MOST_GROUPS)
        return false;
    p->nested++;
    n->outer = p->job.group;
    n->was_safe = p->job.safe;
    p->job.group = g;
    must(p->me, jd_finish_begin(p->me, &n->scope));
    return true;
}

static inline void close_nest(struct player *p, struct nest *n)
{
    int error = jd_finish_end(p->me, &n->scope);
    if (error != JD_ECANCELED || p->job.safe)
        must(p->me, error);
    demand(p, has_ended(p->job.group), "a finish ends early");
    p->job.group = n->outer;
    p->job.safe = n->was_safe;
    p->nested--;
}

#endif
