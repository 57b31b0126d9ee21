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
    for (unsigned k = 0; k < JDI_TABLE_CHUNKS; k++)
        atomic_init(&t->chunk[k], NULL);
}

void jdi_table_fini(struct jdi_table *t)
{
    for (unsigned k = 0; k < JDI_TABLE_CHUNKS; k++)
        jdi_free(atomic_load_explicit(&t->chunk[k], memory_order_relaxed));
}

int jdi_table_grow(struct jdi_table *t, uint32_t place)
{
    unsigned k = jdi_table_chunk(place);
    unsigned char *none = NULL;
    if (k >= JDI_TABLE_CHUNKS)
        return JD_ENOMEM;
    if (atomic_load_explicit(&t->chunk[k], memory_order_relaxed))
        return 0;
    unsigned char *chunk = jdi_zalloc(t->fault, ((size_t)JDI_TABLE_FIRST << k) * t->size);
    if (!chunk)
        return JD_ENOMEM;
    /* [pair: table-chunk] release: the items are zero.  Relaxed: another thread has made the chunk,
     * and whoever looks into that reads it with acquire. */
    if (!atomic_compare_exchange_strong_explicit(
            &t->chunk[k], &none, chunk, memory_order_release, memory_order_relaxed))
        jdi_free(chunk);
    return 0;
}
