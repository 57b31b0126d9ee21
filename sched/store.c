/*
 * store.c - where the ready work of a collection lies at one rank: a deque for each owner.
 *
 * Role: decides when tasks are opened to thieves, and how neighbours take from each other.
 * Invariants: I1 to I3 of store.h. I4 whoever opens work wakes one worker; so does a taker that
 *             leaves open work behind.
 * Order: [pair: deque-split]; waking: [pair: idle-wake].
 * See: store.h; doc/transfer.md "When tasks are opened".
 */
#include "sched/store.h"

#include "core/random.h"
#include "sched/rank.h"

enum { LOCAL_MOST = 1024 }; /* tasks per take inside the rank */

/* ---- making ------------------------------------------------------------------------- */

int jdi_store_init(struct jdi_store *st, struct jdi_rank *r, size_t slot_size)
{
    bool alone = r->am->nranks == 1 && r->nworkers == 1;
    st->rank = r;
    st->slot_size = (uint32_t)slot_size;
    for (unsigned i = 0; i < st->nshelves; i++) {
        struct jdi_shelf *s = jdi_store_shelf(st, i);
        jdi_deque_init(&s->deque, slot_size, !alone, &r->am->fault);
        s->store = st;
        s->owner = i;
    }
    return 0;
}

void jdi_store_fini(struct jdi_store *st)
{
    for (unsigned i = 0; i < st->nshelves; i++)
        if (jdi_store_shelf(st, i)->store) {
            JD_ASSERT(jdi_deque_copied(&jdi_store_shelf(st, i)->deque));
            jdi_deque_fini(&jdi_store_shelf(st, i)->deque);
        }
}

void jdi_store_open(struct jdi_store *st, bool open)
{
    atomic_store_explicit(&st->open, open, memory_order_relaxed);
}

/* For assertions. */
static bool is_mine(const struct jdi_shelf *s)
{
    return jdi_rank_is_owner(s->store->rank, s->owner);
}

/* ---- the owner ---------------------------------------------------------------------- */

void jdi_store_share(struct jdi_shelf *s)
{
    JD_ASSERT(is_mine(s));
    struct jdi_deque *d = &s->deque;
    jdi_deque_release(d, (jdi_deque_private(d) + 1) / 2);
    jdi_rank_wake_one(s->store->rank);
}

/*
 * Seeds stay private until the store is open (I3).  A thief may still look at the store because of
 * the last phase.  What such a thief took would lie where nobody looks, and the record of seeds
 * would miss it.
 */
struct jdi_task *jdi_store_push(struct jdi_shelf *s)
{
    JD_ASSERT(is_mine(s));
    if (jdi_deque_stingy(&s->deque) &&
        atomic_load_explicit(&s->store->open, memory_order_relaxed))
        jdi_store_share(s);
    return jdi_deque_push(&s->deque);
}

bool jdi_store_refill(struct jdi_shelf *s)
{
    JD_ASSERT(is_mine(s));
    return jdi_deque_reclaim(&s->deque);
}

int jdi_store_reserve(struct jdi_shelf *s, uint64_t n)
{
    JD_ASSERT(is_mine(s));
    return jdi_deque_reserve(&s->deque, n);
}

struct jdi_task *jdi_store_land(struct jdi_shelf *s)
{
    JD_ASSERT(is_mine(s));
    return jdi_deque_push(&s->deque);
}

void jdi_store_arrived(struct jdi_shelf *s, uint64_t n)
{
    JD_ASSERT(is_mine(s));
    struct jdi_deque *d = &s->deque;
    if (s->owner == s->store->rank->nworkers) { /* the communication thread runs none */
        jdi_deque_release(d, n);
        JD_ASSERT(!jdi_deque_private(d));
        jdi_rank_wake_one(s->store->rank);
    } else if (jdi_deque_stingy(d) && jdi_deque_private(d) > 1) {
        jdi_store_share(s); /* the owner keeps at least one task */
    }
}

bool jdi_store_offer(struct jdi_shelf *s)
{
    bool stingy = jdi_deque_stingy(&s->deque);
    if (stingy)
        jdi_store_share(s);
    return stingy;
}

uint64_t jdi_store_private(const struct jdi_shelf *s)
{
    JD_ASSERT(is_mine(s));
    return jdi_deque_private(&s->deque);
}

bool jdi_store_has_own(const struct jdi_shelf *s)
{
    return jdi_deque_private(&s->deque) || jdi_deque_open(&s->deque);
}

int jdi_store_each(const struct jdi_shelf *s,
                   int (*fn)(void *ctx, const struct jdi_task *t), void *ctx)
{
    JD_ASSERT(is_mine(s));
    const struct jdi_deque *d = &s->deque;
    uint64_t first = d->head - jdi_deque_open(d) - jdi_deque_private(d);
    int said = 0;
    for (uint64_t i = first; i < d->head && !said; i++)
        said = fn(ctx, jdi_deque_slot(d, i));
    return said;
}

/* ---- neighbours --------------------------------------------------------------------- */

/* Room is made before the claim, because claimed tasks cannot be given back. */
static uint64_t make_room(struct jdi_deque *mine, uint64_t want)
{
    if (jdi_deque_reserve(mine, want < LOCAL_MOST ? want : LOCAL_MOST))
        (void)jdi_deque_reserve(mine, 1);
    return mine->limit - mine->head;
}

static uint64_t take_from(struct jdi_shelf *mine, struct jdi_deque *victim,
                          uint64_t amount)
{
    struct jdi_claim claim;
    uint64_t open = jdi_deque_open(victim);
    uint64_t room = open ? make_room(&mine->deque, open) : 0;
    if (open && !room)
        jdi_die(&mine->store->rank->am->log, JDI_EXIT_MEMORY,
                "out of memory for %llu tasks", (unsigned long long)open);
    if (!open || !jdi_deque_claim(victim, amount, room, false, &claim))
        return 0;
    JD_ASSERT(room >= claim.n);
    uint64_t before = mine->deque.head;
    for (uint64_t i = 0; i < claim.n; i++)
        jdi_task_copy(jdi_deque_push(&mine->deque), jdi_claim_slot(&claim, i),
                      mine->store->slot_size);
    jdi_store_finish(&claim);
    JD_ASSERT(mine->deque.head - before == claim.n);
    return claim.n;
}

/* The i-th index after `start`, modulo n. */
static unsigned after(unsigned start, unsigned i, unsigned n)
{
    return start + i < n ? start + i : start + i - n;
}

struct jdi_store_take jdi_store_take(struct jdi_shelf *mine, uint64_t *rng,
                                     uint64_t amount)
{
    JD_ASSERT(is_mine(mine));
    struct jdi_store *st = mine->store;
    uint32_t start = jdi_random_below(rng, st->nshelves);
    for (unsigned k = 0; k < st->nshelves; k++) {
        struct jdi_shelf *victim = jdi_store_shelf(st, after(start, k, st->nshelves));
        uint64_t n = victim == mine ? 0 : take_from(mine, &victim->deque, amount);
        if (n)
            return (struct jdi_store_take){n, jdi_deque_open(&victim->deque) > 0};
    }
    return (struct jdi_store_take){0, false};
}

/* ---- other ranks -------------------------------------------------------------------- */

bool jdi_store_claim(struct jdi_store *st, uint64_t *rng, uint64_t amount, uint64_t most,
                     struct jdi_claim *out)
{
    uint32_t start = jdi_random_below(rng, st->nshelves);
    for (unsigned k = 0; k < st->nshelves; k++) {
        struct jdi_shelf *s = jdi_store_shelf(st, after(start, k, st->nshelves));
        if (jdi_deque_open(&s->deque) &&
            jdi_deque_claim(&s->deque, amount, most, true, out))
            return true;
    }
    return false;
}

void jdi_store_finish(const struct jdi_claim *c)
{
    jdi_deque_finish(c->deque, c);
}

uint64_t jdi_store_movable(const struct jdi_store *st)
{
    uint64_t open = 0;
    for (unsigned i = 0; i < st->nshelves; i++)
        open += jdi_deque_open(&jdi_store_shelf(st, i)->deque);
    return open;
}

bool jdi_store_local(const struct jdi_store *st)
{
    for (unsigned i = 0; i < st->nshelves; i++)
        if (jdi_deque_open(&jdi_store_shelf(st, i)->deque))
            return true;
    return false;
}

void jdi_store_check(struct jdi_store *st)
{
    for (unsigned i = 0; i < st->nshelves; i++)
        jdi_deque_check(&jdi_store_shelf(st, i)->deque);
}
