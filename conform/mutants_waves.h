/*
 * mutants_waves.h - wrong detectors, made of safra and fourcounter.
 *
 * Role: the faults of tokens and of waves without stamps.
 * Invariants: I1 of mutants_francez.h.
 * See: mutants_francez.h, borrow.h, trial.h.
 */
#ifndef JDI_CONFORM_MUTANTS_WAVES_H
#define JDI_CONFORM_MUTANTS_WAVES_H

#include "termination/detector.h"

extern const struct jdi_td_ops jdi_mutant_safra_no_count;
extern const struct jdi_td_ops jdi_mutant_safra_giver;
extern const struct jdi_td_ops jdi_mutant_safra_own_colour;
extern const struct jdi_td_ops jdi_mutant_safra_white_early;
extern const struct jdi_td_ops jdi_mutant_safra_white_root;
extern const struct jdi_td_ops jdi_mutant_fourcounter_one_wave;
extern const struct jdi_td_ops jdi_mutant_fourcounter_zero_twice;
extern const struct jdi_td_ops jdi_mutant_fourcounter_no_interior;

#endif
