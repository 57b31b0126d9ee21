/*
 * termination_find_knows_detectors.c
 *
 * Role: every detector is found by its own name, and nothing by another; each is complete.
 * Owner: one thread.
 * Invariants: none.
 * See: termination/find.h.
 */
#include "termination/find.h"
#include "test/conform/known.h"
#include "test/kit/tap.h"

int main(void)
{
    size_t n = 0;
    for (; jdi_td_at(n); n++) {
        const struct jdi_td_ops *ops = jdi_td_at(n);
        ok(jdi_td_find(ops->name) == ops, "%s is found", ops->name);
        ok(known_of(ops) != NULL, "%s is known to the kit", ops->name);
        is_u64(ops->version, JDI_TD_VERSION, "%s has the version", ops->name);
    }
    is_u64(n, 5, "there are five");
    is_str(jdi_td_at(0)->name, "francez", "the default is the first");
    ok(!jdi_td_find("frances") && !jdi_td_find(""), "others are not found");
    return done_testing();
}
