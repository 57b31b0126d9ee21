/*
 * core_ult_find_knows_engines.c
 *
 * Role: engines are found by name; an unknown name finds none, no name the default.
 * Owner: main.
 * Invariants: I1 of core/ult/find.c.
 * See: core/ult/ult.h.
 */
#include "test/unit/core_ult_kit.h"

int main(void)
{
    const struct jdi_ult_ops *boost = jdi_ult_find("boost"), *any = jdi_ult_find(NULL);
    ok(boost && !strcmp(boost->name, "boost"), "Boost is always there");
    ok(any && jdi_ult_find(any->name) == any, "the default is an engine that is there");
    ok(!jdi_ult_find("fibers"), "an unknown name finds none");
    ok(!jdi_ult_find(""), "nor does an empty one");
    return done_testing();
}
