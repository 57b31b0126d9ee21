/*
 * mutants.h - known-wrong detectors, made of the right one.
 *
 * Role: each is a right one behind an ops struct that lies to it or spoils its state, so that
 *       the shipped object needs no switches.
 * Owner: the test.
 * Invariants: I1 a mutant's check does nothing: it has to be caught by what it announces, or
 *                by a check on the detector's own path.
 * See: trial.h; termination_mutants_are_killed.c.
 */
#ifndef JDI_CONFORM_MUTANTS_H
#define JDI_CONFORM_MUTANTS_H

#include "core/base.h"
#include "termination/detector.h"

/* Made of francez: MUTANT(name, what is wrong). */
#define JDI_MUTANTS(MUTANT)                                                              \
    MUTANT(no_count, "receiver's colour, but messages are not counted")                  \
    MUTANT(giver, "the giver turns black, messages are not counted")                     \
    MUTANT(giver_counted, "the giver turns black, messages are counted")                 \
    MUTANT(no_colour, "messages are counted, there is no colour")                        \
    MUTANT(zero_twice, "no colour, the sum is 0 in two waves")                           \
    MUTANT(clear_at_next, "the colour is cleared when NEXT comes")                       \
    MUTANT(early_sample, "counters and colour are sampled when NEXT comes")              \
    MUTANT(latched_idle, "the idle test is not at the instant of the report")            \
    MUTANT(no_root, "the root leaves itself out")                                        \
    MUTANT(no_interior, "interior ranks leave themselves out")                           \
    MUTANT(old_stamp, "a task passed on keeps its stamp")                                \
    MUTANT(late_count, "a message is counted after it has left")                         \
    MUTANT(no_forward, "TERM is not forwarded")                                          \
    MUTANT(need_work, "announces only if there was a task")                              \
    MUTANT(no_phase, "task messages carry no phase")                                     \
    MUTANT(clear_at_enter, "the slot is cleared on entry")                               \
    MUTANT(clear_both, "both slots are cleared on entry")                                \
    MUTANT(byte_stamp, "stamps have eight bits and are compared as numbers")             \
    MUTANT(signed_stamp, "stamps are compared as signed numbers")                        \
    MUTANT(own_colour, "a rank forwards its own colour, not that of its children")       \
    MUTANT(two_steps, "the colour is read and cleared in two steps")                     \
    MUTANT(byte_count, "counters have eight bits")                                       \
    MUTANT(stale_pause, "an import at the root does not end its pause")

#define MUTANT_OPS(name, text) extern const struct jdi_td_ops jdi_mutant_##name;
JDI_MUTANTS(MUTANT_OPS)
#undef MUTANT_OPS

/* Made of the references (mutants_others.c), and from nothing. */
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
