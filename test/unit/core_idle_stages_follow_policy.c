/*
 * core_idle_stages_follow_policy.c
 *
 * Role: which stage a wait is in, by its age; a round opens itself and can be closed.
 * Owner: one thread.
 * Invariants: stages never go back within a round.
 * See: core/idle.c.
 */
#include "core/idle.h"
#include "core/time.h"
#include "test/kit/tap.h"

int main(void)
{
    const struct jdi_idle_policy p = {.spin_ns = 20, .yield_ns = 100, .sleep_ns = 150};
    const struct jdi_idle_policy lazy = {.sleep_ns = 150};
    const struct jdi_idle_policy polite = {.spin_ns = 20, .yield_ns = UINT64_MAX};
    const struct jdi_idle_policy eager = {.spin_ns = UINT64_MAX, .yield_ns = UINT64_MAX};
    struct jdi_idle_round r = {0}, first = {0}, other = {0};
    uint64_t before = jdi_time_ns(), after;

    ok(jdi_idle_stage(&r, &p, 1000) == JDI_IDLE_SPIN && r.since == 1000,
       "the first look opens the round and spins");
    ok(jdi_idle_stage(&r, &p, 1019) == JDI_IDLE_SPIN, "spin lasts spin_ns");
    ok(jdi_idle_stage(&r, &p, 1020) == JDI_IDLE_YIELD, "then comes yield");
    ok(jdi_idle_stage(&r, &p, 1119) == JDI_IDLE_YIELD, "for yield_ns");
    ok(jdi_idle_stage(&r, &p, 1120) == JDI_IDLE_SLEEP, "then sleep");
    ok(jdi_idle_stage(&r, &p, 1u << 30) == JDI_IDLE_SLEEP, "for as long as it takes");
    r.since = 0;
    ok(jdi_idle_stage(&r, &p, 2000) == JDI_IDLE_SPIN, "a closed round begins again");
    ok(jdi_idle_stage(&r, &p, 1990) == JDI_IDLE_SPIN, "a clock that lags does no harm");
    ok(jdi_idle_stage(&first, &p, 0) == JDI_IDLE_SPIN && first.since != 0,
       "time zero opens a round too");
    ok(jdi_idle_stage(&other, &lazy, 5) == JDI_IDLE_SLEEP, "stages may be empty");
    ok(jdi_idle_stage(&other, &eager, UINT64_MAX) == JDI_IDLE_SPIN, "or endless");
    ok(jdi_idle_stage(&other, &polite, UINT64_MAX) == JDI_IDLE_YIELD, "any of them");
    for (int stage = JDI_IDLE_SPIN; stage <= JDI_IDLE_SLEEP; stage++)
        jdi_idle_pause((enum jdi_idle_stage)stage);
    after = jdi_time_ns();
    ok(after >= before, "pauses return and the clock does not go back");
    return done_testing();
}
