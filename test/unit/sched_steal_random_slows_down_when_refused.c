/*
 * sched_steal_random_slows_down_when_refused.c
 *
 * Role: refusals cost time, less often than there are ranks; stolen tasks or work of its own make the
 *       thief begin anew.  If a victim does not answer, the thief asks another.
 * Owner: one thread; time is a number.
 * See: sched/steal/random.c.
 */
#include "test/unit/sched_steal_kit.h"

enum { RANKS = 5, STEP_NS = 500, LONG_NS = 10000000 };

static void init(struct kit_thief *t)
{
    kit_thief_init(t, &jdi_steal_random, 2, RANKS);
}

static bool asks(struct kit_thief *t)
{
    return kit_ask(t, JDI_STEAL_NOW) != JDI_STEAL_NOBODY;
}

/* How long until it asks again; LONG_NS if not before. */
static uint64_t pause_of(struct kit_thief *t)
{
    uint64_t from = t->now;
    while (!asks(t) && t->now - from < LONG_NS)
        t->now += STEP_NS;
    return t->now - from;
}

static void refuse(struct kit_thief *t)
{
    kit_answer(t, t->s.asking[0].victim, JDI_STEAL_REFUSED);
}

/* Refused by RANKS victims one after the other. */
static bool refused_by_all(struct kit_thief *t)
{
    bool at_once = true;
    for (int i = 0; i < RANKS; i++) {
        at_once = pause_of(t) == 0 && at_once;
        refuse(t);
    }
    return at_once;
}

static void test_pauses(void)
{
    struct kit_thief t;
    init(&t);
    ok(refused_by_all(&t), "the first refusals cost no time");
    ok(pause_of(&t) > 0, "then there is a pause");
    kit_answer(&t, t.s.asking[0].victim, JDI_STEAL_TASKS);
    ok(refused_by_all(&t), "after tasks it may ask everybody again");
    ok(pause_of(&t) > 0, "and pauses");
    refuse(&t);
    jdi_steal_fed(&t.s);
    ok(refused_by_all(&t), "so it may when its workers had work");
    is_u64(t.s.count.attempts, t.s.count.steals + t.s.count.failed,
           "every question was answered");
    is_u64(t.s.count.steals, 1, "once with tasks");
}

static void test_silence(void)
{
    struct kit_thief t;
    init(&t);
    ok(asks(&t) && !asks(&t), "it waits for an answer");
    uint64_t first = pause_of(&t);
    ok(first > 0 && first < LONG_NS, "a while, then it asks another (%llu ns)",
       (unsigned long long)first);
    is_u64(pause_of(&t), first, "and another");
    is_u64(pause_of(&t), first, "and another");
    is_u64(t.s.open, JDI_STEAL_OPEN, "until so many are open");
    ok(pause_of(&t) == LONG_NS, "then it waits");
    refuse(&t);
    ok(asks(&t), "one answer is room for one question");
}

static void test_patience(void)
{
    struct kit_thief t;
    init(&t);
    ok(!jdi_steal_random.patient(&t.s), "a rank that has not asked is not patient");
    for (int i = 0; i < 2; i++) {
        ok(asks(&t) && !jdi_steal_random.patient(&t.s),
           "nor one that waits for answer %d", i + 1);
        refuse(&t);
    }
    ok(jdi_steal_random.patient(&t.s), "two refusals are enough");
    jdi_steal_fed(&t.s);
    ok(!jdi_steal_random.patient(&t.s), "work makes it begin anew");
}

int main(void)
{
    test_pauses();
    test_silence();
    test_patience();
    return done_testing();
}
