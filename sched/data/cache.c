/*
 * cache.c - bytes of other ranks that this rank has got, and need not get again.
 *
 * Role: jd_get_cached, jd_borrow, jd_give_back, jd_forget.
 * Owner: any thread, under the lock of the cache; the bytes of an entry: who fetches it, then nobody, for they do not
 *        change.
 * Invariants: C1 to C4 of doc/data.md.
 * Order: [pair: lock]; [pair: wait-end] the bytes of an entry, and its error, before those who have waited for it.
 * See: doc/data.md "Cached reads".
 */
#include "sched/data/cache.h"

#include "core/container.h"
#include "sched/data/data.h"
#include "sched/data/mem.h"
#include "sched/wait/entry.h"

#include <string.h>

enum { BUCKETS = 4096 };

/* What is asked for. */
struct range {
    uint64_t mem, offset, n;
    uint32_t rank;
};

/* An entry: a range and its bytes. */
struct cached {
    struct jdi_link
        place; /* in the line of its memory, or, out of the table, in `loose` */
    struct jdi_link turn; /* in `idle` */
    struct cached *next;  /* of its bucket; of a chain that is to be freed */
    struct range range;
    uint64_t users;
    bool tabled, here;
    int error;            /* of the fetch */
    struct jdi_line line; /* of struct jdi_entry: who waits for the fetch */
    _Alignas(16) unsigned char bytes[];
};

struct jdi_cache_table {
    struct jdi_line of_mem[JDI_MEMS]; /* by number of the memory, modulo JDI_MEMS */
    struct cached *bucket[BUCKETS];
};

/* ---- the table; all under the lock ----------------------------------------------------- */

static uint64_t cost_of(const struct cached *e)
{
    return sizeof *e + e->range.n;
}

static bool is_range(const struct range *a, const struct range *b)
{
    return a->mem == b->mem && a->offset == b->offset && a->n == b->n &&
           a->rank == b->rank;
}

static struct cached **bucket_of_range(struct jdi_cache *c, const struct range *a)
{
    uint64_t mix = (a->mem << 24 ^ a->rank) * UINT64_C(0x9E3779B97F4A7C15);
    mix = (mix ^ mix >> 29 ^ a->offset) * UINT64_C(0xBF58476D1CE4E5B9);
    mix = (mix ^ mix >> 31 ^ a->n) * UINT64_C(0x94D049BB133111EB);
    return &c->of->bucket[mix >> 32 & (BUCKETS - 1)];
}

static struct cached *find_range(struct jdi_cache *c, const struct range *a)
{
    struct cached *e = c->of ? *bucket_of_range(c, a) : NULL;
    while (e && !is_range(&e->range, a))
        e = e->next;
    return e;
}

static void count_tabled(struct jdi_cache *c, int64_t more)
{
    uint64_t n = atomic_load_explicit(&c->tabled, memory_order_relaxed);
    atomic_store_explicit(&c->tabled, n + (uint64_t)more, memory_order_relaxed);
}

/* A new entry, with one user. */
static void enter(struct jdi_rank *r, struct cached *e)
{
    struct jdi_cache *c = &r->data->cache;
    struct cached **bucket = bucket_of_range(c, &e->range);
    c->used += cost_of(e);
    e->tabled = !c->closed || jdi_mem_is_frozen(r, e->range.mem);
    if (!e->tabled) {
        jdi_line_join(&c->loose, &e->place);
        return;
    }
    JD_ASSERT(!find_range(c, &e->range)); /* C1 */
    e->next = *bucket;
    *bucket = e;
    jdi_line_join(&c->of->of_mem[e->range.mem % JDI_MEMS], &e->place);
    count_tabled(c, 1);
}

/* Free a loose entry that has no user, when the lock is given up: put it into a chain. */
static void discard(struct jdi_cache *c, struct cached *e, struct cached **chain)
{
    JD_ASSERT(!e->users && !e->tabled && !e->line.first);
    jdi_line_leave(&c->loose, &e->place);
    c->used -= cost_of(e);
    e->next = *chain;
    *chain = e;
}

/* Nobody finds it any more. */
static void expel(struct jdi_cache *c, struct cached *e, struct cached **chain)
{
    struct cached **link = bucket_of_range(c, &e->range);
    JD_ASSERT(e->tabled);
    while (*link != e)
        link = &(*link)->next;
    *link = e->next;
    jdi_line_leave(&c->of->of_mem[e->range.mem % JDI_MEMS], &e->place);
    count_tabled(c, -1);
    e->tabled = false;
    jdi_line_join(&c->loose, &e->place);
    if (e->users)
        return;
    jdi_line_leave(&c->idle, &e->turn);
    discard(c, e, chain);
}

/* C4: make room.  Returns how many went. */
static uint64_t evict(struct jdi_rank *r, struct cached **chain)
{
    struct jdi_cache *c = &r->data->cache;
    uint64_t n = 0;
    for (; c->used > r->knobs->cache && c->idle.first; n++)
        expel(c, jdi_container_of(c->idle.first, struct cached, turn), chain);
    c->most = c->used > c->most ? c->used : c->most;
    return n;
}

/* No lock is held. */
static void free_chain(struct cached *e)
{
    while (e) {
        struct cached *next = e->next;
        jdi_free(e);
        e = next;
    }
}

/* ---- the end of validity --------------------------------------------------------------- */

static bool overlaps(const struct range *a, const struct range *b)
{
    return a->mem == b->mem && a->rank == b->rank && a->offset < b->offset + b->n &&
           b->offset < a->offset + a->n;
}

/* Expel the entries of a memory that overlap a range; NULL: all of it. */
static void expel_some(struct jdi_cache *c, uint64_t mem, const struct range *what,
                       struct cached **chain)
{
    struct jdi_link *at = c->of ? c->of->of_mem[mem % JDI_MEMS].first : NULL;
    struct jdi_link *last = at ? at->prev : NULL, *next;
    /* Only `at` leaves the ring here, so `next` stays in it, unless `at` was the last one. */
    for (bool more = at; more; at = next) {
        struct cached *e = jdi_container_of(at, struct cached, place);
        next = at->next;
        more = at != last;
        if (e->range.mem == mem && (!what || overlaps(&e->range, what)))
            expel(c, e, chain);
    }
}

void jdi_cache_wrote(struct jdi_rank *r, jd_mem mem, uint32_t rank, uint64_t offset,
                     uint64_t n)
{
    struct jdi_cache *c = &r->data->cache;
    const struct range what = {mem.number, offset, n, rank};
    struct cached *chain = NULL;
    /* What the writer has to see no more was entered before, by itself or by who has told it. */
    if (!atomic_load_explicit(&c->tabled, memory_order_relaxed))
        return;
    jdi_lock(&c->lock);
    expel_some(c, mem.number, &what, &chain);
    jdi_unlock(&c->lock);
    free_chain(chain);
}

int jd_forget(jd_self *me, jd_mem mem)
{
    struct jdi_cache *c = &me->rank->data->cache;
    struct cached *chain = NULL;
    if (!jdi_mem_at(me->rank, mem, 0, 0))
        return JD_EINVAL;
    jdi_lock(&c->lock);
    expel_some(c, mem.number, NULL, &chain);
    jdi_unlock(&c->lock);
    free_chain(chain);
    return 0;
}

/* Expel the entries of all memories; `all`: of frozen ones, too. */
static void expel_each(struct jdi_rank *r, bool all, struct cached **chain)
{
    struct jdi_cache *c = &r->data->cache;
    for (unsigned i = 0; i < JDI_MEMS && c->of; i++)
        for (struct jdi_link *at; (at = c->of->of_mem[i].first);) {
            struct cached *e = jdi_container_of(at, struct cached, place);
            if (!all && jdi_mem_is_frozen(r, e->range.mem))
                break; /* all of this line are of it */
            expel(c, e, chain);
        }
}

/* rank->on_meeting: V1. */
static void end_validity(struct jdi_rank *r, bool meets)
{
    struct jdi_cache *c = &r->data->cache;
    struct cached *chain = NULL;
    jdi_lock(&c->lock);
    c->closed = meets;
    expel_each(r, false, &chain);
    jdi_unlock(&c->lock);
    free_chain(chain);
}

/* ---- users ----------------------------------------------------------------------------- */

/* False: no memory for the table. */
static bool has_table(struct jdi_rank *r)
{
    struct jdi_cache *c = &r->data->cache;
    jdi_lock(&c->lock);
    bool there = c->of != NULL;
    jdi_unlock(&c->lock);
    if (there)
        return true;
    struct jdi_cache_table *t = jdi_zalloc(&r->am->fault, sizeof *t), *spare = t;
    jdi_lock(&c->lock);
    if (!c->of) {
        c->of = t;
        spare = NULL;
    }
    there = c->of != NULL;
    jdi_unlock(&c->lock);
    jdi_free(spare);
    return there;
}

static struct cached *new_cached(struct jdi_rank *r, const struct range *a)
{
    if (a->n > SIZE_MAX / 2 || !has_table(r))
        return NULL;
    struct cached *e = jdi_alloc(&r->am->fault, sizeof *e + (size_t)a->n);
    if (e)
        *e = (struct cached){.range = *a, .users = 1};
    return e;
}

/* Wait until the entry, of which `me` is a user, is here.  The lock is held, and given up. */
static void wait_for_fetch(jd_self *me, struct jdi_cache *c, struct cached *e)
{
    struct jdi_cause why = {.kind = JDI_CAUSE_TRANSFER,
                            .home = e->range.rank,
                            .number = e->range.mem,
                            .deadline = JD_FOREVER};
    struct jdi_wait w;
    struct jdi_entry entry = {.wait = &w};
    jdi_wait_open_firm(&w, me);
    jdi_line_join(&e->line, &entry.link);
    jdi_unlock(&c->lock);
    (void)jdi_wait_park(&w, &why);
    jdi_stats_count(&me->worker->stats.cache_waits, 1);
}

/* Become a user of the range, if it is in the table: it is here then.  NULL: it is not, and `fresh`, which may be
 * NULL, has been entered. */
static struct cached *join_users(jd_self *me, const struct range *a, struct cached *fresh)
{
    struct jdi_cache *c = &me->rank->data->cache;
    struct cached *chain = NULL, *e;
    uint64_t evicted = 0;
    jdi_lock(&c->lock);
    e = find_range(c, a);
    if (e && !e->users++)
        jdi_line_leave(&c->idle, &e->turn);
    if (e && !e->here) {
        wait_for_fetch(me, c, e);
        return e;
    }
    if (!e && fresh) {
        enter(me->rank, fresh);
        evicted = evict(me->rank, &chain);
    }
    jdi_unlock(&c->lock);
    free_chain(chain);
    jdi_stats_count(&me->worker->stats.cache_hits, e != NULL);
    jdi_stats_count(&me->worker->stats.cache_evicted, evicted);
    return e;
}

/* The bytes are here, or will never be. */
static void fetch_range(jd_self *me, struct cached *e)
{
    struct jdi_cache *c = &me->rank->data->cache;
    const struct range *a = &e->range;
    struct cached *chain = NULL;
    struct jdi_wait *waits = NULL;
    int error = jd_get(me, (jd_mem){a->mem}, a->rank, a->offset, e->bytes, (size_t)a->n);
    jdi_lock(&c->lock);
    e->here = true;
    e->error = error;
    if (error && e->tabled)
        expel(c, e, &chain);
    (void)jdi_entry_settle_all(&e->line, 0, &waits);
    jdi_unlock(&c->lock);
    JD_ASSERT(!chain); /* `me` is a user */
    jdi_entry_end(me->worker, waits);
    jdi_stats_count(&me->worker->stats.cache_fetches, 1);
    jdi_stats_count(&me->worker->stats.cache_bytes, error ? 0 : a->n);
}

static void leave_users(jd_self *me, struct cached *e)
{
    struct jdi_cache *c = &me->rank->data->cache;
    struct cached *chain = NULL;
    uint64_t evicted = 0;
    jdi_lock(&c->lock);
    JD_CHECK(e->users > 0);
    if (!--e->users && e->tabled) {
        jdi_line_join(&c->idle, &e->turn);
        evicted = evict(me->rank, &chain);
    } else if (!e->users) {
        discard(c, e, &chain);
    }
    uint64_t most = c->most;
    jdi_unlock(&c->lock);
    free_chain(chain);
    struct jdi_stats *s = &me->worker->stats;
    jdi_stats_count(&s->cache_evicted, evicted);
    if (most > s->most_cached)
        jdi_stats_set(&s->most_cached, most);
}

/* Become a user of the range, which is here then.  0 and *out, or an error. */
static int use_range(jd_self *me, const struct range *a, struct cached **out)
{
    struct cached *e = join_users(me, a, NULL);
    if (!e) {
        struct cached *fresh = new_cached(me->rank, a);
        if (!fresh)
            return JD_ENOMEM;
        e = join_users(me, a, fresh);
        if (e) {
            jdi_free(fresh); /* somebody else was faster */
        } else {
            e = fresh;
            fetch_range(me, e);
        }
    }
    int error = e->error;
    if (error)
        leave_users(me, e);
    *out = error ? NULL : e;
    return error;
}

/* ---- the calls ------------------------------------------------------------------------- */

/* 1: the bytes are this rank's; 0: another one's; or an error. */
static int whose_range(const jd_self *me, jd_mem mem, uint32_t rank)
{
    if (rank >= me->rank->am->nranks || !jdi_mem_at(me->rank, mem, 0, 0))
        return JD_EINVAL;
    return rank == me->rank->am->rank;
}

int jd_get_cached(jd_self *me, jd_mem mem, uint32_t rank, uint64_t offset, void *dst,
                  size_t n)
{
    int own = whose_range(me, mem, rank);
    if (own < 0 || (n && !dst))
        return JD_EINVAL;
    if (own)
        return jd_get(me, mem, rank, offset, dst, n);
    const struct range a = {mem.number, offset, n, rank};
    struct cached *e;
    int error = use_range(me, &a, &e);
    if (error == JD_ENOMEM)
        return jd_get(me, mem, rank, offset, dst, n);
    if (error)
        return error;
    if (n)
        memcpy(dst, e->bytes, n);
    leave_users(me, e);
    return 0;
}

int jd_borrow(jd_self *me, jd_mem mem, uint32_t rank, uint64_t offset, size_t n,
              jd_loan *loan)
{
    int own = whose_range(me, mem, rank);
    if (own < 0 || !loan)
        return JD_EINVAL;
    if (own) {
        const void *at = jdi_mem_at(me->rank, mem, offset, n);
        if (!at)
            return JD_EINVAL;
        *loan = (jd_loan){.bytes = at};
        return 0;
    }
    const struct range a = {mem.number, offset, n, rank};
    struct cached *e;
    int error = use_range(me, &a, &e);
    if (!error)
        *loan = (jd_loan){.bytes = e->bytes, .opaque = e};
    return error;
}

void jd_give_back(jd_self *me, jd_loan *loan)
{
    struct cached *e = loan->opaque;
    *loan = (jd_loan){0};
    if (e)
        leave_users(me, e);
}

/* ---- of the rank ----------------------------------------------------------------------- */

void jdi_cache_init(struct jdi_rank *r, struct jdi_cache *c)
{
    jdi_lock_init(&c->lock);
    r->on_meeting = end_validity;
}

/* What was borrowed and not given back is loose by now: it belonged to a body or a task that has ended. */
void jdi_cache_free_all(struct jdi_rank *r)
{
    struct jdi_cache *c = &r->data->cache;
    struct cached *chain = NULL;
    expel_each(r, true, &chain);
    free_chain(chain);
    while (c->loose.first) {
        struct cached *e = jdi_container_of(c->loose.first, struct cached, place);
        jdi_line_leave(&c->loose, &e->place);
        jdi_free(e);
    }
    jdi_free(c->of);
}

/* Check the entries of a line, add up their bytes; returns how many there are. */
static uint64_t check_line(struct jdi_cache *c, const struct jdi_line *l, bool tabled,
                           uint64_t *bytes)
{
    uint64_t n = 0;
    for (struct jdi_link *at = l->first; at;
         at = at->next == l->first ? NULL : at->next) {
        struct cached *e = jdi_container_of(at, struct cached, place);
        JD_CHECK(e->tabled == tabled && (tabled || e->users));
        JD_CHECK(!tabled || find_range(c, &e->range) == e);
        JD_CHECK((tabled && !e->users) == jdi_link_is_in(&e->turn));
        JD_CHECK(e->here ? !e->line.first : e->users > 0);
        *bytes += cost_of(e);
        n++;
    }
    return n;
}

void jdi_cache_check(struct jdi_rank *r)
{
    struct jdi_cache *c = &r->data->cache;
    uint64_t bytes = 0, tabled = 0;
    jdi_lock(&c->lock);
    for (unsigned i = 0; i < JDI_MEMS && c->of; i++)
        tabled += check_line(c, &c->of->of_mem[i], true, &bytes);
    (void)check_line(c, &c->loose, false, &bytes);
    JD_CHECK(tabled == atomic_load_explicit(&c->tabled, memory_order_relaxed));
    JD_CHECK(bytes == c->used && c->used <= c->most);
    JD_CHECK(c->used <= r->knobs->cache || !c->idle.first);
    jdi_unlock(&c->lock);
}
