/*
 * sched_steal_victim_keeps_thieves_in_order.c
 *
 * Role: a victim of success-only and lifeline never refuses a thief that wants to be kept.  The
 *       victim gives, or remembers thieves in the order of arrival.  A thief of the next phase
 *       waits until that phase begins; a thief of an old phase is dropped.  Of two requests that
 *       cross only one counts.
 * Owner: one thread.
 * See: sched/steal/steal.c, jdi_steal_keep.
 */
#include "test/unit/sched_steal_kit.h"

enum { RANKS = 16 };

static void test_order(const struct jdi_steal_ops *ops)
{
    struct kit_thief v;
    kit_thief_init(&v, ops, 5, RANKS);
    ok(kit_asked(&v, 9, JDI_STEAL_KEEP, true) == JDI_STEAL_GIVE, "%s: gives", ops->name);
    static const uint32_t thieves[] = {9, 2, 15, 0};
    bool kept = true;
    for (size_t i = 0; i < JDI_ARRAY_LEN(thieves); i++)
        kept =
            kept && kit_asked(&v, thieves[i], JDI_STEAL_KEEP, i == 2) == JDI_STEAL_QUEUE;
    ok(kept, "%s: or remembers, also when there is something but others wait", ops->name);
    bool order = true;
    for (size_t i = 0; i < JDI_ARRAY_LEN(thieves); i++) {
        struct jdi_thief t = jdi_thieves_take(&v.s.thieves);
        order = order && t.rank == thieves[i] && t.told;
    }
    ok(order, "%s: in the order of arrival", ops->name);
    kit_asked(&v, 1, JDI_STEAL_KEEP, false);
    jdi_steal_end(&v.s);
    is_u64(v.s.thieves.n, 0, "%s: and forgets at the end of the phase", ops->name);
    jdi_steal_fini(&v.s);
}

static void test_phases(const struct jdi_steal_ops *ops)
{
    struct kit_thief v;
    kit_thief_init(&v, ops, 5, RANKS);
    kit_asked(&v, 3, JDI_STEAL_KEEP, false);
    struct jdi_steal_request q = {.thief = {.rank = 3}, .manner = JDI_STEAL_KEEP};
    q.early = true;
    ok(ops->asked(&v.s, &q, false) == JDI_STEAL_QUEUE && v.s.thieves.n == 1,
       "%s: the same thief may wait for the next phase", ops->name);
    jdi_steal_end(&v.s);
    q.early = false;
    q.late = true;
    q.thief.rank = 4;
    ok(ops->asked(&v.s, &q, false) == JDI_STEAL_DROP, "%s: a late one is dropped",
       ops->name);
    jdi_steal_begin(&v.s);
    ok(v.s.thieves.n == 1 && jdi_thieves_take(&v.s.thieves).rank == 3 && !v.s.early.n,
       "%s: the early one is there when the phase begins", ops->name);
    jdi_steal_fini(&v.s);
}

/* Both ranks have asked each other before either request arrived. */
static void test_crossing(bool cyclic)
{
    struct kit_thief low, high;
    kit_thief_init(&low, &jdi_steal_success_only, 0, 2);
    kit_thief_init(&high, &jdi_steal_success_only, 1, 2);
    low.config.cyclic = high.config.cyclic = cyclic;
    kit_look(&low, 1);
    kit_look(&high, 1);
    ok(kit_ask(&low, JDI_STEAL_KEEP) == 1 && kit_ask(&high, JDI_STEAL_KEEP) == 0,
       "two ranks ask each other");
    enum jdi_steal_verdict at_low = kit_asked(&low, 1, JDI_STEAL_KEEP, false);
    enum jdi_steal_verdict at_high = kit_asked(&high, 0, JDI_STEAL_KEEP, false);
    ok(at_high == JDI_STEAL_QUEUE, "the lower one is remembered");
    ok(at_low == (cyclic ? JDI_STEAL_QUEUE : JDI_STEAL_VOID), "the higher one is%s",
       cyclic ? " too" : " not, if cycles are forbidden");
    is_u64(low.s.count.cyclic + high.s.count.cyclic, cyclic, "the cycle is counted %s",
           cyclic ? "once" : "never");
    if (!cyclic) {
        kit_answer(&high, 0, JDI_STEAL_CROSSED);
        ok(!high.s.contacted.n && high.s.count.crossed == 1, "and knows it");
    }
    jdi_steal_fini(&low.s);
    jdi_steal_fini(&high.s);
}

static void test_no_memory(void)
{
    struct kit_thief v;
    kit_thief_init(&v, &jdi_steal_success_only, 0, RANKS);
    v.fault.armed[JDI_FAULT_alloc] = 1;
    ok(kit_asked(&v, 1, JDI_STEAL_KEEP, false) == JDI_STEAL_NO_MEMORY,
       "a thief that cannot be remembered is told of");
    ok(!v.s.thieves.n, "and not half remembered");
    jdi_steal_fini(&v.s);
}

int main(void)
{
    test_order(&jdi_steal_success_only);
    test_order(&jdi_steal_lifeline);
    test_phases(&jdi_steal_success_only);
    test_phases(&jdi_steal_lifeline);
    test_crossing(true);
    test_crossing(false);
    test_no_memory();
    return done_testing();
}
