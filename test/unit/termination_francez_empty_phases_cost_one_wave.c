/*
 * termination_francez_empty_phases_cost_one_wave.c
 *
 * Role: 100,000 empty phases in a row, each at the cost of 2(n-1) messages.
 * Owner: one thread.
 * See: doc/termination.md section 8.
 */
#include "conform/probe.h"
#include "test/kit/tap.h"

enum { RANKS = 4, PHASES = 100000 };

/* Everybody enters, reports and hears the end; false if anything is not as it should be. */
static bool phase(struct jdi_probe p[RANKS], uint32_t number)
{
    unsigned sent[RANKS];
    for (uint32_t i = 0; i < RANKS; i++) {
        sent[i] = p[i].nsent;
        p[i].ops->enter(p[i].td, number);
    }
    /* The parent of 3 is 1, that of 1 and 2 is 0. */
    jdi_probe_step(&p[3], number);
    jdi_probe_message(&p[1], 3, *jdi_probe_sent(&p[3], sent[3]));
    for (uint32_t i = 1; i < 3; i++) {
        jdi_probe_step(&p[i], number);
        jdi_probe_message(&p[0], i, *jdi_probe_sent(&p[i], sent[i]));
    }
    jdi_probe_step(&p[0], number);
    jdi_probe_message(&p[1], 0, *jdi_probe_sent(&p[0], sent[0]));
    jdi_probe_message(&p[2], 0, *jdi_probe_sent(&p[0], sent[0] + 1));
    jdi_probe_message(&p[3], 1, *jdi_probe_sent(&p[1], sent[1] + 1));
    uint64_t messages = 0;
    for (uint32_t i = 0; i < RANKS; i++) {
        struct jdi_td_figures f;
        p[i].ops->figures(p[i].td, &f);
        messages += f.sent;
        if (p[i].announced != number || p[i].phase != number || f.waves != 1 || f.failed)
            return false;
    }
    return messages == 2 * (RANKS - 1);
}

int main(void)
{
    struct jdi_probe p[RANKS];
    uint32_t done = 0;
    for (uint32_t i = 0; i < RANKS; i++) {
        const struct jdi_td_config c = {.rank = i, .nranks = RANKS, .arity = 2};
        jdi_probe_init(&p[i], &jdi_td_francez, &c);
    }
    while (done < PHASES && phase(p, done + 1))
        done++;
    is_u64(done, PHASES, "phases that ended on all ranks after one wave");
    return done_testing();
}
