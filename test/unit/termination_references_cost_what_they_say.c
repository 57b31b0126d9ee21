/*
 * termination_references_cost_what_they_say.c
 *
 * Role: exact numbers of control messages and waves of each detector, for a phase without
 *       tasks and for one with a single task message.
 * Owner: one thread.
 * See: doc/termination.md section 10.
 */
#include "conform/known.h"
#include "conform/script.h"
#include "termination/find.h"
#include "test/kit/tap.h"

#include <stdlib.h>

enum { RANKS = 7 };

struct cost {
    uint64_t messages, waves, failed;
};

static struct cost cost_of(const struct jdi_known *k, const char *script)
{
    const struct jdi_world_config c = {.ops = k->ops,
                                       .lens = k->lens,
                                       .audit = true,
                                       .ranks = RANKS,
                                       .arity = 2,
                                       .phases = 1,
                                       .sends = 1,
                                       .max_seeds = 1,
                                       .max_failed = k->max_failed};
    struct cost cost = {0, 0, 0};
    struct jdi_world *w = aligned_alloc(16, sizeof *w);
    JD_CHECK(w != NULL);
    jdi_world_init(w, &c, NULL);
    is_u64(jdi_script_play(w, script), 0, "%s: \"%s\" is possible", k->ops->name, script);
    jdi_script_run_out(w);
    is_str(w->fault, "", "%s ends", k->ops->name);
    for (unsigned i = 0; i < RANKS; i++) {
        struct jdi_td_figures f;
        k->ops->figures(w->td[i], &f);
        cost.messages += f.sent;
        if (i == 0) {
            cost.waves = f.waves;
            cost.failed = f.failed;
        }
    }
    free(w);
    return cost;
}

static void costs(const char *name, const char *script, uint64_t messages, uint64_t waves,
                  uint64_t failed)
{
    const struct cost cost = cost_of(jdi_known_of(jdi_td_find(name)), script);
    is_u64(cost.messages, messages, "%s: %u control messages", name, (unsigned)messages);
    is_u64(cost.waves, waves, "%s: waves", name);
    is_u64(cost.failed, failed, "%s: failed waves", name);
}

int main(void)
{
    /* Everybody finds the phase quiescent. */
    costs("francez", "", 2 * (RANKS - 1), 1, 0);
    costs("fourcounter", "", 4 * (RANKS - 1), 2, 1);
    costs("safra", "", RANKS + RANKS - 1, 1, 0);
    costs("diffuse", "", 2 * (RANKS - 1), 1, 0);
    /* One task message is under way, and found and answered before anybody reports. */
    const char *one = "enter 0 1; enter 1 0; send 0 1; task 1 0";
    costs("francez", one, 2 * (RANKS - 1), 1, 0);
    costs("fourcounter", one, 4 * (RANKS - 1), 2, 1);
    costs("safra", one, 2 * RANKS + RANKS - 1, 2, 1);
    costs("diffuse", one, 1 + 2 * (RANKS - 1), 1, 0);
    return done_testing();
}
