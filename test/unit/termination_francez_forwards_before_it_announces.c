/*
 * termination_francez_forwards_before_it_announces.c
 *
 * Role: NEXT and TERM have gone on to the children before anything else happens.
 * Owner: one thread.
 * See: doc/termination.md rules R7, R8 and duty L3.
 */
#include "conform/probe.h"
#include "test/kit/tap.h"

int main(void)
{
    const struct jdi_td_config c = {.rank = 1, .nranks = 7, .arity = 2};
    struct jdi_td_msg m = {.phase = 1, .wave = 1};
    struct jdi_probe p;
    jdi_probe_init(&p, &jdi_td_francez, &c);
    p.ops->enter(p.td, 1);
    for (uint32_t wave = 1; wave <= 2; wave++) {
        m.wave = wave;
        m.type = JDI_TD_UP;
        jdi_probe_message(&p, 3, m);
        jdi_probe_step(&p, 0);
        jdi_probe_message(&p, 4, m);
        jdi_probe_step(&p, 0);
        m.type = wave == 1 ? JDI_TD_NEXT : JDI_TD_TERM;
        jdi_probe_message(&p, 0, m);
    }
    is_u64(p.nsent, 6, "two reports, two NEXT, two TERM");
    ok(jdi_probe_sent(&p, 0)->type == JDI_TD_UP && p.dst[0] == 0, "UP to the parent");
    ok(jdi_probe_sent(&p, 1)->type == JDI_TD_NEXT && p.dst[1] == 3 && p.dst[2] == 4,
       "NEXT to both children");
    ok(jdi_probe_sent(&p, 4)->type == JDI_TD_TERM && p.dst[4] == 3 && p.dst[5] == 4,
       "TERM to both children");
    ok(p.announced == 1 && p.sent_before == 6, "announced after the last of them");
    return done_testing();
}
