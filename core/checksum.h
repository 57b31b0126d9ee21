/*
 * checksum.h - 64 bits that tell whether bytes have changed.
 *
 * Role: XXH3 over bytes that come in pieces.
 * Owner: whoever has the struct.
 * Invariants: I1 the result depends on the bytes alone, on no machine and no build.
 * See: core/checksum.c, the one file that sees xxhash.
 */
#ifndef JDI_CORE_CHECKSUM_H
#define JDI_CORE_CHECKSUM_H

#include "core/base.h"

struct jdi_checksum {
    JDI_ALIGNED unsigned char state[640];
};

void jdi_checksum_init(struct jdi_checksum *s);
void jdi_checksum_add(struct jdi_checksum *s, const void *bytes, size_t n);
/* Of all that was added so far. */
uint64_t jdi_checksum_now(const struct jdi_checksum *s);
/* The same of one piece. */
uint64_t jdi_checksum_of(const void *bytes, size_t n);

#endif
