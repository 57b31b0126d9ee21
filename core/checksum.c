/*
 * checksum.c - 64 bits that tell whether bytes have changed.
 *
 * Role: xxhash's XXH3, inlined from its header, so that programs need no further library.
 * Invariants: I1 of checksum.h.
 * See: checksum.h.
 */
#include "core/checksum.h"

#define XXH_INLINE_ALL
/* It would demand that calls through pointers are inlined, which gcc refuses below -O2. */
#define XXH_NO_INLINE_HINTS 1
#include <xxhash.h>

_Static_assert(sizeof(XXH3_state_t) <= sizeof(struct jdi_checksum) &&
                   _Alignof(XXH3_state_t) <= _Alignof(struct jdi_checksum),
               "the state of the library has room");

void jdi_checksum_init(struct jdi_checksum *s)
{
    XXH3_state_t *state = (XXH3_state_t *)(void *)s->state;
    XXH3_INITSTATE(state);
    (void)XXH3_64bits_reset(state);
}

void jdi_checksum_add(struct jdi_checksum *s, const void *bytes, size_t n)
{
    if (n) /* bytes may be NULL otherwise */
        (void)XXH3_64bits_update((XXH3_state_t *)(void *)s->state, bytes, n);
}

uint64_t jdi_checksum_now(const struct jdi_checksum *s)
{
    return XXH3_64bits_digest((const XXH3_state_t *)(const void *)s->state);
}

uint64_t jdi_checksum_of(const void *bytes, size_t n)
{
    return XXH3_64bits(bytes, n);
}
