/*
 * mutants_rooted.h - wrong detectors, made of diffuse and credit.
 *
 * Role: the faults of answers and of weights.
 * Invariants: I1 of mutants_francez.h.
 * See: mutants_francez.h, borrow.h, trial.h.
 */
#ifndef JDI_CONFORM_MUTANTS_ROOTED_H
#define JDI_CONFORM_MUTANTS_ROOTED_H

#include "termination/detector.h"

extern const struct jdi_td_ops jdi_mutant_diffuse_deficit;
extern const struct jdi_td_ops jdi_mutant_diffuse_anew;
extern const struct jdi_td_ops jdi_mutant_credit_busy;
extern const struct jdi_td_ops jdi_mutant_credit_foreign;
extern const struct jdi_td_ops jdi_mutant_credit_debt;
extern const struct jdi_td_ops jdi_mutant_credit_last_unit;

#endif
