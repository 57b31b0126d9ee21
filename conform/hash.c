/*
 * hash.c - eight bytes at a time, multiplied and folded.
 *
 * Role: the length counts, so that a piece and its beginning differ.
 * See: hash.h.
 */
#include "conform/hash.h"

#include <string.h>

uint64_t jdi_hash_of(const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    uint64_t h = 0x9e3779b97f4a7c15u, word;
    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&word, p, 8);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    for (word = n; n > 0; n--)
        word = word << 8 | *p++;
    h = (h ^ word) * 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 29;
}
