/*
 * plain.h - the collections that programs make: the kind behind jd_coll_create.
 *
 * Role: runs, counts and packs their tasks; ends their phases.
 * Invariants: I1 and I2 of account.h.
 * See: sched/kind.h, which has the threads; sched/coll_api.c.
 */
#ifndef JDI_SCHED_PLAIN_H
#define JDI_SCHED_PLAIN_H

#include "sched/coll.h"

extern const struct jdi_kind jdi_plain_kind;
/* The same, and each task is recorded: sched/traces.h. */
extern const struct jdi_kind jdi_plain_traced;

#endif
