/*
 * names.c - objects of a rank whose names can be copied, sent, guessed and out of date.
 *
 * Role: see names.h.
 * Invariants: those of names.h. I3 a worker keeps 2 BATCH free objects at most.
 * Order: [pair: lock], [pair: names-born].
 * See: names.h.
 */
#include "sched/names.h"

enum { BATCH = 32 };

/* No object lives with a generation behind this one.  So generations never begin again, and the highest bit
 * of a number is 0. */
static const uint32_t LAST = INT32_MAX - 1;

void jdi_names_init(struct jdi_names *n, size_t size, struct jdi_fault *f)
{
    jdi_lock_init(&n->lock);
    n->made = 0;
    n->free = NULL;
    jdi_table_init(&n->table, size, f);
    jdi_table_init(&n->blocks, sizeof(struct jdi_names_block), f);
}

void jdi_names_fini(struct jdi_names *n, void (*fn)(struct jdi_named *o))
{
    for (uint32_t i = 0; i < n->made; i++)
        fn(jdi_names_at(n, i));
    jdi_table_fini(&n->table);
    jdi_table_fini(&n->blocks);
}

static struct jdi_names_block *block_of(const struct jdi_names *n, uint32_t place)
{
    return jdi_table_at(&n->blocks, place / JDI_NAMES_BLOCK);
}

static bool is_full(const struct jdi_names_block *b)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < JDI_NAMES_WORDS; i++)
        any |= b->free[i];
    return !any;
}

/* The first free place of a block that has one.  Under the lock. */
static uint32_t take_place(struct jdi_names *n, struct jdi_names_block *b)
{
    unsigned i = 0;
    while (!b->free[i])
        i++;
    uint32_t bit = (uint32_t)__builtin_ctzll(b->free[i]);
    b->free[i] &= b->free[i] - 1;
    if (is_full(b))
        n->free = b->next;
    return b->first + 64 * i + bit;
}

/* A free object, or NULL if there is no chunk for the next one.  Under the lock. */
static struct jdi_named *take_free(struct jdi_names *n)
{
    if (n->free)
        return jdi_names_at(n, take_place(n, n->free));
    struct jdi_names_block *b = block_of(n, n->made);
    struct jdi_named *o = b ? jdi_names_at(n, n->made) : NULL;
    if (o) {
        b->first = n->made - n->made % JDI_NAMES_BLOCK;
        o->place = n->made++;
    }
    return o;
}

/* Under the lock. */
static void give_free(struct jdi_names *n, struct jdi_named *o)
{
    struct jdi_names_block *b = block_of(n, o->place);
    uint32_t at = o->place % JDI_NAMES_BLOCK;
    if (is_full(b)) {
        b->next = n->free;
        n->free = b;
    }
    b->free[at / 64] |= UINT64_C(1) << at % 64;
}

static void keep_free(struct jdi_names_kept *kept, struct jdi_named *o)
{
    o->next = kept->first;
    kept->first = o;
    kept->n++;
}

static struct jdi_named *take_kept(struct jdi_names_kept *kept)
{
    struct jdi_named *o = kept->first;
    if (!o)
        return NULL;
    kept->first = o->next;
    kept->n--;
    return o;
}

/* Take one, and as many more for the worker, which has none; it takes them in the same order. */
static struct jdi_named *take_batch(struct jdi_names *n, struct jdi_names_kept *kept,
                                    uint32_t *next)
{
    jdi_lock(&n->lock);
    struct jdi_named *o = take_free(n), *more = o;
    struct jdi_named **end = kept ? &kept->first : NULL;
    for (unsigned i = 1; kept && more && i < BATCH; i++) {
        *end = more = take_free(n);
        if (!more)
            break;
        end = &more->next;
        kept->n++;
    }
    if (kept)
        *end = NULL;
    *next = n->made;
    jdi_unlock(&n->lock);
    return o;
}

struct jdi_named *jdi_names_take(struct jdi_names *n, struct jdi_names_kept *kept)
{
    struct jdi_named *o = kept ? take_kept(kept) : NULL;
    uint32_t next;
    if (JDI_LIKELY(o != NULL))
        return o;
    while (!(o = take_batch(n, kept, &next)))
        if (jdi_table_grow(&n->table, next) ||
            jdi_table_grow(&n->blocks, next / JDI_NAMES_BLOCK))
            return NULL;
    return o;
}

static void give_batch(struct jdi_names *n, struct jdi_names_kept *kept)
{
    jdi_lock(&n->lock);
    for (unsigned i = 0; i < BATCH; i++)
        give_free(n, take_kept(kept));
    jdi_unlock(&n->lock);
}

void jdi_names_give(struct jdi_names *n, struct jdi_names_kept *kept, struct jdi_named *o)
{
    uint32_t generation = atomic_load_explicit(&o->generation, memory_order_relaxed);
    JD_ASSERT(!(generation & 1));
    if (JDI_UNLIKELY(generation == LAST))
        return;
    if (kept) {
        keep_free(kept, o);
        if (kept->n > 2 * BATCH)
            give_batch(n, kept);
        return;
    }
    jdi_lock(&n->lock);
    give_free(n, o);
    jdi_unlock(&n->lock);
}

bool jdi_names_lock_at(struct jdi_named *o, uint64_t number)
{
    jdi_lock(&o->lock);
    if (jdi_named_is(o, number))
        return true;
    jdi_unlock(&o->lock);
    return false;
}

struct jdi_named *jdi_names_lock(struct jdi_names *n, uint64_t number)
{
    struct jdi_named *o = jdi_names_at(n, number);
    return o && jdi_names_lock_at(o, number) ? o : NULL;
}
