/*
 * channel.c - queues of a rank through which its tasks hand items to each other.
 *
 * Role: jd_channel_create, send, receive, close, destroy.
 * Owner: a channel's fields are under its lock; the table's under the lock of the table.
 * Invariants: I1 a sender waits and is not claimed only while the ring is full, a receiver only while it is
 *                empty, so never both.
 *             I2 an item is moved after its wait was claimed, and before that wait ends.
 *             I3 the memory of a channel is never freed before the end of the job: a name that is out
 *                of date finds another number there, under the lock.
 *             I4 no lock is held while a ULT is made ready.
 * Order: [pair: lock]; [pair: channel-block] a block of channels before whoever looks into the block.
 * See: doc/waiting.md "Channels".
 */
#include "sched/wait/channel.h"

#include "core/lock.h"
#include "sched/wait/wait.h"

#include <string.h>

enum {
    ITEM_MOST = 4096, /* bytes: they are copied under a lock */
    BLOCK_FIRST = 64,
    BLOCKS = 20, /* each block is as large as all before it, and 64 more */
};

/* A ULT that waits; lies on its stack. */
struct entry {
    struct jdi_wait wait; /* first, for the cast from a wait */
    void *item;           /* where the item is, or shall be */
    struct entry *next, *prev;
    bool queued;
};

struct line {
    struct entry *first, *last;
};

struct channel {
    JDI_ALIGNED struct jdi_lock lock;
    bool closed;
    uint64_t number; /* 0: none is here */
    size_t item_size, capacity, first, count;
    unsigned char *ring;
    struct line senders, receivers;
    uint32_t place;       /* constant */
    struct channel *next; /* free ones; under the lock of the table */
};

struct jdi_channels {
    struct jdi_lock lock;
    uint32_t made;          /* places that were used */
    _Atomic uint64_t names; /* the last number given; relaxed: only the number matters */
    struct channel *free;
    /* Writers: under the lock.  Readers: any worker. */
    _Atomic(struct channel *) block[BLOCKS];
};

/* ---- lines of those who wait: under the lock of the channel -------------------------- */

static void join_line(struct line *l, struct entry *e)
{
    e->next = NULL;
    e->prev = l->last;
    *(l->last ? &l->last->next : &l->first) = e;
    l->last = e;
    e->queued = true;
}

static void leave_line(struct line *l, struct entry *e)
{
    *(e->prev ? &e->prev->next : &l->first) = e->next;
    *(e->next ? &e->next->prev : &l->last) = e->prev;
    e->queued = false;
}

/* The first who still waits, claimed and out of the line; NULL if there is none. */
static struct entry *claim_first(struct line *l)
{
    struct entry *e;
    while ((e = l->first)) {
        leave_line(l, e);
        if (jdi_wait_claim(&e->wait))
            return e;
    }
    return NULL;
}

/* Append all who still wait, claimed and out of the line, to a chain; returns its new end. */
static struct jdi_wait **claim_all(struct line *l, struct jdi_wait **last)
{
    for (struct entry *e; (e = claim_first(l)); last = &e->wait.chain)
        *last = &e->wait;
    return last;
}

static void end_chain(jd_self *me, struct jdi_wait *w, int result)
{
    while (w) {
        struct jdi_wait *next = w->chain;
        jdi_wait_end(me->worker, w, result);
        w = next;
    }
}

/* ---- the ring: under the lock --------------------------------------------------------- */

/* There may be no bytes, and then no memory. */
static void copy_item(const struct channel *c, void *to, const void *from)
{
    if (c->item_size)
        memcpy(to, from, c->item_size);
}

static unsigned char *ring_at(const struct channel *c, size_t i)
{
    size_t at = c->first + i;
    return c->ring + (at < c->capacity ? at : at - c->capacity) * c->item_size;
}

static void push_item(struct channel *c, const void *item)
{
    JD_ASSERT(c->count < c->capacity);
    copy_item(c, ring_at(c, c->count), item);
    c->count++;
}

static void pop_item(struct channel *c, void *item)
{
    JD_ASSERT(c->count > 0);
    copy_item(c, item, ring_at(c, 0));
    c->first = c->first + 1 < c->capacity ? c->first + 1 : 0;
    c->count--;
}

/* JD_EAGAIN: the caller would have to wait.  `met` is whoever has waited for the caller: claimed, and
 * with the item moved. */
static int send_now(struct channel *c, const void *item, struct entry **met)
{
    if (c->closed)
        return JD_ECLOSED;
    *met = claim_first(&c->receivers);
    if (*met) {
        JD_ASSERT(!c->count);
        copy_item(c, (*met)->item, item);
        return 0;
    }
    if (c->count == c->capacity)
        return JD_EAGAIN;
    push_item(c, item);
    return 0;
}

static int receive_now(struct channel *c, void *item, struct entry **met)
{
    if (c->count) {
        pop_item(c, item);
        *met = claim_first(&c->senders);
        if (*met)
            push_item(c, (*met)->item);
        return 0;
    }
    *met = claim_first(&c->senders);
    if (*met) {
        JD_ASSERT(!c->capacity);
        copy_item(c, item, (*met)->item);
        return 0;
    }
    return c->closed ? JD_ECLOSED : JD_EAGAIN;
}

/* ---- the table ------------------------------------------------------------------------ */

/* The block of a place, and the first place of that block. */
static unsigned block_of(uint32_t place, uint32_t *begin)
{
    unsigned k = 31 - (unsigned)__builtin_clz(place / BLOCK_FIRST + 1);
    *begin = BLOCK_FIRST * ((UINT32_C(1) << k) - 1);
    return k;
}

static struct channel *at_place(const struct jdi_channels *t, uint32_t place)
{
    uint32_t begin;
    unsigned k = block_of(place, &begin);
    if (k >= BLOCKS)
        return NULL;
    /* [pair: channel-block] acquire: the channels of the block. */
    struct channel *block = atomic_load_explicit(&t->block[k], memory_order_acquire);
    return block ? &block[place - begin] : NULL;
}

/* A free place, or NULL; then *place is the first that no block has. */
static struct channel *take_place(struct jdi_channels *t, uint32_t *place)
{
    jdi_lock(&t->lock);
    struct channel *c = t->free;
    *place = t->made;
    if (c)
        t->free = c->next;
    else if ((c = at_place(t, *place)))
        c->place = t->made++;
    jdi_unlock(&t->lock);
    return c;
}

static void give_place(struct jdi_channels *t, struct channel *c)
{
    jdi_lock(&t->lock);
    c->next = t->free;
    t->free = c;
    jdi_unlock(&t->lock);
}

/* Make the block of that place, unless another worker has. */
static int add_block(struct jdi_rank *r, uint32_t place)
{
    struct jdi_channels *t = r->channels;
    uint32_t begin;
    unsigned k = block_of(place, &begin);
    size_t n = (size_t)BLOCK_FIRST << k;
    struct channel *block =
        k < BLOCKS ? jdi_zalloc(&r->am->fault, n * sizeof *block) : NULL;
    if (!block)
        return JD_ENOMEM;
    jdi_lock(&t->lock);
    bool first = !atomic_load_explicit(&t->block[k], memory_order_relaxed);
    if (first)
        /* [pair: channel-block] release: all channels of the block are empty. */
        atomic_store_explicit(&t->block[k], block, memory_order_release);
    jdi_unlock(&t->lock);
    if (!first)
        jdi_free(block);
    return 0;
}

void jdi_channel_init(struct jdi_rank *r)
{
    r->channels = jdi_zalloc(NULL, sizeof *r->channels);
    if (!r->channels)
        jdi_die(&r->am->log, JDI_EXIT_START, "no memory for the rank");
    jdi_lock_init(&r->channels->lock);
}

void jdi_channel_free_all(struct jdi_rank *r)
{
    struct jdi_channels *t = r->channels;
    for (uint32_t i = 0; i < t->made; i++) {
        struct channel *c = at_place(t, i);
        JD_CHECK(!c->senders.first && !c->receivers.first);
        jdi_free(c->ring);
    }
    for (unsigned k = 0; k < BLOCKS; k++)
        jdi_free(atomic_load_explicit(&t->block[k], memory_order_relaxed));
    jdi_free(t);
}

/* ---- public: life --------------------------------------------------------------------- */

int jd_channel_create(jd_self *me, size_t item_size, size_t capacity, jd_channel *out)
{
    struct jdi_rank *r = me->rank;
    struct jdi_channels *t = r->channels;
    struct channel *c;
    uint32_t place;
    if (item_size > ITEM_MOST || (item_size && capacity > SIZE_MAX / 2 / item_size))
        return JD_ETOOBIG;
    unsigned char *ring = NULL;
    if (item_size && capacity && !(ring = jdi_alloc(&r->am->fault, item_size * capacity)))
        return JD_ENOMEM;
    while (!(c = take_place(t, &place)))
        if (add_block(r, place)) {
            jdi_free(ring);
            return JD_ENOMEM;
        }
    uint64_t number = atomic_fetch_add_explicit(&t->names, 1, memory_order_relaxed) + 1;
    jdi_lock(&c->lock); /* somebody may look with a name that is out of date */
    JD_ASSERT(!c->number && !c->senders.first && !c->receivers.first);
    c->closed = false;
    c->item_size = item_size;
    c->capacity = capacity;
    c->first = c->count = 0;
    c->ring = ring;
    c->number = number;
    jdi_unlock(&c->lock);
    *out = (jd_channel){.number = number, .home = r->am->rank, .place = c->place};
    return 0;
}

/* The channel of that name, locked; NULL: there is none. */
static struct channel *lock_channel(const jd_self *me, jd_channel name)
{
    const struct jdi_rank *r = me->rank;
    if (!name.number || name.home != r->am->rank)
        return NULL;
    struct channel *c = at_place(r->channels, name.place);
    if (!c)
        return NULL;
    jdi_lock(&c->lock);
    if (c->number == name.number)
        return c;
    jdi_unlock(&c->lock);
    return NULL;
}

int jd_channel_close(jd_self *me, jd_channel name)
{
    struct channel *c = lock_channel(me, name);
    struct jdi_wait *chain = NULL;
    if (!c)
        return JD_EINVAL;
    c->closed = true;
    (void)claim_all(&c->receivers, claim_all(&c->senders, &chain));
    jdi_unlock(&c->lock);
    end_chain(me, chain, JD_ECLOSED);
    return 0;
}

int jd_channel_destroy(jd_self *me, jd_channel name)
{
    struct channel *c = lock_channel(me, name);
    struct jdi_wait *chain = NULL;
    if (!c)
        return JD_EINVAL;
    unsigned char *ring = c->ring;
    c->number = 0;
    c->ring = NULL;
    (void)claim_all(&c->receivers, claim_all(&c->senders, &chain));
    jdi_unlock(&c->lock);
    end_chain(me, chain, JD_ECLOSED);
    jdi_free(ring);
    give_place(me->rank->channels, c);
    return 0;
}

/* ---- public: items -------------------------------------------------------------------- */

/* Send or receive; JD_EAGAIN: the caller has to wait, and `e`, if it is not NULL, is in the line. */
static int attempt(jd_self *me, jd_channel name, bool sends, void *item, struct entry *e)
{
    struct entry *met = NULL;
    struct channel *c = lock_channel(me, name);
    if (!c)
        return JD_EINVAL;
    int error = JD_EINVAL;
    if (item || !c->item_size)
        error = sends ? send_now(c, item, &met) : receive_now(c, item, &met);
    if (error == JD_EAGAIN && e)
        join_line(sends ? &c->senders : &c->receivers, e);
    jdi_unlock(&c->lock);
    if (met)
        jdi_wait_end(me->worker, &met->wait, 0);
    return error;
}

/* A wait has ended by its deadline or a cancellation.  The channel may be another one by now: then
 * the line was left when the old one was destroyed (I3). */
static void give_up(const jd_self *me, jd_channel name, bool sends, struct entry *e)
{
    struct channel *c = at_place(me->rank->channels, name.place);
    jdi_lock(&c->lock);
    if (e->queued)
        leave_line(sends ? &c->senders : &c->receivers, e);
    jdi_unlock(&c->lock);
}

static int transfer_item(jd_self *me, jd_channel name, bool sends, void *item,
                         jd_time deadline)
{
    struct entry e;
    int error = attempt(me, name, sends, item, NULL);
    if (JDI_LIKELY(error != JD_EAGAIN))
        return error;
    error = jdi_wait_open(&e.wait, me, deadline);
    if (error)
        return error;
    e.item = item;
    error = attempt(me, name, sends, item, &e);
    if (error != JD_EAGAIN)
        return error;
    error = jdi_wait_park(&e.wait);
    if (error && error != JD_ECLOSED)
        give_up(me, name, sends, &e);
    return error;
}

int jd_channel_send(jd_self *me, jd_channel channel, const void *item, jd_time deadline)
{
    return transfer_item(me, channel, true, (void *)(uintptr_t)item, deadline);
}

int jd_channel_receive(jd_self *me, jd_channel channel, void *item, jd_time deadline)
{
    return transfer_item(me, channel, false, item, deadline);
}
