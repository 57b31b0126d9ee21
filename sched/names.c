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
}

void jdi_names_fini(struct jdi_names *n, void (*fn)(struct jdi_named *o))
{
    for (uint32_t i = 0; i < n->made; i++)
        fn(jdi_names_at(n, i));
    jdi_table_fini(&n->table);
}

/* A free object, or NULL if there is no chunk for the next one.  Under the lock. */
static struct jdi_named *take_free(struct jdi_names *n)
{
    struct jdi_named *o = n->free;
    if (o) {
        n->free = o->next;
        return o;
    }
    o = jdi_names_at(n, n->made);
    if (o)
        o->place = n->made++;
    return o;
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

/* Take one, and as many more as the worker may keep. */
static struct jdi_named *take_batch(struct jdi_names *n, struct jdi_names_kept *kept,
                                    uint32_t *next)
{
    jdi_lock(&n->lock);
    struct jdi_named *o = take_free(n), *more = o;
    for (unsigned i = 1; kept && more && i < BATCH; i++) {
        more = take_free(n);
        if (more)
            keep_free(kept, more);
    }
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
        if (jdi_table_grow(&n->table, next))
            return NULL;
    return o;
}

void jdi_names_give(struct jdi_names *n, struct jdi_names_kept *kept, struct jdi_named *o)
{
    uint32_t generation = atomic_load_explicit(&o->generation, memory_order_relaxed);
    JD_ASSERT(!(generation & 1));
    if (JDI_UNLIKELY(generation == LAST))
        return;
    if (kept && kept->n < 2 * BATCH) {
        keep_free(kept, o);
        return;
    }
    jdi_lock(&n->lock);
    o->next = n->free;
    n->free = o;
    for (unsigned i = 0; kept && i < BATCH; i++) {
        o = take_kept(kept);
        o->next = n->free;
        n->free = o;
    }
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
