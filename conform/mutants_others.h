/*
 * mutants_others.h - wrong detectors, made of the references and of nothing.
 *
 * Role: as mutants_francez.h.
 * Invariants: I1 of mutants_francez.h.
 * See: mutants_francez.h.
 */
#ifndef JDI_CONFORM_MUTANTS_OTHERS_H
#define JDI_CONFORM_MUTANTS_OTHERS_H

#include "termination/detector.h"

extern const struct jdi_td_ops jdi_mutant_safra_no_count;
extern const struct jdi_td_ops jdi_mutant_safra_giver;
extern const struct jdi_td_ops jdi_mutant_safra_own_colour;
extern const struct jdi_td_ops jdi_mutant_safra_white_early;
extern const struct jdi_td_ops jdi_mutant_safra_white_root;
extern const struct jdi_td_ops jdi_mutant_fourcounter_one_wave;
extern const struct jdi_td_ops jdi_mutant_fourcounter_zero_twice;
extern const struct jdi_td_ops jdi_mutant_fourcounter_no_interior;
extern const struct jdi_td_ops jdi_mutant_diffuse_deficit;
extern const struct jdi_td_ops jdi_mutant_diffuse_anew;
extern const struct jdi_td_ops jdi_mutant_credit_busy;
extern const struct jdi_td_ops jdi_mutant_credit_foreign;
extern const struct jdi_td_ops jdi_mutant_credit_debt;
extern const struct jdi_td_ops jdi_mutant_credit_last_unit;
extern const struct jdi_td_ops jdi_mutant_never;
extern const struct jdi_td_ops jdi_mutant_at_once;
extern const struct jdi_td_ops jdi_mutant_alone;

#endif
