/*
 * lens.h - the lenses of the project's detectors.
 *
 * Role: waves and balances, for the invariants that need all ranks; forget, so that a search
 *       of their states comes to an end.
 * See: struct jdi_world_lens in world.h; known.h.
 */
#ifndef JDI_CONFORM_LENS_H
#define JDI_CONFORM_LENS_H

#include "conform/world.h"

extern const struct jdi_world_lens jdi_lens_francez;
extern const struct jdi_world_lens jdi_lens_safra;
extern const struct jdi_world_lens jdi_lens_fourcounter;
extern const struct jdi_world_lens jdi_lens_diffuse;
extern const struct jdi_world_lens jdi_lens_credit;

#endif
