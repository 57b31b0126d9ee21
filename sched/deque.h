/*
 * deque.h - the split deque of by-value task slots (Lifflander et al., section 6).
 *
 * Role: the owner adds and takes tasks at the head without fences; thieves claim ranges at
 *       the tail and copy them out while others go on.
 *
 *           ctail        stail            split              head
 *             | being copied | open to thieves | the owner's own |
 *
 * Owner: one worker (or the communication thread); thieves are any thread.
 * Invariants: I1 ctail <= itail <= stail <= split <= head <= ctail + capacity.
 *             I2 a slot in [split, head) is touched by the owner only.
 *             I3 a slot is claimed by exactly one taker.
 *             I4 a buffer is freed only when no claim on it is open.
 * Order: [pair: deque-split] what is in a slot before whoever claims it reads it.
 *        [pair: deque-lock] one claim before the next.
 *        [pair: deque-itail] the copying of a claim before its slots are used again.
 * See: paper 003 section 6; test/unit/sched_deque_*.
 *
 *   operation x operation   push/pop/release  reclaim  claim  finish
 *   push, pop, release             -             -       ok     ok     owner, wait-free
 *   reclaim, grow                                -      lock    ok     owner, blocks on claim
 *   claim                                               lock    ok     any, short lock
 *   finish                                                      ok     any, wait-free
 */
#ifndef JDI_SCHED_DEQUE_H
#define JDI_SCHED_DEQUE_H

#include "core/fault.h"
#include "sched/task.h"

#include <stdatomic.h>

struct jdi_buffer; /* the slots, and a link to the buffer that was replaced */

struct jdi_deque {
    /* Writer and reader: the owner. */
    JDI_ALIGNED uint64_t head; /* next free index; indices never wrap */
    uint64_t limit;            /* ctail + capacity; head must not pass it */
    unsigned char *slots;      /* writer: the owner, under the lock */
    uint64_t mask;             /* capacity - 1 */
    uint32_t slot_size;        /* constant after init */
    bool open;                 /* constant after init: thieves exist */
    struct jdi_buffer *buffer;
    struct jdi_fault *fault;
    /* Writer: the owner; readers: thieves. */
    JDI_ALIGNED _Atomic uint64_t split; /* release/acquire, [pair: deque-split] */
    /* Writers: whoever has the lock; of itail: any taker. */
    JDI_ALIGNED _Atomic uint32_t lock; /* [pair: deque-lock] */
    _Atomic uint64_t stail;            /* relaxed; exact under the lock */
    _Atomic uint64_t itail;            /* slots copied out; [pair: deque-itail] */
};

/* A range that was taken: n slots from index `from`. */
struct jdi_claim {
    const unsigned char *slots;
    uint64_t mask, from, n;
    uint32_t slot_size;
    struct jdi_deque *deque; /* the deque with these slots */
};

/* `open`: somebody other than the owner may claim.  Allocates nothing yet. */
void jdi_deque_init(struct jdi_deque *d, size_t slot_size, bool open,
                    struct jdi_fault *f);
/* Called when no thread uses the deque any more.  Frees the spilled arguments still in it. */
void jdi_deque_fini(struct jdi_deque *d);

/* Make room for `want` more slots.  Owner.  0; on JD_ENOMEM nothing has changed. */
int jdi_deque_reserve(struct jdi_deque *d, uint64_t want);
/* Open the n oldest private slots to thieves.  Owner. */
void jdi_deque_release(struct jdi_deque *d, uint64_t n);
/* Take back half of the open slots.  Owner.  False if no slot is open. */
bool jdi_deque_reclaim(struct jdi_deque *d);

/*
 * Claim up to `amount` of the open slots (0: half of them, rounded up), at most `max`, contiguous
 * in memory if `straight`.  Any thread but the owner.  False if no slot is open.
 */
bool jdi_deque_claim(struct jdi_deque *d, uint64_t amount, uint64_t max, bool straight,
                     struct jdi_claim *out);
/* The slots of a claim have been copied.  Any thread, once per claim. */
void jdi_deque_finish(struct jdi_deque *d, const struct jdi_claim *c);

/* Assert I1.  Owner, while no thief uses the deque (tests). */
void jdi_deque_check(struct jdi_deque *d);

static inline struct jdi_task *jdi_deque_slot(const struct jdi_deque *d, uint64_t i)
{
    return (struct jdi_task *)(void *)(d->slots + (i & d->mask) * d->slot_size);
}

static inline const struct jdi_task *jdi_claim_slot(const struct jdi_claim *c, uint64_t i)
{
    return (const struct jdi_task *)(const void *)(c->slots + ((c->from + i) & c->mask) *
                                                                  c->slot_size);
}

/* Is the argument of any task of the claim spilled? */
static inline bool jdi_claim_any_spilled(const struct jdi_claim *c)
{
    for (uint64_t i = 0; i < c->n; i++)
        if (jdi_claim_slot(c, i)->flags & JDI_TASK_SPILLED)
            return true;
    return false;
}

/* How many of the first tasks of the claim take at most `bytes` when packed; at least one. */
static inline uint64_t jdi_claim_fit(const struct jdi_claim *c, uint64_t bytes)
{
    uint64_t n = 1, sum = jdi_task_packed(jdi_claim_slot(c, 0));
    while (n < c->n && (sum += jdi_task_packed(jdi_claim_slot(c, n))) <= bytes)
        n++;
    return n;
}

/* Number of slots that thieves can see.  Any thread; exact for the owner, a guess for others. */
static inline uint64_t jdi_deque_open(const struct jdi_deque *d)
{
    uint64_t tail = atomic_load_explicit(&d->stail, memory_order_relaxed);
    uint64_t split = atomic_load_explicit(&d->split, memory_order_relaxed);
    return split > tail ? split - tail : 0;
}

/* Number of slots that only the owner sees.  Owner. */
static inline uint64_t jdi_deque_private(const struct jdi_deque *d)
{
    return d->head - atomic_load_explicit(&d->split, memory_order_relaxed);
}

/* Has every claim been finished?  A guess for all but the last thread. */
static inline bool jdi_deque_copied(const struct jdi_deque *d)
{
    return atomic_load_explicit(&d->itail, memory_order_relaxed) ==
           atomic_load_explicit(&d->stail, memory_order_relaxed);
}

/* True if no slot is open although the owner has private ones.  Owner. */
static inline bool jdi_deque_stingy(const struct jdi_deque *d)
{
    uint64_t split = atomic_load_explicit(&d->split, memory_order_relaxed);
    return d->open && d->head != split &&
           atomic_load_explicit(&d->stail, memory_order_relaxed) == split;
}

/* Add a slot to the private part and return it; NULL when out of memory.  Owner. */
static inline struct jdi_task *jdi_deque_push(struct jdi_deque *d)
{
    if (JDI_UNLIKELY(d->head == d->limit) && jdi_deque_reserve(d, 1))
        return NULL;
    JD_ASSERT(d->head < d->limit);
    return jdi_deque_slot(d, d->head++);
}

/* Take the youngest private task, or NULL.  Its slot stays valid until the next push.  Owner. */
static inline struct jdi_task *jdi_deque_pop(struct jdi_deque *d)
{
    if (d->head == atomic_load_explicit(&d->split, memory_order_relaxed) &&
        !jdi_deque_reclaim(d))
        return NULL;
    return jdi_deque_slot(d, --d->head);
}

#endif
