/*
 * mutants_lone.h - wrong detectors that ask nobody.
 *
 * Role: the faults that each layer must see at once.
 * Invariants: I1 of mutants_francez.h.
 * See: mutants_francez.h, trial.h.
 */
#ifndef JDI_CONFORM_MUTANTS_LONE_H
#define JDI_CONFORM_MUTANTS_LONE_H

#include "termination/detector.h"

extern const struct jdi_td_ops jdi_mutant_never;
extern const struct jdi_td_ops jdi_mutant_at_once;
extern const struct jdi_td_ops jdi_mutant_alone;

#endif
