/*
 * termination_francez_counterexamples_fail.c
 *
 * Role: the shortest runs in which known-wrong detectors announce too early: the wrong one
 *       does, `francez` does not, and comes to its end all the same.
 * Owner: one thread.
 * Invariants: none.
 * See: mutants.h, script.h; the runs were found with test/models/.
 *
 * Three ranks, 0 is the root, 1 and 2 its children.
 */
#include "test/conform/lens_francez.h"
#include "test/conform/mutants.h"
#include "test/conform/script.h"
#include "test/kit/tap.h"

#include <stdlib.h>
#include <string.h>

#define START "enter 0 1; enter 1 0; enter 2 0; "

struct example {
    const struct jdi_td_ops *wrong;
    const char *script;
};

static const struct example examples[] = {
    /* The message to 1 is under way, and only its receiver would be black. */
    {&mutant_no_count, START "step 2; step 1; send 0 1; idle 0; reports 0; step 0"},
    /* The message to 1 outlives two waves; its giver is white again. */
    {&mutant_giver, START "step 2; step 1; send 0 1; idle 0; reports 0; step 0;"
                          "next 2; step 2; next 1; step 1; reports 0; step 0"},
    /* The same with counts: 1 answers with a message that makes the sum 0. */
    {&mutant_giver_counted, START "step 2; step 1; send 0 1; idle 0; reports 0; step 0;"
                                  "next 2; step 2; next 1; step 1; task 1 0; send 1 0; "
                                  "task 0 1; idle 0; reports 0; step 0"},
    /* A message forward and one backward over the cut cancel out. */
    {&mutant_no_colour, START
     "step 2; step 1; send 0 1; task 1 0; send 1 0; task 0 1; idle 0; reports 0; step 0"},
    /* They do so in two waves in a row. */
    {&mutant_zero_twice,
     START "step 2; step 1; send 0 1; task 1 0; send 1 0; send 1 2; task 0 1; idle 0; "
           "reports 0;"
           "step 0; next 2; step 2; task 2 1; send 2 1; task 1 2; idle 1; next 1; step 1;"
           "reports 0; step 0"},
    /* 2 turns black before NEXT has come, and NEXT makes it white. */
    {&mutant_clear_at_next, START "step 2; step 1; send 0 1; idle 0; reports 0; step 0;"
                                  "next 1; step 1; task 1 0; send 1 2; task 2 1; idle 2; "
                                  "next 2; step 2; reports 0; step 0"},
    /* 1 reports what it had sent when NEXT came. */
    {&mutant_early_sample,
     START "step 2; step 1; send 0 1; task 1 0; idle 0; reports 0; step 0;"
           "next 2; step 2; next 1; send 1 0; idle 1; step 1; reports 0; step 0"},
    /* 1 was idle, then got a task, then reports. */
    {&mutant_latched_idle,
     START "step 2; send 0 1; task 1 0; step 1; idle 0; reports 0; step 0"},
    /* 1 passes a task on with the stamp of the one it got. */
    {&mutant_old_stamp, START
     "step 2; step 1; send 0 1; task 1 0; send 1 0; task 0 1; idle 0; reports 0; step 0"},
    /* 0 is idle before its message is counted. */
    {&mutant_late_count, START "step 2; step 1; send 0 1; idle 0; reports 0; step 0"},
};

static struct world *make(const struct jdi_td_ops *ops, bool right)
{
    const struct world_config c = {.ops = ops,
                                   .lens = &lens_francez,
                                   .audit = right,
                                   .ranks = 3,
                                   .arity = 2,
                                   .phases = 1,
                                   .sends = 6,
                                   .max_seeds = 1,
                                   .max_failed = right ? 1 : 1000,
                                   .no_stats = !right};
    struct world *w = aligned_alloc(16, sizeof *w);
    JD_CHECK(w != NULL);
    world_init(w, &c, NULL);
    return w;
}

/* Whatever is possible, in order, nothing sent: the phase has to end. */
static void run_out(struct world *w)
{
    for (bool any = true; any && !w->fault[0];) {
        any = false;
        for (unsigned k = WORLD_FINISH; k < WORLD_KINDS; k++)
            for (unsigned r = 0; r < w->c.ranks; r++)
                if (k != WORLD_BACK && world_enabled(w, (enum world_kind)k, r) > 0) {
                    world_do(w, (enum world_kind)k, r, 0);
                    any = true;
                }
    }
    world_end(w);
}

int main(void)
{
    for (size_t i = 0; i < JDI_ARRAY_LEN(examples); i++) {
        const struct example *e = &examples[i];
        struct world *w = make(e->wrong, false);
        unsigned skipped = script_play(w, e->script);
        ok(skipped == 0 && strncmp(w->fault, "rank 0 announces", 16) == 0,
           "%s announces too early (%s)", e->wrong->name, w->fault);
        free(w);
        w = make(&jdi_td_francez, true);
        script_play(w, e->script);
        ok(!w->fault[0] && w->rank[0].ended == 0, "francez does not, after %s",
           e->wrong->name);
        run_out(w);
        is_str(w->fault, "", "francez ends, after %s", e->wrong->name);
        free(w);
    }
    return done_testing();
}
