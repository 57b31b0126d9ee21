/*
 * termination_francez_import_ends_the_pause.c
 *
 * Role: after waves that could not succeed the root pauses.  A task that comes to the root ends the
 *       pause, so the end of the phase is known without a wait.  A detector that never resets its
 *       back-off waits; this detector is right but late, which no walk calls a fault.
 * Owner: one thread.
 * See: doc/termination.md rule R12 and section 12, number 36; script.h.
 */
#include "conform/mutants_francez.h"
#include "conform/script.h"
#include "test/kit/tap.h"

#include <stdlib.h>

enum { PAUSE_MIN = 5, PAUSE_MAX = 200 };

/* One wave of all three ranks that are idle; the message from 1 to 2 is still under way. */
#define WAVE "step 1; step 2; reports 0; step 0; "
#define NEXT "next 1 0; next 2 0; "

static const char start[] = "enter 0 0; enter 1 1; enter 2 0; send 1 2; idle 1; ";
/* Two waves fail without a pause, the third with one. */
static const char futile[] = WAVE NEXT WAVE NEXT WAVE;
/* 2 gets its task at last and sends one to the root, which finishes it. */
static const char news[] = "task 2 1; send 2 0; idle 2; task 0 2; idle 0; step 0; ";

/* The time that goes by until the phase has ended everywhere. */
static uint64_t play(const struct jdi_td_ops *ops, bool with_news)
{
    const struct jdi_world_config c = {.ops = ops,
                                       .ranks = 3,
                                       .arity = 2,
                                       .phases = 1,
                                       .sends = 4,
                                       .max_seeds = 1,
                                       .max_failed = 9,
                                       .pause_min = PAUSE_MIN,
                                       .pause_max = PAUSE_MAX};
    struct jdi_world *w = aligned_alloc(16, sizeof *w);
    if (!w)
        bail_out("no memory");
    jdi_world_init(w, &c, NULL);
    jdi_script_play(w, start);
    jdi_script_play(w, futile);
    is_u64(jdi_world_enabled(w, JDI_WORLD_TIME, 0), 1, "%s: the root pauses", ops->name);
    jdi_script_play(w, with_news ? news : "task 2 1; idle 2; step 0; ");
    /* As long as there is another way, no time goes by. */
    for (unsigned round = 0; round < 20; round++)
        jdi_script_play(w, NEXT WAVE "term 1 0; term 2 0");
    jdi_script_run_out(w);
    is_str(w->fault, "", "%s: nothing is wrong", ops->name);
    uint64_t now = w->now;
    free(w);
    return now;
}

int main(void)
{
    is_u64(play(&jdi_td_francez, false), PAUSE_MIN,
           "without an import it is a full pause");
    is_u64(play(&jdi_td_francez, true), 0, "an import at the root ends it");
    ok(play(&jdi_mutant_stale_pause, true) >= PAUSE_MIN,
       "36: a back-off that is never reset is caught");
    return done_testing();
}
