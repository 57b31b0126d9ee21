/*
 * store.h - where the ready work of a collection lies at one rank.
 *
 * Role: one shelf for each owner (the workers, and last the communication thread); who puts
 *       work where, who may have it, and when thieves see it.
 * Owner: a shelf belongs to its owner; claims, and what is said to be a guess, are for any
 *        thread.
 * Invariants: I1 every task lies on one shelf or in one open claim.
 *             I2 what is put on a shelf is private until the store opens it: before a further
 *                push, after a pop, or when the owner offers it.
 *             I3 nothing is opened before the store is (jdi_store_open).
 * Order: [pair: deque-split] what is in a slot before whoever claims it reads it.
 * See: sched/deque.h; doc/transfer.md; test/unit/sched_store_*.
 *
 * Everything that can be inlined uses a shelf's deque and comes back here, to functions of
 * store.c, when the deque has no room or nothing private.  So another store can stand in place
 * of store.o, as test/unit/sched_fifo_store.c does.  It keeps its tasks elsewhere, and the deque
 * of each shelf is a window onto them:
 *   - it never has room (limit <= head), and its stail is not its split; `slot_size`, and `open`
 *     if there are takers, are set;
 *   - jdi_store_refill puts the one task there that the owner would pop.  The task stays until
 *     jdi_store_drop, perhaps while others land;
 *   - jdi_store_land and jdi_store_take put what comes above that task, where
 *     jdi_store_youngest finds it, and jdi_store_arrived moves it on;
 *   - jdi_store_popped does nothing then: jdi_store_push and jdi_store_refill open work.
 */
#ifndef JDI_SCHED_STORE_H
#define JDI_SCHED_STORE_H

#include "sched/deque.h"

struct jdi_rank;
struct jdi_store;

struct jdi_shelf {
    struct jdi_deque deque; /* the active one */
    struct jdi_store *store;
    unsigned owner;
};

struct jdi_store {
    struct jdi_rank *rank;
    uint32_t slot_size;
    unsigned nshelves;
    struct jdi_shelf *first; /* by owner; the last is the communication thread's */
    size_t stride;     /* bytes from one to the next: something else lies between them */
    void *more;        /* of another store than store.c */
    _Atomic bool open; /* writer: communication thread; relaxed: a push may come late */
};

/* The memory of the shelves, zeroed, is the caller's: set `first`, `stride` and `nshelves`
 * before.  0, or JD_ENOMEM. */
int jdi_store_init(struct jdi_store *st, struct jdi_rank *r, size_t slot_size);
/* No thread uses it any more.  Spilled arguments still in it are freed. */
void jdi_store_fini(struct jdi_store *st);
/* From here on thieves may see what is put on shelves, or no longer. */
void jdi_store_open(struct jdi_store *st, bool open);

static inline struct jdi_shelf *jdi_store_shelf(const struct jdi_store *st,
                                                unsigned owner)
{
    return (struct jdi_shelf *)(void *)((char *)st->first + owner * st->stride);
}

/* ---- the owner of a shelf ----------------------------------------------------------- */

/* The next free slot, private until more is pushed; NULL when out of memory. */
struct jdi_task *jdi_store_push(struct jdi_shelf *s);
/* Nothing private is left: get something back.  False: the shelf is empty. */
bool jdi_store_refill(struct jdi_shelf *s);
/* Let others see half of what only the owner sees, and wake one of them. */
void jdi_store_share(struct jdi_shelf *s);
/* For work that comes from elsewhere: room for n more, 0 or JD_ENOMEM; then slots in which
 * nothing is opened, NULL when out of memory; then arrived. */
int jdi_store_reserve(struct jdi_shelf *s, uint64_t n);
struct jdi_task *jdi_store_land(struct jdi_shelf *s);
/* The n youngest, complete by now, came from elsewhere: others may have some of them. */
void jdi_store_arrived(struct jdi_shelf *s, uint64_t n);
/* Have others nothing to take although the owner has something?  Then half of it, and true. */
bool jdi_store_offer(struct jdi_shelf *s);
/* Tasks on the shelf that only the owner sees. */
uint64_t jdi_store_private(const struct jdi_shelf *s);
/* Is anything on the shelf?  Of that which others may take it is a guess. */
bool jdi_store_has_own(const struct jdi_shelf *s);
/* Visit what is on the shelf, oldest first, until fn says other than 0; what it said. */
int jdi_store_each(const struct jdi_shelf *s,
                   int (*fn)(void *ctx, const struct jdi_task *t), void *ctx);

/* Tasks that were moved to a shelf from the others of the store. */
struct jdi_store_take {
    uint64_t n;
    bool more; /* there is more where they came from */
};
/* Take from a neighbour, `amount` as jdi_deque_claim.  Ends the job when out of memory. */
struct jdi_store_take jdi_store_take(struct jdi_shelf *mine, uint64_t *rng,
                                     uint64_t amount);

/* ---- any thread --------------------------------------------------------------------- */

/* Claim tasks for another rank: up to `amount` (0: half of a shelf) and `most`, contiguous in
 * memory.  False: there is nothing.  What was claimed is finished, in pieces or whole. */
bool jdi_store_claim(struct jdi_store *st, uint64_t *rng, uint64_t amount, uint64_t most,
                     struct jdi_claim *out);
void jdi_store_finish(const struct jdi_claim *c);
/* How many tasks other ranks could have; whether a neighbour in the rank could have any. */
uint64_t jdi_store_movable(const struct jdi_store *st);
bool jdi_store_local(const struct jdi_store *st);
/* Assert the invariants of every shelf; no thief about. */
void jdi_store_check(struct jdi_store *st);

/* ---- inlined: the owner ------------------------------------------------------------- */

/* The slots of one store have one size; where that is known it is said. */
static inline struct jdi_task *jdi_store_slot(const struct jdi_deque *d, uint64_t i,
                                              uint32_t size)
{
    struct jdi_task *t = (struct jdi_task *)(void *)(d->slots + (i & d->mask) * size);
    if (!t)
        __builtin_unreachable(); /* saves a branch on the way of every task */
    return t;
}

/* As jdi_store_push, or NULL if it is not that simple: then call that, in a function of its
 * own, or the common case pays for its registers. */
static inline struct jdi_task *jdi_store_push_fast(struct jdi_shelf *s, uint32_t size)
{
    struct jdi_deque *d = &s->deque;
    if (JDI_UNLIKELY(d->head >= d->limit || jdi_deque_stingy(d)))
        return NULL;
    return jdi_store_slot(d, d->head++, size);
}

/* The task that the owner would pop, or NULL. */
static inline struct jdi_task *jdi_store_peek_of(struct jdi_shelf *s, uint32_t size)
{
    struct jdi_deque *d = &s->deque;
    uint64_t split = atomic_load_explicit(&d->split, memory_order_relaxed);
    if (d->head == split &&
        (atomic_load_explicit(&d->stail, memory_order_relaxed) == split ||
         !jdi_store_refill(s)))
        return NULL;
    return jdi_store_slot(d, d->head - 1, size);
}
/* It is taken; its slot is the caller's until the next push.  Then comes jdi_store_popped. */
static inline void jdi_store_drop(struct jdi_shelf *s)
{
    s->deque.head--;
}
/* The same in one. */
static inline struct jdi_task *jdi_store_pop_of(struct jdi_shelf *s, uint32_t size)
{
    struct jdi_task *t = jdi_store_peek_of(s, size);
    if (t)
        jdi_store_drop(s);
    return t;
}
static inline struct jdi_task *jdi_store_pop(struct jdi_shelf *s)
{
    return jdi_store_pop_of(s, s->deque.slot_size);
}
/* Once for each pop, when the slot has been read: it is cheaper then. */
static inline void jdi_store_popped(struct jdi_shelf *s)
{
    if (JDI_UNLIKELY(jdi_deque_stingy(&s->deque)))
        jdi_store_share(s);
}

/* The k-th youngest on the shelf, from 0, of those that have just arrived. */
static inline struct jdi_task *jdi_store_youngest(struct jdi_shelf *s, uint64_t k)
{
    return jdi_deque_slot(&s->deque, s->deque.head - 1 - k);
}

/* Is anybody there who could take from this shelf? */
static inline bool jdi_store_has_takers(const struct jdi_shelf *s)
{
    return s->deque.open;
}

#endif
