/*
 * deque.c - the slow paths of the split deque.
 *
 * Role: growing, releasing, reclaiming; claiming and prying by thieves.
 * Invariants: I1-I4 of deque.h.
 * Order: [pair: deque-split], [pair: lock], [pair: deque-itail], [pair: deque-pry].
 * See: deque.h, which says who may call what.
 */
#include "sched/deque.h"

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
    for (uint64_t i = atomic_load_explicit(&d->stail, memory_order_relaxed);
         i < jdi_deque_head(d); i++)
        if (jdi_deque_slot(d, i)->flags & JDI_TASK_SPILLED)
            jdi_free(jdi_task_spill(jdi_deque_slot(d, i)));
    free_buffers(d->buffer);
    d->buffer = NULL;
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
    jdi_lock(&d->lock);
    uint64_t tail = atomic_load_explicit(&d->stail, memory_order_relaxed);
    for (uint64_t i = tail; i < jdi_deque_head(d) + d->landed; i++)
        jdi_task_copy(b->slots + (i & (capacity - 1)) * d->slot_size,
                      jdi_deque_slot(d, i), d->slot_size);
    d->buffer = b;
    d->slots = b->slots;
    d->mask = capacity - 1;
    d->limit = tail + capacity; /* open claims still read the older buffer */
    jdi_unlock(&d->lock);
    return 0;
}

/* The head may not come round to what thieves may still copy (I1). */
static bool is_bounded(const struct jdi_deque *d)
{
    uint64_t stail = atomic_load_explicit(&d->stail, memory_order_relaxed);
    return jdi_deque_head(d) <= d->limit && d->limit <= stail + d->mask + 1;
}

int jdi_deque_reserve(struct jdi_deque *d, uint64_t want)
{
    uint64_t used = jdi_deque_head(d) + d->landed;
    if (d->limit - used >= want)
        return 0;
    collect(d);
    if (d->limit - used >= want)
        return 0;
    uint64_t tail = atomic_load_explicit(&d->stail, memory_order_relaxed);
    int error = grow(d, 2 * (used - tail + want));
    JD_ASSERT(error || is_bounded(d));
    return error;
}

void jdi_deque_release(struct jdi_deque *d, uint64_t n)
{
    uint64_t split = atomic_load_explicit(&d->split, memory_order_relaxed);
    uint64_t head = jdi_deque_head(d);
    JD_ASSERT(d->open);
    if ((int64_t)(head - split) < (int64_t)n)
        return; /* somebody pries */
    /* [pair: deque-split] release: the slots are written before thieves see them.  Compared,
     * because somebody may have pried since the load. */
    (void)atomic_compare_exchange_strong_explicit(
        &d->split, &split, split + n, memory_order_release, memory_order_relaxed);
}

bool jdi_deque_reclaim(struct jdi_deque *d)
{
    if (jdi_deque_is_empty(d))
        return false;
    jdi_lock(&d->lock);
    uint64_t split = atomic_load_explicit(&d->split, memory_order_relaxed);
    bool back = jdi_deque_head(d) > split; /* who pried has given slots back */
    uint64_t open = split - atomic_load_explicit(&d->stail, memory_order_relaxed);
    uint64_t n = back ? 0 : (open + 1) / 2;
    /* Relaxed, because the lock shows the smaller split to thieves. */
    atomic_store_explicit(&d->split, split - n, memory_order_relaxed);
    JD_ASSERT(atomic_load_explicit(&d->stail, memory_order_relaxed) <=
              atomic_load_explicit(&d->split, memory_order_relaxed));
    jdi_unlock(&d->lock);
    return back || n > 0;
}

/* Is the slot below `split` complete, and has the owner not popped it?  Its slots are complete, but
 * for a draft. */
static bool is_there(const struct jdi_deque *d, uint64_t split)
{
    /* [pair: deque-pry] acquire: what is in the slots. */
    uint64_t head = atomic_load_explicit(&d->head, memory_order_acquire);
    if (head == atomic_load_explicit(&d->draft, memory_order_relaxed))
        head--;
    return (int64_t)(head - split) >= 0;
}

/* Under the lock.  Raise split; false if the owner was quicker. */
static bool raise_split(struct jdi_deque *d, const _Atomic bool *may)
{
    uint64_t split = atomic_load_explicit(&d->split, memory_order_relaxed);
    /* [pair: deque-pry] acquire, as in is_there. */
    int64_t n = (int64_t)(atomic_load_explicit(&d->head, memory_order_acquire) - split);
    uint64_t to = split + ((uint64_t)n + 1) / 2;
    if (n <= 0 || !is_there(d, to) ||
        !atomic_compare_exchange_strong_explicit(
            &d->split, &split, to, memory_order_acq_rel, memory_order_relaxed))
        return false;
    jdi_fence_heavy(); /* [pair: deque-pry] */
    /* `may` after the head, because that shows a slot which was published after `may` was stored
     * together with that store. */
    if (is_there(d, to) && atomic_load_explicit(may, memory_order_relaxed))
        return true;
    /* The owner changes split under the lock only, as long as it is above stail and head. */
    atomic_store_explicit(&d->split, split, memory_order_relaxed);
    return false;
}

bool jdi_deque_pry(struct jdi_deque *d, const _Atomic bool *may)
{
    jdi_lock(&d->lock);
    uint64_t stail = atomic_load_explicit(&d->stail, memory_order_relaxed);
    bool open = atomic_load_explicit(&d->split, memory_order_relaxed) != stail ||
                raise_split(d, may);
    jdi_unlock(&d->lock);
    return open;
}

bool jdi_deque_claim(struct jdi_deque *d, uint64_t amount, uint64_t max, bool straight,
                     struct jdi_claim *out)
{
    if (!jdi_deque_open(d) || !max)
        return false;
    jdi_lock(&d->lock);
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
    jdi_unlock(&d->lock);
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
    uint64_t head = jdi_deque_head(d);
    int64_t private = (int64_t)(head - split), room = (int64_t)(d->limit - head);
    JD_CHECK(itail <= stail && stail <= split && room >= 0);
    JD_CHECK(private >= 0 || (private == -1 && stail == split)); /* the owner looks */
    JD_CHECK(!d->buffer ||
             (d->buffer->capacity == d->mask + 1 && d->slots == d->buffer->slots &&
              d->limit <= stail + d->mask + 1));
}
