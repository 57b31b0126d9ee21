/*
 * table.h - a table that grows, and whose items never move.
 *
 * Role: gives a place, which is a small number, an address that stays, for readers without a lock.
 * Owner: any thread looks and grows.
 * Invariants: I1 an item's address is constant from the growth that made it to jdi_table_fini.
 *             I2 items are zero at first.
 * Order: [pair: table-chunk] the items of a chunk before whoever finds the chunk.
 * See: sched/names.h, sched/deques.c; test/unit/core_table_items_stay.c.
 *
 * Chunk k has JDI_TABLE_FIRST << k items, so each is as large as all before it, and one first chunk more.
 */
#ifndef JDI_CORE_TABLE_H
#define JDI_CORE_TABLE_H

#include "core/fault.h"

enum { JDI_TABLE_FIRST = 64, JDI_TABLE_CHUNKS = 24 };

/* All chunks but the first.  Most tables never have them, and ranks have many tables. */
struct jdi_table_rest {
    _Atomic(unsigned char *) chunk[JDI_TABLE_CHUNKS - 1];
};

struct jdi_table {
    size_t size; /* bytes of an item; constant, as the next */
    struct jdi_fault *fault;
    _Atomic(unsigned char *) first;
    _Atomic(struct jdi_table_rest *) rest;
};

void jdi_table_init(struct jdi_table *t, size_t size, struct jdi_fault *f);
/* Nobody looks any more. */
void jdi_table_fini(struct jdi_table *t);
/* Make the chunk of that place, unless it is there.  JD_ENOMEM, also beyond the last chunk. */
int jdi_table_grow(struct jdi_table *t, uint32_t place);

/* The chunk of a place. */
static inline unsigned jdi_table_chunk(uint32_t place)
{
    return 31U - (unsigned)__builtin_clz(place / JDI_TABLE_FIRST + 1);
}

/* Chunk k, or NULL. */
static inline unsigned char *jdi_table_chunk_at(const struct jdi_table *t, unsigned k)
{
    /* [pair: table-chunk] acquire, three times: the items are zero, the pointers NULL at first. */
    if (JDI_LIKELY(!k))
        return atomic_load_explicit(&t->first, memory_order_acquire);
    struct jdi_table_rest *rest = atomic_load_explicit(&t->rest, memory_order_acquire);
    return rest ? atomic_load_explicit(&rest->chunk[k - 1], memory_order_acquire) : NULL;
}

/* The item at that place; NULL: its chunk was not made. */
static inline void *jdi_table_at(const struct jdi_table *t, uint32_t place)
{
    unsigned k = jdi_table_chunk(place);
    if (JDI_UNLIKELY(k >= JDI_TABLE_CHUNKS))
        return NULL;
    unsigned char *chunk = jdi_table_chunk_at(t, k);
    uint32_t first = JDI_TABLE_FIRST * ((UINT32_C(1) << k) - 1);
    return chunk ? chunk + (place - first) * t->size : NULL;
}

#endif
