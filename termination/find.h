/*
 * find.h - the detectors by name.
 *
 * Role: every detector of this folder, for the knob, for jackdaw-tdtest and for the tests.
 * Owner: nobody; constant tables.
 * Invariants: I1 names are unique; `francez`, the default, is the first.
 *             I2 names and order are those of the knob JACKDAW_DETECTOR.
 * See: termination/detector.h; test/unit/termination_find_knows_detectors.c.
 */
#ifndef JDI_TERMINATION_FIND_H
#define JDI_TERMINATION_FIND_H

#include "termination/detector.h"

extern const struct jdi_td_ops jdi_td_safra;
extern const struct jdi_td_ops jdi_td_fourcounter;
extern const struct jdi_td_ops jdi_td_diffuse;
extern const struct jdi_td_ops jdi_td_credit;

/* NULL if no detector has that name; any thread. */
const struct jdi_td_ops *jdi_td_find(const char *name);
/* The i-th detector, NULL after the last; any thread. */
const struct jdi_td_ops *jdi_td_find_at(size_t i);

#endif
