/*
 * mutants_late.h - wrong detectors, made of francez, that small and short runs call right.
 *
 * Role: faults of many ranks, late phases, many imports and words that wrap; and what is late or
 *       dear, but says otherwise.  What is wrong with each stands in trial.c.
 * Invariants: I1 of mutants_francez.h.
 * See: spoiled.h, trial.h; test/conform/termination_mutants_are_killed.c.
 */
#ifndef JDI_CONFORM_MUTANTS_LATE_H
#define JDI_CONFORM_MUTANTS_LATE_H

#include "termination/detector.h"

#define JDI_MUTANTS_LATE(MUTANT)                                                         \
    MUTANT(six_ranks)                                                                    \
    MUTANT(nine_ranks)                                                                   \
    MUTANT(thousand_ranks)                                                               \
    MUTANT(more_ranks)                                                                   \
    MUTANT(late_phase)                                                                   \
    MUTANT(word_phase)                                                                   \
    MUTANT(signed_phase)                                                                 \
    MUTANT(word_stamp)                                                                   \
    MUTANT(unsigned_stamp)                                                               \
    MUTANT(many_imports)                                                                 \
    MUTANT(word_count)                                                                   \
    MUTANT(word_sum)                                                                     \
    MUTANT(liar)                                                                         \
    MUTANT(slow)                                                                         \
    MUTANT(narrow_clock)                                                                 \
    MUTANT(afterword)                                                                    \
    MUTANT(teller)

#define JDI_MUTANT_LATE_OPS(name) extern const struct jdi_td_ops jdi_mutant_##name;
JDI_MUTANTS_LATE(JDI_MUTANT_LATE_OPS)
#undef JDI_MUTANT_LATE_OPS

#endif
