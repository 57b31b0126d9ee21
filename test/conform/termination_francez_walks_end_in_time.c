/*
 * termination_francez_walks_end_in_time.c
 *
 * Role: over random walks the detector never announces too early, fails at most one wave
 *       after quiescence, and always comes to an end.
 * Owner: one thread.
 * Invariants: a failure prints the options that repeat it.
 * See: walk.h; doc/termination.md section 9.
 */
#include "conform/lens.h"
#include "conform/walk.h"
#include "test/kit/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t option(int argc, char **argv, const char *name, uint64_t value)
{
    size_t n = strlen(name);
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], name, n) == 0 && argv[i][n] == '=')
            value = strtoull(argv[i] + n + 1, NULL, 10);
    return value;
}

static void campaign(const char *what, const struct jdi_walk_config *c)
{
    struct jdi_walk_result *r = jdi_walk_run(c);
    ok(r->end == JDI_WALK_PASSED && r->walks == c->walks, "%s: %llu walks, %llu actions",
       what, (unsigned long long)r->walks, (unsigned long long)r->actions);
    if (r->end != JDI_WALK_PASSED)
        jdi_walk_print(stderr, r, "# ");
    else
        diag("%s: at most %u failed waves after quiescence", what,
             (unsigned)r->worst_failed);
    jdi_walk_free(r);
}

int main(int argc, char **argv)
{
    struct jdi_walk_config c = {.ops = &jdi_td_francez,
                                .lens = &jdi_lens_francez,
                                .audit = true,
                                .max_failed = 1};
    uint64_t walks = option(argc, argv, "--walks", 300000);
    c.seed = option(argc, argv, "--seed", 1);
    c.ranks = (unsigned)option(argc, argv, "--ranks", 0);
    c.arity = (unsigned)option(argc, argv, "--arity", 0);
    c.phases = (unsigned)option(argc, argv, "--phases", 0);
    c.sends = (unsigned)option(argc, argv, "--sends", 0);
    if (walks == 1) { /* a repetition */
        c.walks = 1;
        campaign("one walk", &c);
        return done_testing();
    }
    c.walks = walks - walks / 3;
    campaign("all sizes", &c);
    /* The size at which the hardest of the wrong detectors are caught best. */
    c.walks = walks / 3;
    c.ranks = c.ranks ? c.ranks : 3;
    c.arity = 2;
    c.phases = 1;
    c.sends = 6;
    campaign("three ranks, one phase, six messages", &c);
    return done_testing();
}
