/*
 * pieces.h - pieces of memory, each kept once and known by a number.
 *
 * Role: lets a state of a world be written as a few numbers (codec_bytes.c).
 * Owner: one thread.
 * Invariants: I1 two pieces have the same number iff they have the same bytes.
 * See: codec_bytes.c.
 */
#ifndef JDI_CONFORM_PIECES_H
#define JDI_CONFORM_PIECES_H

#include "core/base.h"

struct pool {
    uint32_t count, room;
    size_t *start; /* of piece i in bytes; start[count] is the end */
    uint8_t *bytes;
    size_t nbytes;
    uint32_t *table; /* number + 1 */
    uint32_t mask;
};

void pool_init(struct pool *p);
void pool_fini(struct pool *p);
/* The number of these bytes; ends the program if there is no memory. */
uint32_t pool_put(struct pool *p, const void *bytes, size_t len);
/* Valid until the next put. */
const void *pool_get(const struct pool *p, uint32_t number, size_t *len);

#endif
