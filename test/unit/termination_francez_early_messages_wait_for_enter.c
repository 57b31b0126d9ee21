/*
 * termination_francez_early_messages_wait_for_enter.c
 *
 * Role: messages of the next phase are kept in its slot until the rank enters it.
 * Owner: one thread.
 * See: doc/termination.md section 3 and rules R2, R5, R9.
 */
#include "conform/probe.h"
#include "test/kit/tap.h"

int main(void)
{
    const struct jdi_td_config c = {.rank = 1, .nranks = 4, .arity = 2};
    const struct jdi_td_msg up1 = {.type = JDI_TD_UP, .phase = 1, .wave = 1};
    const struct jdi_td_msg up2 = {.type = JDI_TD_UP, .phase = 2, .wave = 1, .sum = 7};
    const struct jdi_td_msg term = {.type = JDI_TD_TERM, .phase = 1, .wave = 1};
    struct jdi_probe p;
    jdi_probe_init(&p, &jdi_td_francez, &c);
    ok(!p.ops->imported(p.td, (struct jdi_td_stamp){1, 0}),
       "a task before phase 1 is kept");
    jdi_probe_message(&p, 3, up1);
    is_u64(p.nsent, 0, "nothing is sent before enter");
    p.ops->enter(p.td, 1);
    jdi_probe_step(&p, 0);
    ok(p.nsent == 1 && jdi_probe_sent(&p, 0)->sum == -1,
       "the kept task is in the report");
    ok(!p.ops->imported(p.td, (struct jdi_td_stamp){2, 0}),
       "a task of phase 2 is kept in phase 1");
    ok(!p.ops->imported(p.td, (struct jdi_td_stamp){2, 1}), "another one, from wave 1");
    jdi_probe_message(&p, 3, up2);
    p.idle = false; /* as a runtime that counts kept tasks would say */
    jdi_probe_message(&p, 0, term);
    ok(p.announced == 1 && p.phase == 1, "phase 1 ends all the same");
    p.idle = true;
    p.ops->enter(p.td, 2);
    jdi_probe_step(&p, 0);
    const struct jdi_td_msg *m = jdi_probe_sent(&p, p.nsent - 1);
    ok(m->type == JDI_TD_UP && m->phase == 2 && m->wave == 1,
       "report of phase 2, wave 1");
    ok(m->sum == 7 - 2 && m->crossed, "with what had come early");
    return done_testing();
}
