/*
 * store.h - where the ready work of a collection lies at one rank.
 *
 * Role: one shelf for each owner (the workers, and last the communication thread); who puts work
 *       where, who may have the work, and when thieves see it.
 * Owner: a shelf belongs to its owner; any thread may claim, and may ask what is marked as a guess.
 * Invariants: I1 every task lies on one shelf or in one open claim.
 *             I2 what is put on a shelf is private until the store opens it: before a further
 *                push, after a pop, or when the owner offers it.
 *             I3 no task is opened before the store is (jdi_store_open).
 * Order: [pair: deque-split] what is in a slot before whoever claims it reads it.
 * See: sched/deque.h; doc/transfer.md; test/unit/sched_store_*.
 *
 * What is inlined uses a shelf's deque, and calls functions of store.c when the deque has no room
 * or nothing private.  So another store can be linked in place of store.o, as
 * test/unit/sched_fifo_store.c is.  Such a store keeps its tasks elsewhere, and the deque of each
 * shelf is a window onto these tasks:
 *   - the deque never has room (limit <= head), and its stail is not its split; `slot_size`, and
 *     `open` if there are takers, are set;
 *   - jdi_store_refill puts into the deque the one task that the owner would pop.  The task stays
 *     until jdi_store_drop, perhaps while others land;
 *   - jdi_store_land and jdi_store_take put new tasks above that task, where jdi_store_youngest
 *     finds them, and jdi_store_arrived moves them on;
 *   - jdi_store_popped then does nothing, because jdi_store_push and jdi_store_refill open work.
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
    size_t stride;     /* bytes from a shelf to the next; accounts lie between them */
    void *more;        /* for a store other than store.c */
    _Atomic bool open; /* writer: communication thread; relaxed: a push may see it late */
};

/* The caller provides the zeroed memory of the shelves, and sets `first`, `stride` and `nshelves`
 * before.  0, or JD_ENOMEM. */
int jdi_store_init(struct jdi_store *st, struct jdi_rank *r, size_t slot_size);
/* Called when no thread uses the store any more.  Frees the spilled arguments still in it. */
void jdi_store_fini(struct jdi_store *st);
/* From here on thieves may see what is put on shelves; or, if `open` is false, must not. */
void jdi_store_open(struct jdi_store *st, bool open);

static inline struct jdi_shelf *jdi_store_shelf(const struct jdi_store *st,
                                                unsigned owner)
{
    return (struct jdi_shelf *)(void *)((char *)st->first + owner * st->stride);
}

/* ---- the owner of a shelf ----------------------------------------------------------- */

/* The next free slot, private at least until the next push; NULL when out of memory. */
struct jdi_task *jdi_store_push(struct jdi_shelf *s);
/* Called when nothing private is left: take open tasks back.  False if the shelf is empty. */
bool jdi_store_refill(struct jdi_shelf *s);
/* Open half of what is private, and wake one worker. */
void jdi_store_share(struct jdi_shelf *s);
/* For work that comes from elsewhere.  First reserve room for n tasks (0, or JD_ENOMEM).  Then land
 * gives slots, NULL when out of memory, and opens nothing.  Then call arrived. */
int jdi_store_reserve(struct jdi_shelf *s, uint64_t n);
struct jdi_task *jdi_store_land(struct jdi_shelf *s);
/* The n youngest tasks, now complete, came from elsewhere; open some of them to others. */
void jdi_store_arrived(struct jdi_shelf *s, uint64_t n);
/* If nothing is open although the owner has private tasks, open half of these and return true. */
bool jdi_store_offer(struct jdi_shelf *s);
/* Number of tasks on the shelf that only the owner sees. */
uint64_t jdi_store_private(const struct jdi_shelf *s);
/* Is there a task on the shelf?  The answer is a guess as far as open tasks are concerned. */
bool jdi_store_has_own(const struct jdi_shelf *s);
/* Call fn for each task on the shelf, oldest first, until fn returns other than 0.  Returns that
 * value, or 0. */
int jdi_store_each(const struct jdi_shelf *s,
                   int (*fn)(void *ctx, const struct jdi_task *t), void *ctx);

/* Tasks that were moved to a shelf from the others of the store. */
struct jdi_store_take {
    uint64_t n;
    bool more; /* their shelf has more open tasks */
};
/* Take tasks from a neighbour; `amount` as in jdi_deque_claim.  Ends the job when out of memory. */
struct jdi_store_take jdi_store_take(struct jdi_shelf *mine, uint64_t *rng,
                                     uint64_t amount);

/* ---- any thread --------------------------------------------------------------------- */

/* Claim tasks for another rank: up to `amount` (0: half of a shelf), at most `most`, contiguous in
 * memory.  False if nothing is open.  The caller finishes the claim, whole or in pieces. */
bool jdi_store_claim(struct jdi_store *st, uint64_t *rng, uint64_t amount, uint64_t most,
                     struct jdi_claim *out);
void jdi_store_finish(const struct jdi_claim *c);
/* How many tasks other ranks could have; whether a neighbour in the rank could have one. */
uint64_t jdi_store_movable(const struct jdi_store *st);
bool jdi_store_local(const struct jdi_store *st);
/* Assert the invariants of every shelf, while no thief uses the store. */
void jdi_store_check(struct jdi_store *st);

/* ---- inlined: the owner ------------------------------------------------------------- */

/* All slots of a store have one size.  Callers that know the size pass it as a constant. */
static inline struct jdi_task *jdi_store_slot(const struct jdi_deque *d, uint64_t i,
                                              uint32_t size)
{
    struct jdi_task *t = (struct jdi_task *)(void *)(d->slots + (i & d->mask) * size);
    if (!t)
        __builtin_unreachable(); /* saves a branch for every task */
    return t;
}

/* Inlined fast path of jdi_store_push; returns NULL when that function has to be called.  Call it
 * in a function of its own, because the common case would pay for its registers. */
static inline struct jdi_task *jdi_store_push_fast(struct jdi_shelf *s, uint32_t size)
{
    struct jdi_deque *d = &s->deque;
    if (JDI_UNLIKELY(d->head >= d->limit || jdi_deque_stingy(d)))
        return NULL;
    JD_ASSERT(d->head < d->limit);
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
/* Take the task that was peeked; its slot stays valid until the next push.  Call jdi_store_popped
 * when the slot has been read. */
static inline void jdi_store_drop(struct jdi_shelf *s)
{
    s->deque.head--;
}
/* Peek and drop in one call. */
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
/* Called once for each pop, after the slot was read, because it is cheaper there. */
static inline void jdi_store_popped(struct jdi_shelf *s)
{
    if (JDI_UNLIKELY(jdi_deque_stingy(&s->deque)))
        jdi_store_share(s);
}

/* The k-th youngest task on the shelf, from 0, of those that have just arrived. */
static inline struct jdi_task *jdi_store_youngest(struct jdi_shelf *s, uint64_t k)
{
    return jdi_deque_slot(&s->deque, s->deque.head - 1 - k);
}

/* Could another worker or rank take from this shelf at all? */
static inline bool jdi_store_has_takers(const struct jdi_shelf *s)
{
    return s->deque.open;
}

#endif
