/*
 * table.c - a table that grows, and whose items never move.
 *
 * Role: see table.h.
 * Order: [pair: table-chunk].
 * See: table.h.
 */
#include "core/table.h"

void jdi_table_init(struct jdi_table *t, size_t size, struct jdi_fault *f)
{
    t->size = size;
    t->fault = f;
    atomic_init(&t->first, NULL);
    atomic_init(&t->rest, NULL);
}

void jdi_table_fini(struct jdi_table *t)
{
    struct jdi_table_rest *rest = atomic_load_explicit(&t->rest, memory_order_relaxed);
    jdi_free(atomic_load_explicit(&t->first, memory_order_relaxed));
    for (unsigned k = 0; rest && k < JDI_TABLE_CHUNKS - 1; k++)
        jdi_free(atomic_load_explicit(&rest->chunk[k], memory_order_relaxed));
    jdi_free(rest);
}

/* Where the pointer to chunk k is; NULL: no memory for it. */
static _Atomic(unsigned char *) *slot_of(struct jdi_table *t, unsigned k)
{
    if (!k)
        return &t->first;
    /* [pair: table-chunk] acquire: the pointers are NULL at first. */
    struct jdi_table_rest *rest = atomic_load_explicit(&t->rest, memory_order_acquire);
    struct jdi_table_rest *fresh = rest ? NULL : jdi_zalloc(t->fault, sizeof *fresh);
    if (!rest && !fresh)
        return NULL;
    /* [pair: table-chunk] release: the same.  Acquire: another thread was first. */
    if (rest || !atomic_compare_exchange_strong_explicit(
                    &t->rest, &rest, fresh, memory_order_release, memory_order_acquire))
        jdi_free(fresh);
    else
        rest = fresh;
    return &rest->chunk[k - 1];
}

int jdi_table_grow(struct jdi_table *t, uint32_t place)
{
    unsigned k = jdi_table_chunk(place);
    unsigned char *none = NULL;
    _Atomic(unsigned char *) *slot = k < JDI_TABLE_CHUNKS ? slot_of(t, k) : NULL;
    if (!slot)
        return JD_ENOMEM;
    if (atomic_load_explicit(slot, memory_order_relaxed))
        return 0;
    unsigned char *chunk = jdi_zalloc(t->fault, ((size_t)JDI_TABLE_FIRST << k) * t->size);
    if (!chunk)
        return JD_ENOMEM;
    /* [pair: table-chunk] release: the items are zero.  Relaxed: another thread has made the chunk,
     * and whoever looks into that reads it with acquire. */
    if (!atomic_compare_exchange_strong_explicit(slot, &none, chunk, memory_order_release,
                                                 memory_order_relaxed))
        jdi_free(chunk);
    return 0;
}
