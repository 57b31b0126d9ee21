/*
 * termination_francez_counterexamples_fail.c
 *
 * Role: the shortest runs in which known-wrong detectors announce too early.  In each run the wrong
 *       detector announces too early; `francez` does not, and still finds the end.
 * Owner: one thread.
 * See: counterexample.h, script.h.
 */
#include "conform/counterexample.h"
#include "conform/lens.h"
#include "conform/script.h"
#include "test/kit/tap.h"

#include <stdlib.h>
#include <string.h>

static struct jdi_world *make(const struct jdi_td_ops *ops, bool right)
{
    const struct jdi_world_config c = {.ops = ops,
                                       .lens = &jdi_lens_francez,
                                       .audit = right,
                                       .ranks = 3,
                                       .arity = 2,
                                       .phases = 1,
                                       .sends = 6,
                                       .max_seeds = 1,
                                       .max_failed = right ? 1 : 1000,
                                       .no_stats = !right};
    struct jdi_world *w = aligned_alloc(16, sizeof *w);
    JD_CHECK(w != NULL);
    jdi_world_init(w, &c, NULL);
    return w;
}

int main(void)
{
    for (size_t i = 0; jdi_counterexample_at(i); i++) {
        const struct jdi_counterexample *e = jdi_counterexample_at(i);
        struct jdi_world *w = make(e->wrong, false);
        unsigned skipped = jdi_script_play(w, e->script);
        ok(skipped == 0 && strncmp(w->fault, "O1: rank 0 announces", 20) == 0,
           "%s announces too early (%s)", e->wrong->name, w->fault);
        free(w);
        w = make(&jdi_td_francez, true);
        jdi_script_play(w, e->script);
        ok(!w->fault[0] && w->rank[0].ended == 0, "francez does not, after %s",
           e->wrong->name);
        jdi_script_run_out(w);
        is_str(w->fault, "", "francez ends, after %s", e->wrong->name);
        free(w);
    }
    return done_testing();
}
