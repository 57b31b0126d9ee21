/*
 * termination_mutants_are_killed.c
 *
 * Role: the walks reject every known-wrong detector, and wrong runtimes around the right one,
 *       within a stated number of runs.  So the walks can find faults.
 * Owner: one thread.
 * Invariants: the first argument, if any, is another seed.
 * See: conform/conform.h, conform/trial.h.
 */
#include "conform/conform.h"
#include "test/kit/tap.h"

#include <stdlib.h>

/* More walks, or loads of thousands of ranks, would take minutes under a sanitizer. */
enum { LONG = 100000, LOADS = 474 };

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    struct jd_conform_mutant mutant;
    struct jd_conform_walked walked;
    for (size_t i = 0; jd_conform_mutant_at(i, &mutant); i++) {
        bool is_long = mutant.walks > LONG || mutant.walks == LOADS;
        if (is_long && tap_sanitized())
            continue;
        enum jd_conform_verdict verdict = jd_conform_mutant_walk(i, seed, &walked);
        ok(verdict == JD_CONFORM_WRONG, "%s: killed by run %llu of %llu", mutant.what,
           (unsigned long long)walked.walks, (unsigned long long)mutant.walks);
        diag("%s", walked.text);
    }
    return done_testing();
}
