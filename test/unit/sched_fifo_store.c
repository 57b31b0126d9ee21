/*
 * sched_fifo_store.c - a store of which the owner gets the oldest task first: for a test.
 *
 * Role: stands in place of store.o.  Each owner has two deques: what is new goes onto `back`, and
 *       when `front` is empty, all of `back` is turned over onto it.  So the head of `front` is
 *       the oldest task, as in a queue that is made of two stacks.
 * Owner: as store.h.
 * Invariants: I1 to I3 of store.h.  I4 the shelf's own deque is a window: one task that `front`
 *                gave, if somebody has looked at it; above it what arrives, until it is complete.
 *                Its room is 0, its stail is not its split, so what is inlined comes here.
 *             I5 all of `front` is older than all of `back`.
 * Order: [pair: deque-split], of the two deques; waking: [pair: idle-wake].
 * See: store.h; sched/store.c.
 */
#include "core/random.h"
#include "sched/rank.h"
#include "sched/store.h"

enum { TAKE_MOST = 64, WINDOW_FIRST = 4 };

struct pair {
    struct jdi_deque front, back;
    uint64_t room; /* slots of the window */
};

static struct pair *pair_of(const struct jdi_shelf *s)
{
    return (struct pair *)s->store->more + s->owner;
}

static void copy(const struct jdi_shelf *s, struct jdi_task *to, const struct jdi_task *t)
{
    jdi_task_copy(to, t, s->store->slot_size);
}

static JD_NORETURN void no_memory(const struct jdi_shelf *s)
{
    jdi_die(&s->store->rank->am->log, JDI_EXIT_MEMORY, "out of memory for tasks");
}

/* ---- making ------------------------------------------------------------------------- */

/* The window: indices are slots, and none is free for whoever does not come here (I4). */
static bool open_window(struct jdi_shelf *s, bool alone)
{
    struct jdi_store *st = s->store;
    struct jdi_deque *d = &s->deque;
    jdi_deque_init(d, st->slot_size, !alone, &st->rank->am->fault);
    d->mask = UINT64_MAX;
    d->slots = jdi_alloc(d->fault, (size_t)WINDOW_FIRST * st->slot_size);
    pair_of(s)->room = d->slots ? WINDOW_FIRST : 0;
    atomic_init(&d->stail, 1);
    return d->slots != NULL;
}

int jdi_store_init(struct jdi_store *st, struct jdi_rank *r, size_t slot_size)
{
    bool alone = r->am->nranks == 1 && r->nworkers == 1, made = true;
    st->rank = r;
    st->slot_size = (uint32_t)slot_size;
    st->more = jdi_zalloc(&r->am->fault, st->nshelves * sizeof(struct pair));
    for (unsigned i = 0; st->more && i < st->nshelves; i++) {
        struct jdi_shelf *s = jdi_store_shelf(st, i);
        s->store = st;
        s->owner = i;
        jdi_deque_init(&pair_of(s)->front, slot_size, !alone, &r->am->fault);
        jdi_deque_init(&pair_of(s)->back, slot_size, !alone, &r->am->fault);
        made = open_window(s, alone) && made;
    }
    return st->more && made ? 0 : JD_ENOMEM;
}

void jdi_store_fini(struct jdi_store *st)
{
    for (unsigned i = 0; st->more && i < st->nshelves; i++) {
        struct jdi_shelf *s = jdi_store_shelf(st, i);
        for (uint64_t k = 0; k < jdi_deque_head(&s->deque); k++)
            if (jdi_deque_slot(&s->deque, k)->flags & JDI_TASK_SPILLED)
                jdi_free(jdi_task_spill(jdi_deque_slot(&s->deque, k)));
        jdi_free(s->deque.slots);
        jdi_deque_fini(&pair_of(s)->front);
        jdi_deque_fini(&pair_of(s)->back);
    }
    jdi_free(st->more);
    st->more = NULL;
}

void jdi_store_open(struct jdi_store *st, bool open)
{
    atomic_store_explicit(&st->open, open, memory_order_relaxed);
}

/* ---- the owner ---------------------------------------------------------------------- */

/* Tasks of both deques that others may have: a guess for all but the owner. */
static uint64_t others_have(const struct pair *p)
{
    return jdi_deque_open(&p->front) + jdi_deque_open(&p->back);
}

static bool stingy(const struct jdi_shelf *s)
{
    const struct pair *p = pair_of(s);
    return s->deque.open && !others_have(p) &&
           (jdi_deque_private(&p->front) || jdi_deque_private(&p->back));
}

void jdi_store_share(struct jdi_shelf *s)
{
    struct pair *p = pair_of(s);
    struct jdi_deque *d = jdi_deque_private(&p->back) ? &p->back : &p->front;
    jdi_deque_release(d, (jdi_deque_private(d) + 1) / 2);
    jdi_rank_wake_one(s->store->rank);
}

struct jdi_task *jdi_store_push(struct jdi_shelf *s)
{
    if (atomic_load_explicit(&s->store->open, memory_order_relaxed) && stingy(s))
        jdi_store_share(s);
    return jdi_deque_push(&pair_of(s)->back);
}

void jdi_store_put(struct jdi_shelf *s)
{
    jdi_deque_pushed(&pair_of(s)->back);
}

void jdi_store_drafted(struct jdi_shelf *s)
{
    jdi_store_put(s); /* nobody pries */
}

/* The oldest task of both deques, or NULL. */
static const struct jdi_task *oldest(struct jdi_shelf *s)
{
    struct pair *p = pair_of(s);
    const struct jdi_task *t = jdi_deque_pop(&p->front);
    if (t)
        return t;
    while ((t = jdi_deque_pop(&p->back))) {
        struct jdi_task *turned = jdi_deque_push(&p->front);
        if (!turned)
            no_memory(s);
        copy(s, turned, t);
        jdi_deque_pushed(&p->front);
    }
    return jdi_deque_pop(&p->front);
}

/* The next slot of the window, taken. */
static struct jdi_task *window_slot(struct jdi_deque *d)
{
    jdi_deque_pushed(d);
    return jdi_deque_slot(d, jdi_deque_head(d) - 1);
}

/* Only called with an empty window.  jdi_store_popped does nothing here, so this opens. */
bool jdi_store_refill(struct jdi_shelf *s)
{
    const struct jdi_task *t = oldest(s);
    if (t)
        copy(s, window_slot(&s->deque), t);
    if (stingy(s))
        jdi_store_share(s);
    return t != NULL;
}

/* What lands goes into the window first, and from there onto `back`. */
int jdi_store_reserve(struct jdi_shelf *s, uint64_t n)
{
    struct jdi_deque *d = &s->deque;
    struct pair *p = pair_of(s);
    uint64_t need = jdi_deque_head(d) + n;
    if (jdi_deque_reserve(&p->back, need))
        return JD_ENOMEM;
    if (need <= p->room)
        return 0;
    unsigned char *larger = jdi_alloc(d->fault, 2 * need * d->slot_size);
    if (!larger)
        return JD_ENOMEM;
    memcpy(larger, d->slots, jdi_deque_head(d) * d->slot_size);
    jdi_free(d->slots);
    d->slots = larger;
    p->room = 2 * need;
    return 0;
}

struct jdi_task *jdi_store_land(struct jdi_shelf *s)
{
    return jdi_store_reserve(s, 1) ? NULL : window_slot(&s->deque);
}

void jdi_store_arrived(struct jdi_shelf *s, uint64_t n)
{
    struct jdi_deque *d = &s->deque, *back = &pair_of(s)->back;
    for (uint64_t k = n; k > 0; k--) {
        copy(s, jdi_deque_push(back), jdi_store_youngest(s, k - 1));
        jdi_deque_pushed(back);
    }
    atomic_fetch_sub_explicit(&d->head, n, memory_order_relaxed);
    if (s->owner == s->store->rank->nworkers) { /* the communication thread runs none */
        jdi_deque_release(back, jdi_deque_private(back));
        jdi_rank_wake_one(s->store->rank);
    } else if (stingy(s) && jdi_store_private(s) > 1) {
        jdi_store_share(s);
    }
}

bool jdi_store_offer(struct jdi_shelf *s)
{
    bool has = stingy(s);
    if (has)
        jdi_store_share(s);
    return has;
}

uint64_t jdi_store_private(const struct jdi_shelf *s)
{
    const struct pair *p = pair_of(s);
    return jdi_deque_head(&s->deque) + jdi_deque_private(&p->front) +
           jdi_deque_private(&p->back);
}

bool jdi_store_has_own(const struct jdi_shelf *s)
{
    return jdi_store_private(s) || others_have(pair_of(s));
}

int jdi_store_each(const struct jdi_shelf *s,
                   int (*fn)(void *ctx, const struct jdi_task *t), void *ctx)
{
    const struct pair *p = pair_of(s);
    uint64_t front = jdi_deque_open(&p->front) + jdi_deque_private(&p->front);
    uint64_t back = jdi_deque_open(&p->back) + jdi_deque_private(&p->back);
    int said = 0;
    for (uint64_t k = 0; k < jdi_deque_head(&s->deque) && !said; k++)
        said = fn(ctx, jdi_deque_slot(&s->deque, k));
    for (uint64_t k = 0; k < front && !said; k++)
        said = fn(ctx, jdi_deque_slot(&p->front, jdi_deque_head(&p->front) - 1 - k));
    for (uint64_t k = back; k > 0 && !said; k--)
        said = fn(ctx, jdi_deque_slot(&p->back, jdi_deque_head(&p->back) - k));
    return said;
}

bool jdi_store_pry(struct jdi_store *st, const struct jdi_shelf *mine, uint64_t now)
{
    (void)st, (void)mine, (void)now;
    return false;
}

bool jdi_store_hides(const struct jdi_store *st, const struct jdi_shelf *mine)
{
    (void)st, (void)mine;
    return false; /* nothing that a pry would open */
}

/* ---- neighbours and other ranks ------------------------------------------------------- */

static bool claim_from(struct pair *p, uint64_t amount, uint64_t most,
                       struct jdi_claim *out)
{
    return jdi_deque_claim(&p->front, amount, most, true, out) ||
           jdi_deque_claim(&p->back, amount, most, true, out);
}

struct jdi_store_take jdi_store_take(struct jdi_shelf *mine, uint64_t *rng,
                                     uint64_t amount)
{
    struct jdi_store *st = mine->store;
    uint32_t start = jdi_random_below(rng, st->nshelves);
    struct jdi_claim c;
    unsigned vain = 0;
    for (unsigned k = 0; k < st->nshelves; k++) {
        struct jdi_shelf *s = jdi_store_shelf(st, (start + k) % st->nshelves);
        vain += s != mine; /* until it is known better */
        if (s == mine || !others_have(pair_of(s)))
            continue;
        if (jdi_store_reserve(mine, TAKE_MOST)) /* first: a claim cannot be given back */
            no_memory(mine);
        if (!claim_from(pair_of(s), amount, TAKE_MOST, &c))
            continue;
        for (uint64_t i = 0; i < c.n; i++)
            copy(mine, jdi_store_land(mine), jdi_claim_slot(&c, i));
        jdi_store_finish(&c);
        return (struct jdi_store_take){c.n, s->owner, others_have(pair_of(s)) > 0,
                                       vain - 1};
    }
    return (struct jdi_store_take){0, 0, false, vain};
}

bool jdi_store_claim(struct jdi_store *st, uint64_t *rng, uint64_t amount, uint64_t most,
                     struct jdi_claim *out)
{
    uint32_t start = jdi_random_below(rng, st->nshelves);
    for (unsigned k = 0; k < st->nshelves; k++)
        if (claim_from(pair_of(jdi_store_shelf(st, (start + k) % st->nshelves)), amount,
                       most, out))
            return true;
    return false;
}

void jdi_store_finish(const struct jdi_claim *c)
{
    jdi_deque_finish(c->deque, c);
}

uint64_t jdi_store_movable(const struct jdi_store *st)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < st->nshelves; i++)
        n += others_have(pair_of(jdi_store_shelf(st, i)));
    return n;
}

bool jdi_store_local(const struct jdi_store *st)
{
    return jdi_store_movable(st) > 0;
}

bool jdi_store_landed(const struct jdi_store *st)
{
    return others_have(pair_of(jdi_store_shelf(st, st->nshelves - 1))) > 0;
}

void jdi_store_check(struct jdi_store *st)
{
    for (unsigned i = 0; i < st->nshelves; i++) {
        struct jdi_shelf *s = jdi_store_shelf(st, i);
        JD_CHECK(jdi_deque_head(&s->deque) <= pair_of(s)->room && s->deque.limit == 0);
        jdi_deque_check(&pair_of(s)->front);
        jdi_deque_check(&pair_of(s)->back);
    }
}
