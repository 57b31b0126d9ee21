/*
 * codec_francez.h - worlds of `francez` in some ten bytes per rank.
 *
 * Role: pack and unpack for explore.h, for a detector that numbers its waves and so has no end
 *       of states by their bytes.
 * Invariants: I1 left out are only figures, stat words, the numbers of tasks, and the pause,
 *                which must be 0 in the config.
 *             I2 wave numbers and stamps are kept relative to each other, because the detector
 *                uses differences only; sent and recv as their difference.
 * See: explore.h, termination/francez.h.
 */
#ifndef JDI_CONFORM_CODEC_FRANCEZ_H
#define JDI_CONFORM_CODEC_FRANCEZ_H

#include "conform/explore.h"

extern const struct jdi_explore_codec jdi_codec_francez;

#endif
