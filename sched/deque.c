/*
 * deque.c - the slow paths of the split deque.
 *
 * Role: growing, releasing, reclaiming; claiming by thieves.
 * Invariants: I1-I4 of deque.h.
 * Order: [pair: deque-split], [pair: deque-lock], [pair: deque-itail].
 * See: deque.h, which says who may call what.
 */
#include "sched/deque.h"

#include "core/idle.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 16 };

struct jdi_buffer {
    struct jdi_buffer *older; /* what this one replaced; claims may still copy from it */
    uint64_t capacity;
    _Alignas(JDI_CACHE_LINE) unsigned char slots[];
};

void jdi_deque_init(struct jdi_deque *d, size_t slot_size, bool open, struct jdi_fault *f)
{
    memset(d, 0, sizeof *d);
    d->slot_size = (uint32_t)jdi_round_up(slot_size, JDI_TASK_ALIGN);
    d->open = open;
    d->fault = f;
}

static void free_buffers(struct jdi_buffer *b)
{
    while (b) {
        struct jdi_buffer *older = b->older;
        jdi_free(b);
        b = older;
    }
}

void jdi_deque_fini(struct jdi_deque *d)
{
    for (uint64_t i = atomic_load_explicit(&d->stail, memory_order_relaxed); i < d->head;
         i++)
        if (jdi_deque_slot(d, i)->flags & JDI_TASK_SPILLED)
            jdi_free(jdi_task_spill(jdi_deque_slot(d, i)));
    free_buffers(d->buffer);
    d->buffer = NULL;
}

/* Progress: the holder does a few loads and stores, and never waits while it has the lock. */
static void lock(struct jdi_deque *d)
{
    for (unsigned tries = 0;; tries++) {
        /* [pair: deque-lock] acquire: the last holder's stail, slots and split. */
        if (!atomic_load_explicit(&d->lock, memory_order_relaxed) &&
            !atomic_exchange_explicit(&d->lock, 1, memory_order_acquire))
            return;
        jdi_idle_pause(tries < 64 ? JDI_IDLE_SPIN : JDI_IDLE_YIELD);
    }
}

static void unlock(struct jdi_deque *d)
{
    /* [pair: deque-lock] release: what this holder changed. */
    atomic_store_explicit(&d->lock, 0, memory_order_release);
}

/* If no claim is open, free every slot below stail, and the older buffers. */
static void collect(struct jdi_deque *d)
{
    /* Read itail first.  Since itail never passes stail, equality means that no claim was open
     * when itail was read; later claims start at this stail or above.
     * [pair: deque-itail] acquire: the claims below itail have been copied. */
    uint64_t done = atomic_load_explicit(&d->itail, memory_order_acquire);
    if (done != atomic_load_explicit(&d->stail, memory_order_relaxed) || !d->buffer)
        return;
    d->limit = done + d->buffer->capacity;
    free_buffers(d->buffer->older);
    d->buffer->older = NULL;
}

static int grow(struct jdi_deque *d, uint64_t need)
{
    uint64_t capacity = d->buffer ? d->buffer->capacity : FIRST_CAPACITY;
    while (capacity < need)
        capacity *= 2;
    struct jdi_buffer *b =
        jdi_alloc(d->fault, sizeof *b + capacity * (uint64_t)d->slot_size);
    if (!b)
        return JD_ENOMEM;
    b->capacity = capacity;
    b->older = d->buffer;
    lock(d);
    uint64_t tail = atomic_load_explicit(&d->stail, memory_order_relaxed);
    for (uint64_t i = tail; i < d->head; i++)
        jdi_task_copy(b->slots + (i & (capacity - 1)) * d->slot_size,
                      jdi_deque_slot(d, i), d->slot_size);
    d->buffer = b;
    d->slots = b->slots;
    d->mask = capacity - 1;
    d->limit = tail + capacity; /* open claims still read the older buffer */
    unlock(d);
    return 0;
}

/* The head may not come round to what thieves may still copy (I1). */
static bool is_bounded(const struct jdi_deque *d)
{
    uint64_t stail = atomic_load_explicit(&d->stail, memory_order_relaxed);
    return d->head <= d->limit && d->limit <= stail + d->mask + 1;
}

int jdi_deque_reserve(struct jdi_deque *d, uint64_t want)
{
    if (d->limit - d->head >= want)
        return 0;
    collect(d);
    if (d->limit - d->head >= want)
        return 0;
    uint64_t tail = atomic_load_explicit(&d->stail, memory_order_relaxed);
    int error = grow(d, 2 * (d->head - tail + want));
    JD_ASSERT(error || is_bounded(d));
    return error;
}

void jdi_deque_release(struct jdi_deque *d, uint64_t n)
{
    uint64_t split = atomic_load_explicit(&d->split, memory_order_relaxed);
    JD_ASSERT(d->open && split + n <= d->head);
    /* [pair: deque-split] release: the slots are written before thieves see them. */
    atomic_store_explicit(&d->split, split + n, memory_order_release);
}

bool jdi_deque_reclaim(struct jdi_deque *d)
{
    uint64_t split = atomic_load_explicit(&d->split, memory_order_relaxed);
    if (atomic_load_explicit(&d->stail, memory_order_relaxed) == split)
        return false;
    lock(d);
    uint64_t open = split - atomic_load_explicit(&d->stail, memory_order_relaxed);
    uint64_t n = (open + 1) / 2;
    /* Relaxed, because the lock shows the smaller split to thieves. */
    atomic_store_explicit(&d->split, split - n, memory_order_relaxed);
    JD_ASSERT(atomic_load_explicit(&d->stail, memory_order_relaxed) <=
              atomic_load_explicit(&d->split, memory_order_relaxed));
    unlock(d);
    return n > 0;
}

bool jdi_deque_claim(struct jdi_deque *d, uint64_t amount, uint64_t max, bool straight,
                     struct jdi_claim *out)
{
    if (!jdi_deque_open(d) || !max)
        return false;
    lock(d);
    /* [pair: deque-split] acquire: the contents of the slots below split. */
    uint64_t split = atomic_load_explicit(&d->split, memory_order_acquire);
    uint64_t tail = atomic_load_explicit(&d->stail, memory_order_relaxed);
    uint64_t open = split - tail;
    uint64_t n = amount ? amount : (open + 1) / 2;
    n = n < open ? n : open;
    n = n < max ? n : max;
    uint64_t to_end = d->mask + 1 - (tail & d->mask);
    if (straight && n > to_end)
        n = to_end;
    JD_ASSERT(n <= open && (!straight || (tail & d->mask) + n <= d->mask + 1));
    *out = (struct jdi_claim){d->slots, d->mask, tail, n, d->slot_size, d};
    atomic_store_explicit(&d->stail, tail + n, memory_order_relaxed);
    unlock(d);
    return n > 0;
}

void jdi_deque_finish(struct jdi_deque *d, const struct jdi_claim *c)
{
    /* [pair: deque-itail] release: the slots have been read. */
    atomic_fetch_add_explicit(&d->itail, c->n, memory_order_release);
}

void jdi_deque_check(struct jdi_deque *d)
{
    uint64_t itail = atomic_load_explicit(&d->itail, memory_order_acquire);
    uint64_t stail = atomic_load_explicit(&d->stail, memory_order_relaxed);
    uint64_t split = atomic_load_explicit(&d->split, memory_order_relaxed);
    JD_CHECK(itail <= stail && stail <= split && split <= d->head && d->head <= d->limit);
    JD_CHECK(!d->buffer ||
             (d->buffer->capacity == d->mask + 1 && d->slots == d->buffer->slots &&
              d->limit <= stail + d->mask + 1));
}
