/*
 * credit_td.h - `credit` as a detector of collections, with exponents of a test's choice.
 *
 * Role: what tests of the step on underflow need.
 * Owner: as detector.h: the communication thread.
 * Invariants: those at the top of termination/credit_td.c.
 * See: termination/credit_td.c.
 */
#ifndef JDI_TERMINATION_CREDIT_TD_H
#define JDI_TERMINATION_CREDIT_TD_H

#include "termination/rooted_td.h"

/* As the operation init; with a small max_exponent the step on underflow is common. */
void jdi_credit_td_init(struct jdi_rooted_td *f, const struct jdi_td_config *c,
                        const struct jdi_td_env *env, uint8_t max_exponent);

#endif
