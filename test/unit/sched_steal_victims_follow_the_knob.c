/*
 * sched_steal_victims_follow_the_knob.c
 *
 * Role: JACKDAW_VICTIM=last goes back to the victim that gave, as long as it gives; near tries the
 *       ranks of the host before the others; neither ever chooses the thief's own rank.
 * Owner: one thread; the seed is fixed.
 * See: sched/steal/steal.c, jdi_steal_choose.
 */
#include "test/unit/sched_steal_kit.h"

enum { RANKS = 40, ROUNDS = 400 };

static uint32_t refused(struct kit_thief *t)
{
    uint32_t v = kit_ask(t, JDI_STEAL_NOW);
    kit_answer(t, v, JDI_STEAL_REFUSED);
    t->now += KIT_LONG_NS;
    return v;
}

static void test_last(void)
{
    struct kit_thief t;
    unsigned back = 0, self = 0;
    kit_thief_init(&t, &jdi_steal_random, 7, RANKS);
    t.config.victim = JDI_VICTIM_LAST;
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t v = kit_ask(&t, JDI_STEAL_NOW);
        kit_answer(&t, v, JDI_STEAL_TASKS);
        jdi_steal_fed(&t.s);
        back += refused(&t) == v;
        self += v == 7 || refused(&t) == 7;
        jdi_steal_fed(&t.s);
    }
    is_u64(back, ROUNDS, "last: who gave is asked first");
    is_u64(self, 0, "last: never the rank itself");
    uint32_t first = kit_ask(&t, JDI_STEAL_NOW);
    kit_answer(&t, first, JDI_STEAL_REFUSED);
    unsigned others = 0;
    for (int i = 0; i < ROUNDS; i++)
        others += refused(&t) != first;
    ok(others > ROUNDS * 3 / 4, "last: once it refuses, anybody");
}

static void test_near(void)
{
    static const uint32_t peers[KIT_PEERS] = {8, 9, 10, 11};
    for (uint32_t me = 8; me < 12; me++) {
        struct kit_thief t;
        unsigned near = 0, far = 0, self = 0, seen[KIT_PEERS] = {0};
        kit_thief_init(&t, &jdi_steal_random, me, RANKS);
        t.config.victim = JDI_VICTIM_NEAR;
        t.config.peers = peers;
        t.config.npeers = KIT_PEERS;
        for (int i = 0; i < ROUNDS; i++) {
            uint32_t v = refused(&t);
            near += v >= 8 && v < 12;
            self += v == me;
            seen[v % KIT_PEERS] += v >= 8 && v < 12;
            jdi_steal_fed(&t.s);
        }
        is_u64(near, ROUNDS, "near: ranks of the host first");
        is_u64(self + seen[me % KIT_PEERS], 0, "near: never the rank itself");
        bool all = true;
        for (uint32_t i = 0; i < KIT_PEERS; i++)
            all = all && (8 + i == me || seen[i] > ROUNDS / 8);
        ok(all, "near: each of them");
        for (int i = 0; i < ROUNDS; i++) {
            uint32_t v = refused(&t);
            far += v < 8 || v >= 12;
        }
        ok(far > ROUNDS * 3 / 4, "near: then others");
    }
}

int main(void)
{
    test_last();
    test_near();
    return done_testing();
}
