/*
 * termination_francez_single_rank_needs_no_messages.c
 *
 * Role: a job of one rank detects its end alone, also with a message to itself.
 * Owner: one thread.
 * See: doc/termination.md rules R1, R2, R4.
 */
#include "conform/probe.h"
#include "test/kit/tap.h"

int main(void)
{
    const struct jdi_td_config c = {.nranks = 1, .arity = 4};
    struct jdi_probe p;
    jdi_probe_init(&p, &jdi_td_francez, &c);
    ok(jdi_probe_step(&p, 0) == JDI_TD_NEVER && p.announced == 0, "nothing before enter");
    p.ops->enter(p.td, 1);
    p.idle = false;
    jdi_probe_step(&p, 0);
    is_u64(p.announced, 0, "nothing while busy");
    struct jdi_td_stamp s = p.ops->exported(p.td);
    p.idle = true;
    jdi_probe_step(&p, 0);
    is_u64(p.announced, 0, "nothing while a message is under way");
    ok(p.ops->imported(p.td, s), "its task is live");
    jdi_probe_step(&p, 0);
    ok(p.announced == 1 && p.phase == 1, "then the end of phase 1");
    p.ops->enter(p.td, 2);
    jdi_probe_step(&p, 0);
    ok(p.announced == 2 && p.phase == 2, "and of an empty phase 2");
    is_u64(p.nsent, 0, "without a message");
    return done_testing();
}
