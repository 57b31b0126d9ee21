/*
 * termination_mutants_are_killed.c
 *
 * Role: the walks reject every known-wrong detector, and wrong runtimes around the right one,
 *       within a stated number of runs.  So the walks can find faults.
 * Owner: one thread.
 * Invariants: the first argument, if any, is another seed.
 * See: trial.h.
 */
#include "conform/trial.h"
#include "test/kit/tap.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    for (size_t i = 0; jdi_trial_at(i); i++) {
        const struct jdi_trial *t = jdi_trial_at(i);
        struct jdi_walk_result *r = jdi_trial_run(t, seed);
        ok(jdi_trial_killed(r), "%s: killed by run %llu of %llu", t->what,
           (unsigned long long)r->walks, (unsigned long long)t->walks);
        diag("%s", r->text);
        jdi_walk_free(r);
    }
    return done_testing();
}
