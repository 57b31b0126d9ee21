/*
 * termination_francez_words_are_summed_and_xored.c
 *
 * Role: the words of all ranks are combined on UP and come back on TERM.
 * Owner: one thread.
 * See: doc/termination.md section 4.
 */
#include "conform/probe.h"
#include "test/kit/tap.h"

#include <string.h>

int main(void)
{
    static const uint64_t want[JDI_TD_STATS] = {111, 222, 333, 1 ^ 6 ^ 12};
    struct jdi_probe p[3];
    for (uint32_t i = 0; i < 3; i++) {
        const struct jdi_td_config c = {.rank = i, .nranks = 3, .arity = 2};
        const uint64_t words[3][JDI_TD_STATS] = {
            {1, 2, 3, 1}, {10, 20, 30, 6}, {100, 200, 300, 12}};
        jdi_probe_init(&p[i], &jdi_td_francez, &c);
        memcpy(p[i].stat, words[i], sizeof words[i]);
        p[i].ops->enter(p[i].td, 1);
    }
    for (uint32_t i = 2; i > 0; i--) {
        jdi_probe_step(&p[i], 0);
        is_u64(p[i].nsent, 1, "rank %u reports", (unsigned)i);
        jdi_probe_message(&p[0], i, *jdi_probe_sent(&p[i], 0));
    }
    jdi_probe_step(&p[0], 0);
    ok(memcmp(p[0].result, want, sizeof want) == 0, "the root knows all");
    for (uint32_t i = 1; i < 3; i++) {
        is_u64(p[0].dst[i - 1], i, "TERM goes to rank %u", (unsigned)i);
        jdi_probe_message(&p[i], 0, *jdi_probe_sent(&p[0], i - 1));
        ok(p[i].announced == 1 && memcmp(p[i].result, want, sizeof want) == 0,
           "rank %u knows all", (unsigned)i);
    }
    return done_testing();
}
