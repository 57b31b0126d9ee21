/*
 * channel.c - queues of a rank through which its tasks hand items to each other.
 *
 * Role: jd_channel_create, send, receive, reserve, commit, release, close, destroy.
 * Owner: a channel's fields are under its lock.
 * Invariants: I1 count <= room <= capacity.  A sender waits and is not claimed only while count == room, a
 *                receiver only while count == 0: so both wait only where all room is reserved, or in a jd_select.
 *             I2 an item is moved after its wait was claimed, and before that wait ends.
 *             I3 no lock is held while a ULT is made ready.
 * Order: [pair: lock]; those of sched/names.h.
 * See: doc/waiting.md "Channels".
 */
#include "sched/wait/channel.h"

#include "sched/names.h"
#include "sched/wait/select.h"

#include <string.h>

enum { ITEM_MOST = 4096 }; /* bytes: they are copied under a lock */

struct channel {
    JDI_ALIGNED struct jdi_named named; /* first */
    bool closed;
    size_t item_size, capacity, first, count;
    size_t room; /* of the capacity, what is not reserved */
    unsigned char *ring;
    struct jdi_line senders, receivers; /* of entries; who reserves is a sender */
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

/* Without bytes there is no ring. */
static unsigned char *ring_at(const struct channel *c, size_t i)
{
    size_t at = c->first + i;
    if (!c->item_size)
        return NULL;
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

/* Copy an item to a claimed receiver; returns its wait, settled. */
static inline struct jdi_wait *give_item(const struct channel *c, const void *item,
                                         struct jdi_entry *receiver)
{
    JD_ASSERT(!c->count);
    copy_item(c, receiver->item, item);
    return jdi_entry_settle(receiver, 0);
}

/* Give an item to the first receiver that waits, and append its wait to the chain; else into the ring.
 * Returns the new end of the chain. */
static struct jdi_wait **put_item(struct channel *c, const void *item,
                                  struct jdi_wait **last)
{
    struct jdi_entry *receiver = jdi_entry_claim(&c->receivers);
    if (!receiver) {
        push_item(c, item);
        return last;
    }
    *last = give_item(c, item, receiver);
    return &(*last)->chain;
}

/* Let in as many senders as there is room for, and append their waits, and those of receivers whom they
 * meet, to the chain. */
static JDI_NOINLINE void let_in(struct channel *c, struct jdi_wait **last)
{
    struct jdi_entry *sender;
    while (c->count < c->room && (sender = jdi_entry_claim(&c->senders))) {
        if (sender->reserves)
            c->room--;
        else
            last = put_item(c, sender->item, last);
        *last = jdi_entry_settle(sender, 0);
        last = &(*last)->chain;
    }
}

/* ---- what is done at once: under the lock --------------------------------------------- */

/* Who sends now does not overtake senders that wait for room. */
static struct jdi_entry *claim_receiver(struct channel *c)
{
    bool full = c->count == c->room && c->capacity;
    return full ? NULL : jdi_entry_claim(&c->receivers);
}

/* JD_EAGAIN: the caller would have to wait.  `met` are the waits of those who have waited for the caller:
 * settled, and with their items moved. */
static int send_now(struct channel *c, const void *item, struct jdi_wait **met)
{
    if (c->closed)
        return JD_ECLOSED;
    struct jdi_entry *receiver = c->receivers.first ? claim_receiver(c) : NULL;
    if (receiver) {
        *met = give_item(c, item, receiver);
        return 0;
    }
    if (c->count == c->room)
        return JD_EAGAIN;
    push_item(c, item);
    return 0;
}

static int receive_now(struct channel *c, void *item, struct jdi_wait **met)
{
    if (c->count) {
        pop_item(c, item);
        if (c->senders.first)
            let_in(c, met);
        return 0;
    }
    struct jdi_entry *sender = c->capacity ? NULL : jdi_entry_claim(&c->senders);
    if (!sender)
        return c->closed ? JD_ECLOSED : JD_EAGAIN;
    copy_item(c, item, sender->item);
    *met = jdi_entry_settle(sender, 0);
    return 0;
}

static int reserve_now(struct channel *c)
{
    if (c->closed)
        return JD_ECLOSED;
    if (c->count == c->room)
        return JD_EAGAIN;
    c->room--;
    return 0;
}

/* Can that be done to the channel at all? */
static bool is_allowed(const struct channel *c, int kind, const void *item)
{
    return kind == JD_CASE_RESERVE ? c->capacity : item || !c->item_size;
}

static inline int do_now(struct channel *c, int kind, void *item, struct jdi_wait **met)
{
    return kind == JD_CASE_SEND      ? send_now(c, item, met)
           : kind == JD_CASE_RECEIVE ? receive_now(c, item, met)
                                     : reserve_now(c);
}

static struct jdi_line *line_for(struct channel *c, int kind)
{
    return kind == JD_CASE_RECEIVE ? &c->receivers : &c->senders;
}

static struct channel *channel_of(struct jdi_named *o)
{
    return (struct channel *)(void *)o;
}

/* ---- cases of jd_select: under the lock ------------------------------------------------ */

static struct channel *channel_under(struct jdi_lock *l)
{
    return channel_of(jdi_container_of(l, struct jdi_named, lock));
}

static bool find_channel(const jd_self *me, const jd_case *c, struct jdi_lock **lock)
{
    const struct jdi_rank *r = me->rank;
    struct jdi_named *o =
        c->home == r->am->rank ? jdi_names_at(&r->channels->names, c->number) : NULL;
    *lock = o ? &o->lock : NULL;
    return o;
}

static bool is_channel(struct jdi_lock *l, const jd_case *c)
{
    const struct channel *channel = channel_under(l);
    return jdi_named_is(&channel->named, c->number) &&
           is_allowed(channel, c->kind, c->item);
}

static int try_channel(struct jdi_lock *l, const jd_case *c, struct jdi_wait **met)
{
    return do_now(channel_under(l), c->kind, c->item, met);
}

static struct jdi_line *line_of_case(struct jdi_lock *l, const jd_case *c)
{
    return line_for(channel_under(l), c->kind);
}

static const struct jdi_select_ops channel_cases = {.find = find_channel,
                                                    .check = is_channel,
                                                    .attempt = try_channel,
                                                    .line = line_of_case};

/* ---- start and end -------------------------------------------------------------------- */

void jdi_channel_init(struct jdi_rank *r)
{
    r->cases[JD_CASE_SEND] = r->cases[JD_CASE_RECEIVE] = &channel_cases;
    r->cases[JD_CASE_RESERVE] = &channel_cases;
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
    c->capacity = c->room = capacity;
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

/* JD_EAGAIN: the caller has to wait, and `e`, if it is not NULL, is in the line. */
static inline int attempt(jd_self *me, jd_channel name, int kind, void *item,
                          struct jdi_entry *e)
{
    struct jdi_wait *met = NULL;
    struct channel *c = lock_channel(me, name);
    if (!c)
        return JD_EINVAL;
    int error = is_allowed(c, kind, item) ? do_now(c, kind, item, &met) : JD_EINVAL;
    if (error == JD_EAGAIN && e)
        jdi_line_join(line_for(c, kind), &e->link);
    jdi_unlock(&c->named.lock);
    jdi_entry_end(me->worker, met);
    return error;
}

/* A wait has ended by its deadline or a cancellation.  The channel may be another one by now: then
 * the line was left when the old one was destroyed. */
static void give_up(const jd_self *me, jd_channel name, int kind, struct jdi_entry *e)
{
    struct channel *c = channel_of(jdi_names_at(&me->rank->channels->names, name.number));
    jdi_lock(&c->named.lock);
    if (jdi_link_is_in(&e->link))
        jdi_line_leave(line_for(c, kind), &e->link);
    jdi_unlock(&c->named.lock);
}

static inline int wait_for_channel(jd_self *me, jd_channel name, int kind, void *item,
                                   jd_time deadline)
{
    static const uint8_t cause_of[] = {[JD_CASE_SEND] = JDI_CAUSE_SEND,
                                       [JD_CASE_RECEIVE] = JDI_CAUSE_RECEIVE,
                                       [JD_CASE_RESERVE] = JDI_CAUSE_RESERVE};
    struct jdi_cause why = {
        .kind = cause_of[kind], .number = name.number, .deadline = deadline};
    struct jdi_wait w;
    int error = jdi_wait_open(&w, me, deadline);
    if (error)
        return error;
    struct jdi_entry e = {.wait = &w, .item = item, .reserves = kind == JD_CASE_RESERVE};
    error = attempt(me, name, kind, item, &e);
    if (error != JD_EAGAIN)
        return error;
    error = jdi_wait_park(&w, &why);
    if (error && error != JD_ECLOSED)
        give_up(me, name, kind, &e);
    return error;
}

static inline int use_channel(jd_self *me, jd_channel name, int kind, void *item,
                              jd_time deadline)
{
    int error = attempt(me, name, kind, item, NULL);
    return JDI_LIKELY(error != JD_EAGAIN)
               ? error
               : wait_for_channel(me, name, kind, item, deadline);
}

int jd_channel_send(jd_self *me, jd_channel channel, const void *item, jd_time deadline)
{
    return use_channel(me, channel, JD_CASE_SEND, (void *)(uintptr_t)item, deadline);
}

int jd_channel_receive(jd_self *me, jd_channel channel, void *item, jd_time deadline)
{
    return use_channel(me, channel, JD_CASE_RECEIVE, item, deadline);
}

/* ---- public: room that is reserved ---------------------------------------------------- */

int jd_channel_reserve(jd_self *me, jd_channel channel, jd_time deadline)
{
    return use_channel(me, channel, JD_CASE_RESERVE, NULL, deadline);
}

/* Take a reservation back, for an item or for nothing; under the lock. */
static int end_reservation(struct channel *c, bool commits, const void *item,
                           struct jdi_wait **last)
{
    if (commits && !is_allowed(c, JD_CASE_SEND, item))
        return JD_EINVAL;
    if (c->room == c->capacity)
        return JD_ESTATE;
    c->room++;
    if (commits && c->closed)
        return JD_ECLOSED;
    if (commits)
        last = put_item(c, item, last);
    let_in(c, last);
    return 0;
}

static int settle_room(jd_self *me, jd_channel name, bool commits, const void *item)
{
    struct jdi_wait *met = NULL;
    struct channel *c = lock_channel(me, name);
    if (!c)
        return JD_EINVAL;
    int error = end_reservation(c, commits, item, &met);
    jdi_unlock(&c->named.lock);
    jdi_entry_end(me->worker, met);
    return error;
}

int jd_channel_commit(jd_self *me, jd_channel channel, const void *item)
{
    return settle_room(me, channel, true, item);
}

int jd_channel_release(jd_self *me, jd_channel channel)
{
    return settle_room(me, channel, false, NULL);
}
