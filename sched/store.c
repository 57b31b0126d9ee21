/*
 * store.c - where the ready work of a collection lies at one rank: a deque for each owner.
 *
 * Role: decides when tasks are opened to thieves, and how neighbours take from each other.
 * Invariants: I1 to I3 of store.h. I4 whoever opens work wakes one worker; so does a taker that
 *             leaves work behind.  Private work counts too, because its owner may be in a long task,
 *             and whoever sleeps does not pry.
 * Order: [pair: deque-split]; waking: [pair: idle-wake].  [pair: store-put] the owner publishes a
 *        task, passes a full fence, and looks who waits; who waits says so, passes a full fence,
 *        and looks for tasks (jdi_store_hides).
 * See: store.h; doc/transfer.md "When tasks are opened".
 */
#include "sched/store.h"

#include "core/random.h"
#include "sched/rank.h"
#include "sched/worker.h"

enum { LOCAL_MOST = 1024 }; /* tasks per take inside the rank */

/* ---- making ------------------------------------------------------------------------- */

int jdi_store_init(struct jdi_store *st, struct jdi_rank *r, size_t slot_size)
{
    bool alone = r->am->nranks == 1 && r->nworkers == 1;
    st->rank = r;
    st->slot_size = (uint32_t)slot_size;
    st->pries = r->nworkers + r->place.apart > 1 && r->fences;
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

/* Another worker of this rank is hungry, or other ranks want tasks. */
static bool somebody_waits(const struct jdi_shelf *s)
{
    const struct jdi_rank *r = s->store->rank;
    bool self = s->owner < r->nworkers && r->workers[s->owner].is_hungry;
    return atomic_load_explicit(&r->hungry, memory_order_relaxed) > self ||
           atomic_load_explicit(&r->thieves, memory_order_relaxed) ||
           atomic_load_explicit(&r->refused, memory_order_relaxed);
}

void jdi_store_put(struct jdi_shelf *s)
{
    JD_ASSERT(is_mine(s));
    struct jdi_store *st = s->store;
    /* [pair: deque-pry] relaxed: who pries reads the draft after the head, which is released. */
    atomic_store_explicit(&s->deque.draft, 0, memory_order_relaxed);
    jdi_deque_pushed(&s->deque);
    if (!s->deque.open || !atomic_load_explicit(&st->open, memory_order_relaxed))
        return;
    atomic_thread_fence(memory_order_seq_cst); /* [pair: store-put] */
    if (jdi_deque_stingy(&s->deque) && somebody_waits(s))
        jdi_store_share(s);
}

void jdi_store_drafted(struct jdi_shelf *s)
{
    JD_ASSERT(is_mine(s));
    jdi_deque_drafted_at(&s->deque, jdi_deque_head(&s->deque));
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
    return jdi_deque_land(&s->deque);
}

void jdi_store_arrived(struct jdi_shelf *s, uint64_t n)
{
    JD_ASSERT(is_mine(s) && s->deque.landed == n);
    struct jdi_deque *d = &s->deque;
    jdi_deque_all_landed(d);
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
    uint64_t head = jdi_deque_head(d);
    uint64_t first = head - jdi_deque_open(d) - jdi_deque_private(d);
    int said = 0;
    for (uint64_t i = first; i < head && !said; i++)
        said = fn(ctx, jdi_deque_slot(d, i));
    return said;
}

/* ---- neighbours --------------------------------------------------------------------- */

/* Room is made before the claim, because claimed tasks cannot be given back. */
static uint64_t make_room(struct jdi_deque *mine, uint64_t want)
{
    if (jdi_deque_reserve(mine, want < LOCAL_MOST ? want : LOCAL_MOST))
        (void)jdi_deque_reserve(mine, 1);
    return mine->limit - jdi_deque_head(mine);
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
    uint64_t before = mine->deque.landed;
    for (uint64_t i = 0; i < claim.n; i++)
        jdi_task_copy(jdi_deque_land(&mine->deque), jdi_claim_slot(&claim, i),
                      mine->store->slot_size);
    jdi_store_finish(&claim);
    JD_ASSERT(mine->deque.landed - before == claim.n);
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
    struct jdi_store_take got = {0};
    uint32_t start = jdi_random_below(rng, st->nshelves);
    for (unsigned k = 0; k < st->nshelves && !got.n; k++) {
        struct jdi_shelf *victim = jdi_store_shelf(st, after(start, k, st->nshelves));
        if (victim == mine)
            continue;
        got.n = take_from(mine, &victim->deque, amount);
        got.vain += !got.n;
        got.from = victim->owner;
        got.more = got.n &&
                   (jdi_deque_open(&victim->deque) || jdi_deque_private(&victim->deque));
    }
    return got;
}

/* ---- prying ------------------------------------------------------------------------- */

/* The communication thread opens all that lands on its shelf, in steps that a pry between them would
 * break; so its shelf hides nothing, and is never pried. */
static bool is_hidden(const struct jdi_shelf *s)
{
    return s->owner < s->store->rank->nworkers && jdi_deque_private(&s->deque) &&
           !jdi_deque_open(&s->deque);
}

/* Has the owner of s done nothing with its shelf for long?  Whoever looks keeps note for all. */
static bool is_in_a_long_task(struct jdi_shelf *s, uint64_t now)
{
    uint64_t head = jdi_deque_head(&s->deque);
    /* Relaxed: a mixture of two notes makes a shelf look busy, or is off by one look. */
    if (head != atomic_load_explicit(&s->seen_head, memory_order_relaxed)) {
        atomic_store_explicit(&s->seen_head, head, memory_order_relaxed);
        atomic_store_explicit(&s->seen_at, now, memory_order_relaxed);
        return false;
    }
    uint64_t at = atomic_load_explicit(&s->seen_at, memory_order_relaxed);
    return now > at && now - at >= JDI_STORE_LONG_NS;
}

bool jdi_store_pry(struct jdi_store *st, const struct jdi_shelf *mine, uint64_t now)
{
    bool opened = false;
    for (unsigned i = 0; st->pries && i < st->nshelves; i++) {
        struct jdi_shelf *s = jdi_store_shelf(st, i);
        if (s != mine && is_hidden(s) && is_in_a_long_task(s, now))
            opened = jdi_deque_pry(&s->deque, &st->open) || opened; /* I3, by st->open */
    }
    return opened;
}

bool jdi_store_hides(const struct jdi_store *st, const struct jdi_shelf *mine)
{
    bool pries = st->pries && atomic_load_explicit(&st->open, memory_order_relaxed);
    for (unsigned i = 0; pries && i < st->nshelves; i++)
        if (jdi_store_shelf(st, i) != mine && is_hidden(jdi_store_shelf(st, i)))
            return true;
    return false;
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

bool jdi_store_landed(const struct jdi_store *st)
{
    return jdi_deque_open(&jdi_store_shelf(st, st->nshelves - 1)->deque) > 0;
}

void jdi_store_check(struct jdi_store *st)
{
    for (unsigned i = 0; i < st->nshelves; i++)
        jdi_deque_check(&jdi_store_shelf(st, i)->deque);
}
