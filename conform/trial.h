/*
 * trial.h - what the suite has to reject, and within how many walks.
 *
 * Role: every known-wrong detector, and wrong runtimes around the right one, each with a size
 *       at which it shows and a budget; so a walk that passes means something.
 * Invariants: I1 the budget is ten times the mean number of walks or more; of those without ranks
 *                it is what jackdaw-tdtest walks without being asked.
 *             I2 waves that fail do not count as a fault, but for those that never end.
 * See: mutants_francez.h, walk.h; doc/termination.md section 9 for the numbers.
 */
#ifndef JDI_CONFORM_TRIAL_H
#define JDI_CONFORM_TRIAL_H

#include "conform/walk.h"

struct jdi_trial {
    const struct jdi_td_ops *ops;
    const struct jdi_world_lens *lens; /* of the detector that was spoilt */
    const char *number; /* in the list of doc/termination.md; "" if not there */
    const char *what;
    uint64_t walks; /* or loads in virtual time */
    /* ranks 0: walks as jackdaw-tdtest makes them.  phases 0: loads in virtual time. */
    unsigned ranks, phases, max_failed;
    uint64_t first_wave;
    enum jdi_world_wrong wrong;
};

/* NULL after the last. */
const struct jdi_trial *jdi_trial_at(size_t i);
/* The config of its walks; `seed` is that of the first. */
struct jdi_walk_config jdi_trial_config(const struct jdi_trial *t, uint64_t seed);
/* As jdi_walk_run, if it has ranks. */
struct jdi_walk_result *jdi_trial_run(const struct jdi_trial *t, uint64_t seed);
/* It was rejected, by the oracle or by a check of its own. */
bool jdi_trial_killed(const struct jdi_walk_result *r);

#endif
