/*
 * termination_francez_root_pauses_after_futile_waves.c
 *
 * Role: the root's pause is 0 twice, then doubles up to a limit; news ends it.
 * Owner: one thread.
 * See: doc/termination.md rule R12.
 */
#include "conform/probe.h"
#include "test/kit/tap.h"

/* The root of two ranks, and where time and its child stand. */
struct story {
    struct jdi_probe p;
    uint64_t now;
    uint32_t wave;
};

/* A wave in which the child's sum is `sum`; how long the root pauses after it. */
static uint64_t failed_wave(struct story *t, int64_t sum, bool crossed)
{
    struct jdi_probe *p = &t->p;
    unsigned sent = p->nsent;
    jdi_probe_message(p, 1,
                      (struct jdi_td_msg){.type = JDI_TD_UP,
                                          .phase = 1,
                                          .wave = ++t->wave,
                                          .sum = sum,
                                          .crossed = crossed});
    uint64_t wake = jdi_probe_step(p, t->now);
    if (p->nsent > sent)
        return 0;
    if (jdi_probe_step(p, wake - 1) != wake || p->nsent > sent)
        return UINT64_MAX; /* it did not wait, or forgot until when */
    return wake - t->now;
}

/* NEXT, when its time has come. */
static void go_on(struct story *t, uint64_t pause)
{
    struct jdi_probe *p = &t->p;
    unsigned sent = p->nsent;
    t->now += pause;
    jdi_probe_step(p, t->now);
    if (pause > 0 &&
        (p->nsent != sent + 1 || jdi_probe_sent(p, sent)->type != JDI_TD_NEXT))
        fail("no NEXT after the pause");
}

static void expect_pauses(struct story *t, const uint64_t *want, size_t n,
                          const char *why)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t pause = failed_wave(t, 2, false);
        is_u64(pause, want[i], "%s: pause %u", why, (unsigned)i + 1);
        go_on(t, pause);
    }
}

int main(void)
{
    static const uint64_t pauses[] = {0, 0, 5, 10, 20, 33, 33, 33};
    static const uint64_t again[] = {0, 5, 10};
    const struct jdi_td_config c = {
        .nranks = 2, .arity = 2, .pause_min = 5, .pause_max = 33};
    struct story t = {.now = 0};
    struct jdi_probe *p = &t.p;
    jdi_probe_init(p, &jdi_td_francez, &c);
    p->ops->enter(p->td, 1);
    expect_pauses(&t, pauses, JDI_ARRAY_LEN(pauses), "nothing moves");

    is_u64(failed_wave(&t, 2, true), 0, "a crossing is news");
    expect_pauses(&t, again, JDI_ARRAY_LEN(again), "after a crossing");
    is_u64(failed_wave(&t, 3, false), 0, "another sum is news");
    is_u64(failed_wave(&t, 2, false), 0, "and another");
    expect_pauses(&t, again, JDI_ARRAY_LEN(again), "after another sum");

    unsigned sent = p->nsent;
    is_u64(failed_wave(&t, 2, false), 20, "a longer pause");
    p->ops->imported(p->td, (struct jdi_td_stamp){1, 0});
    jdi_probe_step(p, t.now + 1);
    ok(p->nsent == sent + 1, "an import at the root ends it");
    is_u64(failed_wave(&t, 3, false), 0, "and the count begins again");
    is_u64(p->announced, 0, "no end so far");
    struct jdi_td_figures f;
    p->ops->figures(p->td, &f);
    is_u64(f.failed, f.waves, "all waves have failed");
    is_u64(f.sent, p->nsent, "and each sent one NEXT");
    return done_testing();
}
