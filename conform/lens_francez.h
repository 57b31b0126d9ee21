/*
 * lens_francez.h - what the tests may see of the state of `francez`.
 *
 * Role: waves and balances for the invariants that need all ranks.
 * Owner: the test.
 * Invariants: none.
 * See: world.h, termination/francez.h.
 */
#ifndef JDI_CONFORM_LENS_FRANCEZ_H
#define JDI_CONFORM_LENS_FRANCEZ_H

#include "conform/world.h"

extern const struct jdi_world_lens jdi_lens_francez;

#endif
