/*
 * termination_francez_wave_numbers_wrap.c
 *
 * Role: nothing changes when wave numbers pass 2^31 or 2^32 in the middle of a phase.
 * Owner: one thread.
 * See: walk.h (first_wave); doc/termination.md rule R2.
 */
#include "conform/lens.h"
#include "conform/walk.h"
#include "test/kit/tap.h"

enum { WALKS = 20000 };

static void from(uint32_t first)
{
    const struct jdi_walk_config c = {.ops = &jdi_td_francez,
                                      .lens = &jdi_lens_francez,
                                      .audit = true,
                                      .seed = first,
                                      .walks = WALKS,
                                      .max_failed = 1,
                                      .first_wave = first};
    struct jdi_walk_result *r = jdi_walk_run(&c);
    ok(r->end == JDI_WALK_PASSED && r->walks == WALKS, "waves from %u", (unsigned)first);
    if (r->end != JDI_WALK_PASSED)
        jdi_walk_print(stderr, r, "# ");
    jdi_walk_free(r);
}

int main(void)
{
    for (uint32_t back = 1; back <= 3; back++) {
        from(0x80000000u - back);
        from(0u - back);
    }
    return done_testing();
}
