/*
 * core_checksum_depends_on_the_bytes_alone.c - checksums of whole and divided bytes.
 *
 * Role: the known value of a text; each way to divide bytes gives the same; each bit counts.
 * Owner: one thread.
 * Invariants: none of its own.
 * See: core/checksum.h; version 0.8.1 of the library has given the two values.
 */
#include "core/checksum.h"
#include "test/kit/tap.h"

#include <string.h>

enum { BYTES = 3000 };

static uint64_t in_pieces(const unsigned char *bytes, size_t n, size_t piece)
{
    struct jdi_checksum s;
    jdi_checksum_init(&s);
    for (size_t at = 0; at < n; at += piece)
        jdi_checksum_add(&s, bytes + at, n - at < piece ? n - at : piece);
    return jdi_checksum_now(&s);
}

int main(void)
{
    unsigned char bytes[BYTES];
    unsigned same = 0, changed = 0;
    for (unsigned i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)(i * i);
    is_u64(jdi_checksum_of(NULL, 0), UINT64_C(0x2D06800538D394C2), "of nothing");
    is_u64(jdi_checksum_of("jackdaw", 7), UINT64_C(0xAB1A2DA564098A9F), "of a word");
    uint64_t whole = jdi_checksum_of(bytes, BYTES);
    for (size_t piece = 1; piece < BYTES; piece += 37)
        same += in_pieces(bytes, BYTES, piece) == whole;
    is_u64(same, (BYTES - 2) / 37 + 1, "divided bytes have the same checksum");
    for (unsigned bit = 0; bit < 8 * BYTES; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1U << bit % 8);
        changed += jdi_checksum_of(bytes, BYTES) != whole;
        bytes[bit / 8] ^= (unsigned char)(1U << bit % 8);
    }
    is_u64(changed, 8 * BYTES, "each bit changes it");
    return done_testing();
}
