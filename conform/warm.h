/*
 * warm.h - worlds that have run for a while.
 *
 * Role: what config.past asks for: phases that have come and gone, task messages by the
 *       ten thousands, and waves that had to fail.  So a walk begins where a counter of eight or
 *       sixteen bits wraps, in a detector of which nothing is known.
 * Owner: as world.h.
 * Invariants: I1 the same config gives the same world, which may be copied away and back.
 *             I2 everything is in a fair order; what is wrong already is in the world's fault.
 * See: world.h, walk.h, failure.h.
 */
#ifndef JDI_CONFORM_WARM_H
#define JDI_CONFORM_WARM_H

#include "conform/world.h"

/* jdi_world_init, and then the past; no trace is kept of it but of a fault. */
void jdi_warm_init(struct jdi_world *w, const struct jdi_world_config *c,
                   struct jdi_world_trace *trace);
bool jdi_warm_is_asked(const struct jdi_world_config *c);

#endif
