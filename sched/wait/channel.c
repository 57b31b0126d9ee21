/*
 * channel.c - queues of a rank through which its tasks hand items to each other.
 *
 * Role: jd_channel_create, send, receive, close, destroy.
 * Owner: a channel's fields are under its lock.
 * Invariants: I1 a sender waits and is not claimed only while the ring is full, a receiver only while it is
 *                empty, so never both.
 *             I2 an item is moved after its wait was claimed, and before that wait ends.
 *             I3 no lock is held while a ULT is made ready.
 * Order: [pair: lock]; those of sched/names.h.
 * See: doc/waiting.md "Channels".
 */
#include "sched/wait/channel.h"

#include "sched/names.h"
#include "sched/wait/entry.h"

#include <string.h>

enum { ITEM_MOST = 4096 }; /* bytes: they are copied under a lock */

struct channel {
    JDI_ALIGNED struct jdi_named named; /* first */
    bool closed;
    size_t item_size, capacity, first, count;
    unsigned char *ring;
    struct jdi_line senders, receivers; /* of struct jdi_entry */
};

struct jdi_channels {
    struct jdi_names names;
};

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

/* JD_EAGAIN: the caller would have to wait.  `met` is the wait of whoever has waited for the caller:
 * settled, and with the item moved. */
static int send_now(struct channel *c, const void *item, struct jdi_wait **met)
{
    if (c->closed)
        return JD_ECLOSED;
    struct jdi_entry *receiver = jdi_entry_claim(&c->receivers);
    if (receiver) {
        JD_ASSERT(!c->count);
        copy_item(c, receiver->item, item);
        *met = jdi_entry_settle(receiver, 0);
        return 0;
    }
    if (c->count == c->capacity)
        return JD_EAGAIN;
    push_item(c, item);
    return 0;
}

static int receive_now(struct channel *c, void *item, struct jdi_wait **met)
{
    struct jdi_entry *sender;
    if (c->count) {
        pop_item(c, item);
        sender = jdi_entry_claim(&c->senders);
        if (sender)
            push_item(c, sender->item);
    } else {
        sender = jdi_entry_claim(&c->senders);
        if (!sender)
            return c->closed ? JD_ECLOSED : JD_EAGAIN;
        JD_ASSERT(!c->capacity);
        copy_item(c, item, sender->item);
    }
    if (sender)
        *met = jdi_entry_settle(sender, 0);
    return 0;
}

/* ---- a rank's channels ---------------------------------------------------------------- */

static struct channel *channel_of(struct jdi_named *o)
{
    return (struct channel *)(void *)o;
}

void jdi_channel_init(struct jdi_rank *r)
{
    r->channels = jdi_zalloc(NULL, sizeof *r->channels);
    if (!r->channels)
        jdi_die(&r->am->log, JDI_EXIT_START, "no memory for the rank");
    jdi_names_init(&r->channels->names, sizeof(struct channel), &r->am->fault);
}

static void free_ring(struct jdi_named *o)
{
    struct channel *c = channel_of(o);
    JD_CHECK(!c->senders.first && !c->receivers.first);
    jdi_free(c->ring);
}

void jdi_channel_free_all(struct jdi_rank *r)
{
    jdi_names_fini(&r->channels->names, free_ring);
    jdi_free(r->channels);
}

/* ---- public: life --------------------------------------------------------------------- */

int jd_channel_create(jd_self *me, size_t item_size, size_t capacity, jd_channel *out)
{
    struct jdi_rank *r = me->rank;
    struct jdi_names *names = &r->channels->names;
    if (item_size > ITEM_MOST || (item_size && capacity > SIZE_MAX / 2 / item_size))
        return JD_ETOOBIG;
    unsigned char *ring = NULL;
    if (item_size && capacity && !(ring = jdi_alloc(&r->am->fault, item_size * capacity)))
        return JD_ENOMEM;
    struct channel *c = channel_of(jdi_names_take(names, NULL));
    if (!c) {
        jdi_free(ring);
        return JD_ENOMEM;
    }
    JD_ASSERT(!c->senders.first && !c->receivers.first);
    c->closed = false;
    c->item_size = item_size;
    c->capacity = capacity;
    c->first = c->count = 0;
    c->ring = ring;
    *out = (jd_channel){.number = jdi_named_born(&c->named), .home = r->am->rank};
    return 0;
}

/* The channel of that name, locked; NULL: there is none. */
static struct channel *lock_channel(const jd_self *me, jd_channel name)
{
    const struct jdi_rank *r = me->rank;
    return name.home == r->am->rank
               ? channel_of(jdi_names_lock(&r->channels->names, name.number))
               : NULL;
}

/* Under the lock: all who wait shall end. */
static void end_lines(struct channel *c, struct jdi_wait **chain)
{
    chain = jdi_entry_settle_all(&c->senders, JD_ECLOSED, chain);
    (void)jdi_entry_settle_all(&c->receivers, JD_ECLOSED, chain);
}

int jd_channel_close(jd_self *me, jd_channel name)
{
    struct channel *c = lock_channel(me, name);
    struct jdi_wait *chain = NULL;
    if (!c)
        return JD_EINVAL;
    c->closed = true;
    end_lines(c, &chain);
    jdi_unlock(&c->named.lock);
    jdi_entry_end(me->worker, chain);
    return 0;
}

int jd_channel_destroy(jd_self *me, jd_channel name)
{
    struct channel *c = lock_channel(me, name);
    struct jdi_wait *chain = NULL;
    if (!c)
        return JD_EINVAL;
    unsigned char *ring = c->ring;
    jdi_named_dies(&c->named);
    c->ring = NULL;
    end_lines(c, &chain);
    jdi_unlock(&c->named.lock);
    jdi_entry_end(me->worker, chain);
    jdi_free(ring);
    jdi_names_give(&me->rank->channels->names, NULL, &c->named);
    return 0;
}

/* ---- public: items -------------------------------------------------------------------- */

/* Send or receive; JD_EAGAIN: the caller has to wait, and `e`, if it is not NULL, is in the line. */
static int attempt(jd_self *me, jd_channel name, bool sends, void *item,
                   struct jdi_entry *e)
{
    struct jdi_wait *met = NULL;
    struct channel *c = lock_channel(me, name);
    if (!c)
        return JD_EINVAL;
    int error = JD_EINVAL;
    if (item || !c->item_size)
        error = sends ? send_now(c, item, &met) : receive_now(c, item, &met);
    if (error == JD_EAGAIN && e)
        jdi_line_join(sends ? &c->senders : &c->receivers, &e->link);
    jdi_unlock(&c->named.lock);
    if (met)
        jdi_wait_end(me->worker, met, met->result);
    return error;
}

/* A wait has ended by its deadline or a cancellation.  The channel may be another one by now: then
 * the line was left when the old one was destroyed. */
static void give_up(const jd_self *me, jd_channel name, bool sends, struct jdi_entry *e)
{
    struct channel *c = channel_of(jdi_names_at(&me->rank->channels->names, name.number));
    jdi_lock(&c->named.lock);
    if (jdi_link_is_in(&e->link))
        jdi_line_leave(sends ? &c->senders : &c->receivers, &e->link);
    jdi_unlock(&c->named.lock);
}

static int transfer_item(jd_self *me, jd_channel name, bool sends, void *item,
                         jd_time deadline)
{
    struct jdi_wait w;
    int error = attempt(me, name, sends, item, NULL);
    if (JDI_LIKELY(error != JD_EAGAIN))
        return error;
    error = jdi_wait_open(&w, me, deadline);
    if (error)
        return error;
    struct jdi_entry e = {.wait = &w, .item = item};
    error = attempt(me, name, sends, item, &e);
    if (error != JD_EAGAIN)
        return error;
    error = jdi_wait_park(&w);
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
