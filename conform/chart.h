/*
 * chart.h - a trace as a message sequence chart in text.
 *
 * Role: what a person reads when a detector has failed.
 * Invariants: I1 a row is one action of the world, in order.
 * See: world.h; doc/jackdaw-tdtest.1.md "A FAILURE".
 */
#ifndef JDI_CONFORM_CHART_H
#define JDI_CONFORM_CHART_H

#include "conform/world.h"

#include <stdio.h>

/* The last rows of the trace, a column for each rank; `number`, if not NULL, says which ranks these
 * are.  Each line begins with `prefix`. */
void jdi_chart_print(FILE *out, const struct jdi_world_trace *t, unsigned ranks,
                     const uint32_t *number, const char *prefix);

#endif
