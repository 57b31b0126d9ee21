/*
 * sched_steal_baseline_waits_for_its_victim.c
 *
 * Role: the baseline thief asks only victims with a load above the threshold, one at a time, and
 *       waits for the answer; a victim has one thief at a time.
 * Owner: one thread; time is a number.
 * See: sched/steal/baseline.c.
 */
#include "test/unit/sched_steal_kit.h"

enum { RANKS = 6 };

static void test_thief(void)
{
    struct kit_thief t;
    kit_thief_init(&t, &jdi_steal_baseline, 1, RANKS);
    t.config.threshold = 3;
    ok(kit_look(&t, 3) != JDI_STEAL_NOBODY, "it looks first");
    is_u64(t.s.failed, 1, "a load that is not above the threshold is in vain");
    uint32_t loaded = kit_look(&t, 4);
    is_u64(kit_ask(&t, JDI_STEAL_LOCK), loaded, "one above it is asked");
    t.now += KIT_LONG_NS;
    ok(kit_rests(&t), "then it waits, however long it takes");
    kit_answer(&t, loaded, JDI_STEAL_TASKS);
    is_u64(t.s.count.searches[1], 1, "one victim was asked in that search");
    loaded = kit_look(&t, 9);
    is_u64(kit_ask(&t, JDI_STEAL_LOCK), loaded, "it asks again,");
    kit_answer(&t, loaded, JDI_STEAL_OCCUPIED);
    loaded = kit_look(&t, 9);
    is_u64(kit_ask(&t, JDI_STEAL_LOCK), loaded, "elsewhere if it was turned away,");
    kit_answer(&t, loaded, JDI_STEAL_REFUSED);
    ok(t.s.count.occupied == 1 && t.s.count.failed == 1, "which is no failed steal");
    ok(jdi_steal_baseline.patient(&t.s), "two in vain make it patient");
    jdi_steal_fed(&t.s);
    ok(!jdi_steal_baseline.patient(&t.s), "until it has had work");
    jdi_steal_fini(&t.s);
}

static void test_silent_reads(void)
{
    struct kit_thief t;
    struct jdi_steal_move m;
    kit_thief_init(&t, &jdi_steal_baseline, 1, RANKS);
    ok(kit_move(&t).act == JDI_STEAL_LOOK && kit_rests(&t), "it waits for a load");
    for (int i = 1; i < JDI_STEAL_LOOKS; i++)
        ok(kit_pause(&t, 1000, &m) < KIT_LONG_NS && m.act == JDI_STEAL_LOOK,
           "a while, then it reads another");
    ok(kit_pause(&t, 1000, &m) == KIT_LONG_NS, "until so many are open");
}

static void test_victim(void)
{
    struct kit_thief v;
    kit_thief_init(&v, &jdi_steal_baseline, 0, RANKS);
    ok(kit_asked(&v, 3, JDI_STEAL_LOCK, true) == JDI_STEAL_WAIT,
       "a thief takes the lock");
    ok(kit_asked(&v, 4, JDI_STEAL_LOCK, true) == JDI_STEAL_TURN,
       "others are turned away");
    struct jdi_thief t = jdi_thieves_take(&v.s.thieves);
    ok(t.rank == 3 && !t.told, "the first one waits for its answer");
    ok(kit_asked(&v, 4, JDI_STEAL_LOCK, false) == JDI_STEAL_WAIT,
       "then the lock is free, whatever there is");
    struct jdi_steal_request q = {.manner = JDI_STEAL_LOCK, .early = true};
    ok(v.ops->asked(&v.s, &q, false) == JDI_STEAL_REFUSE, "another phase is refused");
    jdi_steal_fini(&v.s);
}

int main(void)
{
    test_thief();
    test_silent_reads();
    test_victim();
    return done_testing();
}
