/*
 * explain.h - the largest loss of a job, in words.
 *
 * Role: a pure function from figures to one paragraph: what cost most time, and what to change.
 * Owner: nobody; holds no state.
 * Invariants: I1 the loss that is named is the largest of those that a rule knows.
 *             I2 below JDI_EXPLAIN_LEAST percent of the time nothing is named.
 * See: doc/jackdaw-stats.7.md "THE EXPLANATION"; test/unit/core_explain_*.
 */
#ifndef JDI_CORE_EXPLAIN_H
#define JDI_CORE_EXPLAIN_H

#include "core/figures.h"

enum { JDI_EXPLAIN_LEAST = 5, JDI_EXPLAIN_TEXT = 1024 };

/* Write the paragraph, without a newline at its end. */
void jdi_explain(const struct jdi_figures *f, char text[JDI_EXPLAIN_TEXT]);

#endif
