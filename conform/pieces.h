/*
 * pieces.h - pieces of memory, each kept once and known by a number.
 *
 * Role: lets a state of a world be written as a few numbers.
 * Invariants: I1 two pieces have the same number iff they have the same bytes.
 * See: codec_bytes.c.
 */
#ifndef JDI_CONFORM_PIECES_H
#define JDI_CONFORM_PIECES_H

#include "core/base.h"

struct jdi_pieces {
    uint32_t count, room;
    size_t *start; /* of piece i in bytes; start[count] is the end */
    uint8_t *bytes;
    size_t nbytes;
    uint32_t *table; /* number + 1 */
    uint32_t mask;
};

void jdi_pieces_init(struct jdi_pieces *p);
void jdi_pieces_fini(struct jdi_pieces *p);
/* The number of these bytes; ends the program if there is no memory. */
uint32_t jdi_pieces_put(struct jdi_pieces *p, const void *bytes, size_t len);
/* Valid until the next put. */
const void *jdi_pieces_get(const struct jdi_pieces *p, uint32_t number, size_t *len);

#endif
