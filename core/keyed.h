/*
 * keyed.h - a small hash table of entries that lie in what they name.
 *
 * Role: finds parts by the scope they belong to, on steals only.
 * Owner: one hand.
 * Invariants: I1 an entry is in at most one table, once.
 *             I2 putting cannot fail: when there is no memory for more buckets, chains grow.
 * See: sched/finish/part.h; test/unit/core_keyed_finds_what_was_put.c.
 */
#ifndef JDI_CORE_KEYED_H
#define JDI_CORE_KEYED_H

#include "core/fault.h"

struct jdi_keyed {
    struct jdi_keyed *next;
    uint64_t key[2];
};

enum { JDI_KEYED_FIRST = 16 };

struct jdi_keytable {
    struct jdi_keyed *first[JDI_KEYED_FIRST];
    struct jdi_keyed **bucket; /* first, or a heap block */
    uint32_t mask, n;
    struct jdi_fault *fault;
};

void jdi_keyed_init(struct jdi_keytable *t, struct jdi_fault *f);
/* Frees the buckets; the entries are their owners'. */
void jdi_keyed_fini(struct jdi_keytable *t);
/* No entry has this key yet. */
void jdi_keyed_put(struct jdi_keytable *t, struct jdi_keyed *e);
void jdi_keyed_remove(struct jdi_keytable *t, struct jdi_keyed *e);
/* Assert that n entries are there, each in its bucket. */
void jdi_keyed_check(const struct jdi_keytable *t);
/* Call fn for each entry; it must not put or remove any. */
void jdi_keyed_each(const struct jdi_keytable *t,
                    void (*fn)(void *ctx, const struct jdi_keyed *e), void *ctx);
struct jdi_keyed *jdi_keyed_find(const struct jdi_keytable *t, uint64_t a, uint64_t b);

#endif
