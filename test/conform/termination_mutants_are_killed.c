/*
 * termination_mutants_are_killed.c
 *
 * Role: the walks reject every known-wrong detector, and two wrong runtimes around the right
 *       one, within a stated number of runs; so a walk that passes means something.
 * Owner: one thread.
 * Invariants: waves that fail do not count here, but for need_work, which never ends; the
 *             first argument, if any, is another seed.
 * See: mutants.h, walk.h.
 */
#include "test/conform/lens_francez.h"
#include "test/conform/mutants.h"
#include "test/conform/walk.h"
#include "test/kit/tap.h"

#include <stdlib.h>

enum { ANY_FAILED = 1000000 };

/* What each needs: a size at which it shows, and a budget of ten times the mean or more. */
struct trial {
    const struct jdi_td_ops *ops;
    const char *what; /* NULL: the mutant's name says it */
    uint64_t walks;
    unsigned ranks, phases, max_failed;
    uint32_t first_wave;
    bool late_live, late_held;
};

static const struct trial trials[] = {
    {&mutant_no_count, NULL, 100, 3, 1, ANY_FAILED, 0, 0, 0},
    {&mutant_giver, NULL, 100, 3, 1, ANY_FAILED, 0, 0, 0},
    {&mutant_giver_counted, NULL, 5000, 3, 1, ANY_FAILED, 0, 0, 0},
    {&mutant_no_colour, NULL, 300, 3, 1, ANY_FAILED, 0, 0, 0},
    {&mutant_zero_twice, NULL, 500000, 3, 1, ANY_FAILED, 0, 0, 0},
    {&mutant_clear_at_next, NULL, 15000, 3, 1, ANY_FAILED, 0, 0, 0},
    {&mutant_early_sample, NULL, 4000, 3, 1, ANY_FAILED, 0, 0, 0},
    {&mutant_latched_idle, NULL, 150, 3, 1, ANY_FAILED, 0, 0, 0},
    {&mutant_no_root, NULL, 50, 3, 1, ANY_FAILED, 0, 0, 0},
    {&mutant_no_interior, NULL, 50, 4, 1, ANY_FAILED, 0, 0, 0},
    {&mutant_old_stamp, NULL, 300, 3, 1, ANY_FAILED, 0, 0, 0},
    {&mutant_late_count, NULL, 50, 3, 1, ANY_FAILED, 0, 0, 0},
    {&mutant_no_forward, NULL, 20, 4, 1, ANY_FAILED, 0, 0, 0},
    {&mutant_need_work, NULL, 100, 3, 1, 1, 0, 0, 0},
    {&mutant_no_phase, NULL, 300, 3, 2, ANY_FAILED, 0, 0, 0},
    {&mutant_clear_at_enter, NULL, 50, 3, 2, ANY_FAILED, 0, 0, 0},
    {&mutant_clear_both, NULL, 50, 3, 2, ANY_FAILED, 0, 0, 0},
    {&mutant_byte_stamp, NULL, 5000, 3, 1, ANY_FAILED, 254, 0, 0},
    {&mutant_signed_stamp, NULL, 5000, 3, 1, ANY_FAILED, 0x7ffffffe, 0, 0},
    {&mutant_own_colour, NULL, 1500, 3, 1, ANY_FAILED, 0, 0, 0},
    {&jdi_td_francez, "an import is live late", 100, 3, 1, ANY_FAILED, 0, 1, 0},
    {&jdi_td_francez, "a kept task is live late", 300, 3, 1, ANY_FAILED, 0, 0, 1},
};

static void run_trial(const struct trial *t, uint64_t seed)
{
    static const char *const how[] = {[WALK_PASSED] = "alive",
                                      [WALK_REJECTED] = "oracle",
                                      [WALK_CHECKED] = "own check",
                                      [WALK_HUNG] = "hung"};
    const struct walk_config c = {.ops = t->ops,
                                  .lens = &lens_francez,
                                  .seed = seed,
                                  .walks = t->walks,
                                  .ranks = t->ranks,
                                  .arity = 2,
                                  .phases = t->phases,
                                  .sends = 6,
                                  .max_failed = t->max_failed,
                                  .first_wave = t->first_wave,
                                  .late_live = t->late_live,
                                  .late_held = t->late_held};
    struct walk_result *r = walk_run(&c);
    ok(r->end == WALK_REJECTED || r->end == WALK_CHECKED,
       "%s: killed by run %llu of %llu", t->what ? t->what : t->ops->name,
       (unsigned long long)r->walks, (unsigned long long)t->walks);
    diag("%s: %s", how[r->end], r->text);
    walk_free(r);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    for (size_t i = 0; i < JDI_ARRAY_LEN(trials); i++)
        run_trial(&trials[i], seed);
    return done_testing();
}
