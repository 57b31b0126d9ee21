/*
 * termination_find_knows_detectors.c
 *
 * Role: every detector is found by its own name, and nothing by another; each is complete, and
 *       the knob has the same names in the same order.
 * Owner: one thread.
 * See: termination/find.h.
 */
#include "conform/known.h"
#include "core/knobs.h"
#include "termination/find.h"
#include "test/kit/tap.h"

#include <stdio.h>
#include <string.h>

/* The words of JACKDAW_DETECTOR, as jackdaw-info shows them. */
static const char *words_of_knob(void)
{
    for (size_t i = 0; jdi_knobs_row(i); i++)
        if (strcmp(jdi_knobs_row(i)->name, "JACKDAW_DETECTOR") == 0)
            return jdi_knobs_row(i)->range;
    return "no such knob";
}

int main(void)
{
    char words[128] = "";
    size_t n = 0;
    for (; jdi_td_find_at(n); n++) {
        const struct jdi_td_ops *ops = jdi_td_find_at(n);
        ok(jdi_td_find(ops->name) == ops, "%s is found", ops->name);
        ok(jdi_known_of(ops) != NULL, "%s is known to the kit", ops->name);
        is_u64(ops->version, JDI_TD_VERSION, "%s has the version", ops->name);
        size_t used = strlen(words);
        snprintf(words + used, sizeof words - used, "%s%s", n ? ", " : "", ops->name);
    }
    is_u64(n, 5, "there are five");
    is_str(words_of_knob(), words, "the knob has them in this order");
    is_str(jdi_td_find_at(0)->name, "francez", "the default is the first");
    ok(!jdi_td_find("frances") && !jdi_td_find(""), "others are not found");
    return done_testing();
}
