/*
 * core_fault_parse_is_strict.c
 *
 * Role: which texts jdi_fault_parse takes, and that it changes nothing when it refuses.
 * Owner: one thread.
 * Invariants: outputs are set only on success.
 * See: core/fault.c, core/fault.def.
 */
#include "core/fault.h"
#include "test/kit/tap.h"

#include <string.h>

static void test_good(void)
{
    struct jdi_fault f = {.armed = {1, 1, 1, 1}};
    char err[256];

    ok(!jdi_fault_parse(&f, "", err, sizeof err) && !f.armed[JDI_FAULT_alloc] &&
           !f.armed[JDI_FAULT_send],
       "an empty text disarms every site");
    ok(!jdi_fault_parse(&f, "send:18446744073709551615,alloc:1,stack:007", err,
                        sizeof err),
       "several sites in any order");
    ok(f.armed[JDI_FAULT_send] == UINT64_MAX && f.armed[JDI_FAULT_alloc] == 1 &&
           f.armed[JDI_FAULT_stack] == 7 && f.armed[JDI_FAULT_thread] == 0,
       "each gets its number");
}

int main(void)
{
    static const char *const bad[] = {
        "alloc",
        "alloc:",
        "alloc:0",
        ":3",
        "alloc:1x",
        "alloc:-1",
        "alloc:+1",
        "alloc: 1",
        "alloc:1;",
        "alloc:1,alloc:2",
        "alloc:1,,thread:1",
        ",alloc:1",
        "alloc:1,foo",
        "Alloc:1",
        "allo:1",
        "allocs:1",
        "alloc:0x10",
        "foo:1",
        "alloc=1",
        "alloc:18446744073709551616",
        "alloc:1,",
        "alloc:1:2",
    };

    test_good();
    for (size_t i = 0; i < JDI_ARRAY_LEN(bad); i++) {
        struct jdi_fault f = {.armed = {5, 6}};
        char err[256] = "";
        int e = jdi_fault_parse(&f, bad[i], err, sizeof err);
        ok(e == JD_EINVAL && strstr(err, "allowed: SITE:N") &&
               strstr(err, "alloc, thread") && f.armed[0] == 5 && f.armed[1] == 6,
           "'%s' is refused: %s", bad[i], err);
    }
    return done_testing();
}
