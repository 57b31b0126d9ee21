/*
 * termination_references_walks_end_in_time.c
 *
 * Role: over random walks a reference detector never announces too early and always ends.  After
 *       quiescence at most as many waves fail as its proof says, and that many do occur.
 * Owner: one thread.
 * Invariants: a failure prints its seed and its last steps.
 * See: walk.h, known.h; doc/termination.md section 10.
 */
#include "conform/known.h"
#include "conform/walk.h"
#include "termination/find.h"
#include "test/kit/tap.h"

#include <stdlib.h>

enum { WALKS = 150000 };

static void campaign(const struct jdi_known *k, uint64_t walks)
{
    const struct jdi_walk_config c = {.ops = k->ops,
                                      .lens = k->lens,
                                      .audit = true,
                                      .seed = 1,
                                      .walks = walks,
                                      .max_failed = k->max_failed};
    struct jdi_walk_result *r = jdi_walk_run(&c);
    ok(r->end == JDI_WALK_PASSED && r->walks == walks, "%s: %llu walks, %llu actions",
       k->ops->name, (unsigned long long)r->walks, (unsigned long long)r->actions);
    if (r->end != JDI_WALK_PASSED)
        jdi_walk_print(stderr, r, "# ");
    is_u64(r->worst_failed, k->max_failed, "%s: the bound of failed waves is reached",
           k->ops->name);
    jdi_walk_free(r);
}

int main(int argc, char **argv)
{
    uint64_t usual = tap_sanitized() ? WALKS / 4 : WALKS;
    uint64_t walks = argc > 1 ? strtoull(argv[1], NULL, 10) : usual;
    for (size_t i = 1; jdi_known_at(i); i++)
        campaign(jdi_known_at(i), walks);
    return done_testing();
}
