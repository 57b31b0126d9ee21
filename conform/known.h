/*
 * known.h - the detectors of the project, with what the suite knows about each.
 *
 * Role: bounds, lenses and codecs, so that a name is enough.
 * Invariants: I1 every detector of termination/find.h is in the table; credit1 and credit0, in
 *                which weights underflow at once, too.
 * See: termination/find.h, lens.h, explore.h.
 */
#ifndef JDI_CONFORM_KNOWN_H
#define JDI_CONFORM_KNOWN_H

#include "conform/explore.h"
#include "conform/world.h"

struct jdi_known {
    const struct jdi_td_ops *ops;
    const struct jdi_world_lens *lens;
    unsigned max_failed; /* waves that may fail after quiescence */
    /* Its own codec, if the one that works for all (codec_bytes.h) never comes to an end. */
    const struct jdi_explore_codec *codec;
};

/* NULL if the ops are of somebody else. */
const struct jdi_known *jdi_known_of(const struct jdi_td_ops *ops);
const struct jdi_known *jdi_known_at(size_t i); /* NULL after the last */
const struct jdi_known *jdi_known_find(const char *name);

#endif
