/*
 * store.h - where the ready work of a collection lies at one rank.
 *
 * Role: one shelf for each owner (the workers, and last the communication thread); who puts work
 *       where, who may have the work, and when thieves see it.
 * Owner: a shelf belongs to its owner; any thread may claim, and may ask what is marked as a guess.
 * Invariants: I1 every task lies on one shelf or in one open claim.
 *             I2 what is put on a shelf is private until the store opens it: before a further
 *                push, after a push while others wait, after a pop, when the owner offers it, or
 *                when others pry because the owner is in a long task.
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
 *   - jdi_store_refill puts into the deque the one task that the owner would pop.  It may be put
 *     back (jdi_store_unpop), and stay while others land;
 *   - jdi_store_land and jdi_store_take put new tasks above that task, where jdi_store_youngest
 *     finds them, and jdi_store_arrived moves them on;
 *   - jdi_store_popped then does nothing, because jdi_store_push and jdi_store_refill open work;
 *   - jdi_store_pushed and jdi_store_pushed_draft are for what has room only, so such a store
 *     publishes in jdi_store_put and jdi_store_drafted.
 */
#ifndef JDI_SCHED_STORE_H
#define JDI_SCHED_STORE_H

#include "sched/deque.h"

struct jdi_rank;
struct jdi_store;

/* A task that takes longer is a long one; who asks for tasks behind such ones asks so often. */
enum { JDI_STORE_LONG_NS = 50000, JDI_STORE_PRY_NS = JDI_STORE_LONG_NS / 4 };

struct jdi_shelf {
    struct jdi_deque deque; /* the active one */
    struct jdi_store *store;
    unsigned owner;
    /* What somebody else saw here last, and when; of jdi_store_pry.  Writers: any thread. */
    _Atomic uint64_t seen_head, seen_at;
};

struct jdi_store {
    struct jdi_rank *rank;
    uint32_t slot_size;
    unsigned nshelves;
    struct jdi_shelf *first; /* by owner; the last is the communication thread's */
    size_t stride;     /* bytes from a shelf to the next; accounts lie between them */
    void *more;        /* for a store other than store.c */
    _Atomic bool open; /* writer: communication thread; relaxed: a push may see it late */
    bool pries;        /* constant after init: jdi_store_pry can open something */
};

/* The caller provides the zeroed memory of the shelves, and sets `first`, `stride` and `nshelves`
 * before.  0, or JD_ENOMEM. */
int jdi_store_init(struct jdi_store *st, struct jdi_rank *r, size_t slot_size);
/* Called when no thread uses the store any more.  Frees the spilled arguments still in it. */
void jdi_store_fini(struct jdi_store *st);
/* From here on thieves may see what is put on shelves; or, if `open` is false, must not.  That
 * holds for the shelves of workers: what lands on the communication thread's is always open. */
void jdi_store_open(struct jdi_store *st, bool open);

/* Called by the owner before it runs tasks of a phase: in a phase in which nobody steals, pushing
 * and popping open nothing. */
static inline void jdi_store_enter(struct jdi_shelf *s)
{
    s->deque.open = atomic_load_explicit(&s->store->open, memory_order_relaxed);
}

static inline struct jdi_shelf *jdi_store_shelf(const struct jdi_store *st,
                                                unsigned owner)
{
    return (struct jdi_shelf *)(void *)((char *)st->first + owner * st->stride);
}

/* ---- the owner of a shelf ----------------------------------------------------------- */

/* The next free slot; NULL when out of memory.  It counts from put on, if it is complete, or from
 * drafted on, if the argument is written later, before the next call.  For a slot of push_fast these
 * two are pushed and pushed_draft. */
struct jdi_task *jdi_store_push(struct jdi_shelf *s);
/* Also opens tasks if somebody waits for some and nothing is open. */
void jdi_store_put(struct jdi_shelf *s);
void jdi_store_drafted(struct jdi_shelf *s);
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
/* Number of tasks on the shelf that only the owner sees.  The owner. */
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
    unsigned from; /* whose they were */
    bool more;     /* their shelf has more tasks, open or hidden: a guess */
    unsigned vain; /* looks at shelves that had nothing */
};
/* Take tasks from a neighbour; `amount` as in jdi_deque_claim.  Then call arrived.  Ends the job when
 * out of memory. */
struct jdi_store_take jdi_store_take(struct jdi_shelf *mine, uint64_t *rng,
                                     uint64_t amount);

/* ---- any thread --------------------------------------------------------------------- */

/* Claim tasks for another rank: up to `amount` (0: half of a shelf), at most `most`, contiguous in
 * memory.  False if nothing is open.  The caller finishes the claim, whole or in pieces. */
bool jdi_store_claim(struct jdi_store *st, uint64_t *rng, uint64_t amount, uint64_t most,
                     struct jdi_claim *out);
void jdi_store_finish(const struct jdi_claim *c);
/* Open tasks of an owner that has been in one task for long (JDI_STORE_LONG_NS between two calls, by
 * whomever, that saw the same), although it is not the caller; `mine` is the caller's own shelf.
 * True if something was opened. */
bool jdi_store_pry(struct jdi_store *st, const struct jdi_shelf *mine, uint64_t now);
/* Could a later pry open something?  A guess. */
bool jdi_store_hides(const struct jdi_store *st, const struct jdi_shelf *mine);
/* How many tasks other ranks could have; whether a neighbour in the rank could have one. */
uint64_t jdi_store_movable(const struct jdi_store *st);
bool jdi_store_local(const struct jdi_store *st);
/* Whether a task lies on the communication thread's shelf, whose owner runs none. */
bool jdi_store_landed(const struct jdi_store *st);
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

/* Where push_fast found a slot, so that nothing has to be loaded again. */
struct jdi_place {
    struct jdi_shelf *shelf;
    uint64_t head;
};

/* Inlined fast path of jdi_store_push; returns NULL when that function has to be called.  Call it
 * in a function of its own, because the common case would pay for its registers. */
static inline struct jdi_task *jdi_store_push_fast(struct jdi_shelf *s, uint32_t size,
                                                   struct jdi_place *at)
{
    const struct jdi_deque *d = &s->deque;
    *at = (struct jdi_place){s, jdi_deque_head(d)};
    if (JDI_UNLIKELY(at->head >= d->limit || !jdi_deque_has_shown(d)))
        return NULL;
    return jdi_store_slot(d, at->head, size);
}
static inline void jdi_store_pushed(struct jdi_place at)
{
    jdi_deque_pushed_at(&at.shelf->deque, at.head);
}
static inline void jdi_store_pushed_draft(struct jdi_place at)
{
    jdi_deque_drafted_at(&at.shelf->deque, at.head);
}

/* Take the youngest task; its slot stays valid until the next push.  NULL if there is none.  Call
 * jdi_store_popped when the slot has been read. */
static inline struct jdi_task *jdi_store_pop_of(struct jdi_shelf *s, uint32_t size)
{
    struct jdi_deque *d = &s->deque;
    uint64_t head = jdi_deque_head(d);
    uint64_t split = atomic_load_explicit(&d->split, memory_order_relaxed);
    if (head == split && atomic_load_explicit(&d->stail, memory_order_relaxed) == split)
        return NULL; /* nothing is here, which is often so */
    while (JDI_UNLIKELY(!jdi_deque_lower(d, head))) {
        if (!jdi_store_refill(s))
            return NULL;
        head = jdi_deque_head(d); /* another store may have put a task into its window */
    }
    return jdi_store_slot(d, head - 1, size);
}
static inline struct jdi_task *jdi_store_pop(struct jdi_shelf *s)
{
    return jdi_store_pop_of(s, s->deque.slot_size);
}
/* Put back what was popped, before anything else is done with the shelf. */
static inline void jdi_store_unpop(struct jdi_shelf *s)
{
    jdi_deque_unpop(&s->deque);
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
    const struct jdi_deque *d = &s->deque;
    return jdi_deque_slot(d, jdi_deque_head(d) + d->landed - 1 - k);
}

/* Could another worker or rank take from this shelf at all? */
static inline bool jdi_store_has_takers(const struct jdi_shelf *s)
{
    return s->deque.open;
}

#endif
