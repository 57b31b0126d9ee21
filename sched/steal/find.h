/*
 * find.h - the policies that the library has.
 *
 * Role: turns the value of JACKDAW_STEAL into a policy.
 * Owner: constants.
 * See: sched/steal/steal.h; core/knobs.def.
 */
#ifndef JDI_SCHED_STEAL_FIND_H
#define JDI_SCHED_STEAL_FIND_H

#include "sched/steal/steal.h"

/* `kind` is a value of enum jdi_steal_kind. */
const struct jdi_steal_ops *jdi_steal_find(int kind);

#endif
