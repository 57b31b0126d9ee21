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
 * Invariants: I1 ctail <= itail <= stail <= split <= head <= ctail + capacity; but while a pry is
 *                under way split may be above head.
 *             I2 a slot in [split, head) is touched by the owner only, and complete.
 *             I3 a slot is claimed by exactly one taker.
 *             I4 a buffer is freed only when no claim on it is open.
 * Order: [pair: deque-split] what is in a slot before whoever claims it reads it.
 *        [pair: lock] one claim before the next.
 *        [pair: deque-itail] the copying of a claim before its slots are used again.
 *        [pair: deque-pry] the owner lowers head, then looks at split; who pries raises split,
 *        then looks at head.
 * See: paper 003 section 6; test/unit/sched_deque_*.
 *
 *   operation x operation   push/pop/release  reclaim  claim  pry   finish
 *   push, pop, release             -             -       ok    ok     ok     owner, wait-free
 *   reclaim, grow                                -      lock  lock    ok     owner, blocks on claim
 *   claim                                               lock  lock    ok     any, short lock
 *   pry                                                       lock    ok     any, lock
 *   finish                                                            ok     any, wait-free
 *
 * Pry: whoever finds no open slot may open private ones of an owner that is in a long task.  It
 * raises split, passes a heavy fence (core/fence.h), and looks at head.  If the owner has popped one
 * of these slots meanwhile, it takes all of it back.  The owner lowers head before it looks at split,
 * with a light fence between, which costs nothing; so one of the two sees the other.  An owner that
 * sees split above its head waits for the lock, and looks again.
 */
#ifndef JDI_SCHED_DEQUE_H
#define JDI_SCHED_DEQUE_H

#include "core/fault.h"
#include "core/fence.h"
#include "core/lock.h"
#include "sched/task.h"

#include <stdatomic.h>

struct jdi_buffer; /* the slots, and a link to the buffer that was replaced */

struct jdi_deque {
    /* Writer: the owner; readers: the owner, and who pries. */
    JDI_ALIGNED _Atomic uint64_t
        head;               /* next free index; indices never wrap.  [pair: deque-pry] */
    uint64_t limit;         /* ctail + capacity; head must not pass it */
    unsigned char *slots;   /* writer: the owner, under the lock */
    uint64_t mask;          /* capacity - 1 */
    uint32_t slot_size;     /* constant after init */
    bool open;              /* thieves exist; writer and reader: the owner */
    _Atomic uint64_t draft; /* the head above a slot that its maker still writes, or 0 */
    /* Writers: the owner, and who pries, by compare-and-swap or under the lock. */
    JDI_ALIGNED _Atomic uint64_t
        split; /* release/acquire, [pair: deque-split], [pair: deque-pry] */
    /* The owner's, and rarely used. */
    uint64_t landed; /* slots from head on that were taken, but not published */
    struct jdi_buffer *buffer;
    struct jdi_fault *fault;
    /* Writers: whoever has the lock; of itail: any taker. */
    JDI_ALIGNED struct jdi_lock lock;
    _Atomic uint64_t stail; /* relaxed; exact under the lock */
    _Atomic uint64_t itail; /* slots copied out; [pair: deque-itail] */
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
/* Open the n oldest private slots to thieves, unless somebody has pried meanwhile.  Owner. */
void jdi_deque_release(struct jdi_deque *d, uint64_t n);
/* Called when nothing private was there: take back half of the open slots.  Owner.  False if the
 * deque is empty; true also if somebody who pried has given private slots back. */
bool jdi_deque_reclaim(struct jdi_deque *d);

/*
 * Claim up to `amount` of the open slots (0: half of them, rounded up), at most `max`, contiguous
 * in memory if `straight`.  Any thread but the owner.  False if no slot is open.
 */
bool jdi_deque_claim(struct jdi_deque *d, uint64_t amount, uint64_t max, bool straight,
                     struct jdi_claim *out);
/* Open half of the private slots, rounded up, although the caller is not the owner.  Any thread but
 * the owner, after jdi_fence_start.  False if nothing is open afterwards.  Slots that were
 * published after *may had become false stay private. */
bool jdi_deque_pry(struct jdi_deque *d, const _Atomic bool *may);
/* The slots of a claim have been copied.  Any thread, once per claim. */
void jdi_deque_finish(struct jdi_deque *d, const struct jdi_claim *c);

/* Assert I1.  Any thread, while no task comes or goes.  The owner may look for one: in an empty deque it
 * lowers the head for a moment. */
void jdi_deque_check(struct jdi_deque *d);

/* The owner's, and a guess for others. */
static inline uint64_t jdi_deque_head(const struct jdi_deque *d)
{
    return atomic_load_explicit(&d->head, memory_order_relaxed);
}

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

/* Number of slots that only the owner sees.  Any thread; a guess for all but the owner, and while
 * somebody pries. */
static inline uint64_t jdi_deque_private(const struct jdi_deque *d)
{
    uint64_t split = atomic_load_explicit(&d->split, memory_order_relaxed);
    uint64_t head =
        jdi_deque_head(d); /* below split, and before 0, while the owner looks */
    return (int64_t)(head - split) > 0 ? head - split : 0;
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
    return d->open && jdi_deque_head(d) != split &&
           atomic_load_explicit(&d->stail, memory_order_relaxed) == split;
}

/* Is there neither a private slot nor an open one?  Owner; never true while somebody pries. */
static inline bool jdi_deque_is_empty(const struct jdi_deque *d)
{
    uint64_t split = atomic_load_explicit(&d->split, memory_order_relaxed);
    return jdi_deque_head(d) == split &&
           atomic_load_explicit(&d->stail, memory_order_relaxed) == split;
}

/* Is a slot open, or is there nobody to open one for?  Owner. */
static inline bool jdi_deque_has_shown(const struct jdi_deque *d)
{
    return !d->open || atomic_load_explicit(&d->stail, memory_order_relaxed) !=
                           atomic_load_explicit(&d->split, memory_order_relaxed);
}

/* The next free slot, or NULL when out of memory.  It counts from jdi_deque_pushed on, once it is
 * written; before, it is as if nothing had happened.  Owner. */
static inline struct jdi_task *jdi_deque_push(struct jdi_deque *d)
{
    uint64_t head = jdi_deque_head(d);
    JD_ASSERT(!d->landed);
    if (JDI_UNLIKELY(head == d->limit) && jdi_deque_reserve(d, 1))
        return NULL;
    JD_ASSERT(head < d->limit);
    return jdi_deque_slot(d, head);
}
static inline void jdi_deque_pushed_at(struct jdi_deque *d, uint64_t head)
{
    /* Release: what is in the slot, for who pries. */
    atomic_store_explicit(&d->head, head + 1, memory_order_release);
}
/* The same for a slot that is written later, before the next call. */
static inline void jdi_deque_drafted_at(struct jdi_deque *d, uint64_t head)
{
    /* [pair: deque-pry] relaxed: who pries reads the draft after the head, which is released. */
    atomic_store_explicit(&d->draft, head + 1, memory_order_relaxed);
    jdi_deque_pushed_at(d, head);
}
static inline void jdi_deque_pushed(struct jdi_deque *d)
{
    jdi_deque_pushed_at(d, jdi_deque_head(d));
}

/* As push, for several slots, which count from jdi_deque_all_landed on.  Owner. */
static inline struct jdi_task *jdi_deque_land(struct jdi_deque *d)
{
    if (JDI_UNLIKELY(jdi_deque_head(d) + d->landed == d->limit) &&
        jdi_deque_reserve(d, 1))
        return NULL;
    return jdi_deque_slot(d, jdi_deque_head(d) + d->landed++);
}
static inline void jdi_deque_all_landed(struct jdi_deque *d)
{
    uint64_t n = d->landed;
    d->landed = 0;
    atomic_store_explicit(&d->head, jdi_deque_head(d) + n, memory_order_release);
}

/* Lower the head by one from `head`, which it is.  False, and the head is as it was, if nothing private
 * was there.  Owner. */
static inline bool jdi_deque_lower(struct jdi_deque *d, uint64_t head)
{
    atomic_store_explicit(&d->head, head - 1, memory_order_relaxed);
    jdi_fence_light(); /* [pair: deque-pry] */
    if (JDI_LIKELY(head > atomic_load_explicit(&d->split, memory_order_relaxed)))
        return true;
    atomic_store_explicit(&d->head, head, memory_order_release);
    return false;
}

/* Take the youngest private task, or NULL.  Its slot stays valid until the next push.  Owner. */
static inline struct jdi_task *jdi_deque_pop(struct jdi_deque *d)
{
    uint64_t head = jdi_deque_head(d);
    while (!jdi_deque_lower(d, head))
        if (!jdi_deque_reclaim(d))
            return NULL;
    return jdi_deque_slot(d, head - 1);
}
/* Put back what was popped, before anything else is done with the deque.  Owner. */
static inline void jdi_deque_unpop(struct jdi_deque *d)
{
    jdi_deque_pushed(d);
}

#endif
