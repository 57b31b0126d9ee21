/*
 * pieces.c - a growing array of bytes, and a table of hashes with open addressing.
 *
 * Invariants: I2 the table is at most half full.
 * See: pieces.h.
 */
#include "conform/pieces.h"

#include "conform/hash.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64, FIRST_BYTES = 1 << 16 };

void jdi_pieces_init(struct jdi_pieces *p)
{
    memset(p, 0, sizeof *p);
    p->room = FIRST_ROOM;
    p->mask = 2 * FIRST_ROOM - 1;
    p->nbytes = FIRST_BYTES;
    p->start = calloc(p->room + 1, sizeof p->start[0]);
    p->bytes = malloc(p->nbytes);
    p->table = calloc((size_t)p->mask + 1, sizeof p->table[0]);
    JD_CHECK(p->start && p->bytes && p->table);
}

void jdi_pieces_fini(struct jdi_pieces *p)
{
    free(p->start);
    free(p->bytes);
    free(p->table);
}

const void *jdi_pieces_get(const struct jdi_pieces *p, uint32_t number, size_t *len)
{
    JD_CHECK(number < p->count);
    *len = p->start[number + 1] - p->start[number];
    return p->bytes + p->start[number];
}

/* The place in the table of these bytes, or the free one where they belong. */
static uint32_t table_place(const struct jdi_pieces *p, const void *bytes, size_t len)
{
    uint32_t i = (uint32_t)jdi_hash_of(bytes, len) & p->mask;
    for (; p->table[i]; i = (i + 1) & p->mask) {
        size_t has;
        const void *known = jdi_pieces_get(p, p->table[i] - 1, &has);
        if (has == len && memcmp(known, bytes, len) == 0)
            break;
    }
    return i;
}

static void grow_table(struct jdi_pieces *p)
{
    p->room *= 2;
    p->mask = p->mask * 2 + 1;
    p->start = realloc(p->start, (p->room + 1) * sizeof p->start[0]);
    free(p->table);
    p->table = calloc((size_t)p->mask + 1, sizeof p->table[0]);
    JD_CHECK(p->start && p->table);
    for (uint32_t n = 0; n < p->count; n++) {
        size_t len;
        const void *known = jdi_pieces_get(p, n, &len);
        p->table[table_place(p, known, len)] = n + 1;
    }
}

uint32_t jdi_pieces_put(struct jdi_pieces *p, const void *bytes, size_t len)
{
    uint32_t i = table_place(p, bytes, len);
    if (p->table[i])
        return p->table[i] - 1;
    if (p->count == p->room) {
        grow_table(p);
        i = table_place(p, bytes, len);
    }
    size_t at = p->start[p->count];
    while (at + len > p->nbytes) {
        p->bytes = realloc(p->bytes, p->nbytes *= 2);
        JD_CHECK(p->bytes != NULL);
    }
    memcpy(p->bytes + at, bytes, len);
    p->table[i] = ++p->count;
    p->start[p->count] = at + len;
    return p->count - 1;
}
