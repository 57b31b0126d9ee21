/*
 * find.h - the policies that the library has.
 *
 * Role: from the value of JACKDAW_STEAL to a policy.
 * Owner: constants.
 * See: sched/steal/steal.h; core/knobs.def.
 */
#ifndef JDI_SCHED_STEAL_FIND_H
#define JDI_SCHED_STEAL_FIND_H

#include "sched/steal/steal.h"

/* Of enum jdi_steal_kind. */
const struct jdi_steal_ops *jdi_steal_find(int kind);

#endif
