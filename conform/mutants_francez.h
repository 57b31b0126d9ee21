/*
 * mutants_francez.h - wrong detectors, made of francez.
 *
 * Role: each is the right one behind hooks that lie to it or spoil its state.  What is wrong
 *       with it stands in trial.c.
 * Invariants: I1 a mutant's check does nothing: it has to be caught by what it announces, or
 *                by a check on the detector's own path.
 * See: spoiled.h, trial.h; test/conform/termination_mutants_are_killed.c.
 */
#ifndef JDI_CONFORM_MUTANTS_FRANCEZ_H
#define JDI_CONFORM_MUTANTS_FRANCEZ_H

#include "termination/detector.h"

#define JDI_MUTANTS_FRANCEZ(MUTANT)                                                      \
    MUTANT(no_count)                                                                     \
    MUTANT(giver)                                                                        \
    MUTANT(giver_counted)                                                                \
    MUTANT(no_colour)                                                                    \
    MUTANT(zero_twice)                                                                   \
    MUTANT(clear_at_next)                                                                \
    MUTANT(early_sample)                                                                 \
    MUTANT(latched_idle)                                                                 \
    MUTANT(no_root)                                                                      \
    MUTANT(no_interior)                                                                  \
    MUTANT(old_stamp)                                                                    \
    MUTANT(late_count)                                                                   \
    MUTANT(no_forward)                                                                   \
    MUTANT(need_work)                                                                    \
    MUTANT(no_phase)                                                                     \
    MUTANT(clear_at_enter)                                                               \
    MUTANT(clear_both)                                                                   \
    MUTANT(byte_stamp)                                                                   \
    MUTANT(signed_stamp)                                                                 \
    MUTANT(own_colour)                                                                   \
    MUTANT(two_steps)                                                                    \
    MUTANT(byte_count)                                                                   \
    MUTANT(stale_pause)

#define JDI_MUTANT_OPS(name) extern const struct jdi_td_ops jdi_mutant_##name;
JDI_MUTANTS_FRANCEZ(JDI_MUTANT_OPS)
#undef JDI_MUTANT_OPS

#endif
