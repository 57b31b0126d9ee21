/*
 * past.h - which walks begin late, and how late.
 *
 * Role: of every eight thousand walks some have seen hundreds of phases, waves or imports, a few as
 *       many as sixteen bits can count; others begin at a number that only the detector's own
 *       hook can reach.
 * Invariants: I1 all of it follows from the seed, and neighbours share a past.
 * See: walk.h, warm.h.
 */
#ifndef JDI_CONFORM_PAST_H
#define JDI_CONFORM_PAST_H

#include "conform/world.h"

/* Of the walk with this seed: 0, or the same number for all that have the same past. */
uint64_t jdi_past_key(uint64_t seed);
/* Fill `past`, and make the world one that can have it. */
void jdi_past_draw(struct jdi_world_config *c, uint64_t key, uint64_t *dice);
/* Of a walk without a past: where the clock begins, and phases and waves if they can. */
void jdi_past_draw_start(struct jdi_world_config *c, uint64_t *dice);

#endif
