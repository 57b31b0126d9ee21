/*
 * tables.h - the task tables of the ranks must be one.
 *
 * Role: compares the task tables of the ranks, and finds the first row that differs.
 * Owner: the communication thread, at the start.
 * See: core/registry.h, test/unit/sched_tables_first_difference_is_named.c.
 */
#ifndef JDI_SCHED_LAUNCH_TABLES_H
#define JDI_SCHED_LAUNCH_TABLES_H

#include "am/am.h"
#include "core/registry.h"

/* Collective; polls until all ranks have come.  0, or JD_EMISMATCH with one line in err, which is
 * the same on all ranks, or the error of a reduction. */
int jdi_tables_compare(struct jdi_am *am, const struct jdi_registry *mine, char *err,
                       size_t errlen) JD_MUST_CHECK;

#endif
