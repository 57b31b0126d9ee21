/*
 * codec_bytes.h - worlds of any detector, by the bytes of its states.
 *
 * Role: pack and unpack for explore.h without knowledge of the detector; a state of a rank,
 *       and the bag, are numbers in a pool.
 * Owner: one thread.
 * Invariants: I1 left out are stat words, the numbers of tasks, and the order of the bag; the
 *                pause must be 0 in the config.
 *             I2 the detector's state is plain bytes: two that are equal behave alike, and a
 *                copy to the same address goes on as the first would.
 *             I3 a search comes to an end if the states do; if waves are numbered, or figures
 *                kept that lens->forget does not take away, only up to max_waves failed waves.
 * See: explore.h, pieces.h.
 */
#ifndef JDI_CONFORM_CODEC_BYTES_H
#define JDI_CONFORM_CODEC_BYTES_H

#include "conform/explore.h"
#include "conform/pieces.h"

struct jdi_codec_bytes {
    struct jdi_explore_codec codec; /* explore hands back a pointer to it */
    struct jdi_pieces ranks, bags;
};

void jdi_codec_bytes_init(struct jdi_codec_bytes *c, unsigned max_waves);
void jdi_codec_bytes_fini(struct jdi_codec_bytes *c);

#endif
