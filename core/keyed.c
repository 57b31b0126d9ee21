/*
 * keyed.c - a small hash table of entries that lie in what they name.
 *
 * Role: see keyed.h.
 * Owner: one hand.
 * Invariants: I1 and I2 of keyed.h. I3 the number of buckets is a power of two.
 * Order: none.
 * See: keyed.h.
 */
#include "core/keyed.h"

#include <string.h>

void jdi_keyed_init(struct jdi_keytable *t, struct jdi_fault *f)
{
    memset(t, 0, sizeof *t);
    t->bucket = t->first;
    t->mask = JDI_KEYED_FIRST - 1;
    t->fault = f;
}

void jdi_keyed_fini(struct jdi_keytable *t)
{
    if (t->bucket != t->first)
        jdi_free(t->bucket);
}

static struct jdi_keyed **bucket_of(const struct jdi_keytable *t, uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ b * UINT64_C(0xC2B2AE3D27D4EB4F)) * UINT64_C(0x9E3779B97F4A7C15);
    return &t->bucket[(h >> 32) & t->mask];
}

static void widen_table(struct jdi_keytable *t)
{
    struct jdi_keyed **old = t->bucket;
    uint32_t count = t->mask + 1;
    struct jdi_keyed **wide = jdi_zalloc(t->fault, 4 * (size_t)count * sizeof(void *));
    if (!wide)
        return; /* I2 */
    t->bucket = wide;
    t->mask = 4 * count - 1;
    for (uint32_t i = 0; i < count; i++)
        while (old[i]) {
            struct jdi_keyed *e = old[i];
            struct jdi_keyed **to = bucket_of(t, e->key[0], e->key[1]);
            old[i] = e->next;
            e->next = *to;
            *to = e;
        }
    if (old != t->first)
        jdi_free(old);
    JD_AUDIT(jdi_keyed_check(t));
}

void jdi_keyed_put(struct jdi_keytable *t, struct jdi_keyed *e)
{
    JD_ASSERT(!jdi_keyed_find(t, e->key[0], e->key[1]));
    if (t->n > 2 * t->mask)
        widen_table(t);
    struct jdi_keyed **to = bucket_of(t, e->key[0], e->key[1]);
    e->next = *to;
    *to = e;
    t->n++;
}

void jdi_keyed_remove(struct jdi_keytable *t, struct jdi_keyed *e)
{
    struct jdi_keyed **at = bucket_of(t, e->key[0], e->key[1]);
    while (*at != e) {
        JD_CHECK(*at);
        at = &(*at)->next;
    }
    *at = e->next;
    t->n--;
}

struct jdi_keyed *jdi_keyed_find(const struct jdi_keytable *t, uint64_t a, uint64_t b)
{
    struct jdi_keyed *e = *bucket_of(t, a, b);
    while (e && (e->key[0] != a || e->key[1] != b))
        e = e->next;
    return e;
}

void jdi_keyed_check(const struct jdi_keytable *t)
{
    uint32_t n = 0;
    JD_CHECK((t->mask & (t->mask + 1)) == 0); /* I3 */
    for (uint32_t i = 0; i <= t->mask; i++)
        for (const struct jdi_keyed *e = t->bucket[i]; e; e = e->next) {
            JD_CHECK(bucket_of(t, e->key[0], e->key[1]) == &t->bucket[i]);
            n++;
        }
    JD_CHECK_EQ(n, t->n);
}

void jdi_keyed_each(const struct jdi_keytable *t,
                    void (*fn)(void *ctx, const struct jdi_keyed *e), void *ctx)
{
    for (uint32_t i = 0; i <= t->mask; i++)
        for (const struct jdi_keyed *e = t->bucket[i]; e; e = e->next)
            fn(ctx, e);
}
