/*
 * sched_steal_success_only_contacts_each_victim_once.c
 *
 * Role: a thief registers with each loaded victim once, also with several at a time, and registers
 *       again only after that victim has given; both sides forget at the end of the phase.
 * Owner: one thread; time is a number.
 * See: sched/steal/success_only.c.
 */
#include "test/unit/sched_steal_kit.h"

enum { RANKS = 8 };

/* Register with everybody; the order in which that happened. */
static unsigned contact_all(struct kit_thief *t, uint32_t order[RANKS])
{
    unsigned n = 0;
    while (n < RANKS) {
        uint32_t v = kit_look(t, 5);
        if (v == JDI_STEAL_NOBODY)
            break;
        order[n++] = kit_ask(t, JDI_STEAL_KEEP) == v ? v : JDI_STEAL_NOBODY;
        kit_answer(t, v, JDI_STEAL_KEPT);
    }
    return n;
}

static void test_contacts(void)
{
    struct kit_thief t;
    struct jdi_steal_move m;
    uint32_t order[RANKS], seen[RANKS] = {0};
    kit_thief_init(&t, &jdi_steal_success_only, 3, RANKS);
    is_u64(contact_all(&t, order), RANKS - 1, "it registers with all that have a load");
    bool once = true;
    for (int i = 0; i < RANKS - 1; i++)
        once = once && order[i] < RANKS && order[i] != 3 && !seen[order[i]]++;
    ok(once, "with each of them once");
    ok(kit_pause(&t, 1000, &m) == KIT_LONG_NS, "then there is nobody left to look at");
    ok(t.ops->patient(&t.s), "and the detector may report");
    kit_answer(&t, order[2], JDI_STEAL_SECOND);
    is_u64(t.s.count.searches[5], 1, "the search asked more than four");
    ok(kit_look(&t, 1) == order[2] && kit_ask(&t, JDI_STEAL_KEEP) == order[2],
       "who gave is forgotten, and may be asked again");
    kit_answer(&t, order[2], JDI_STEAL_PROMPT);
    is_u64(t.s.contacted.n, RANKS - 2, "tasks at once count as well");
    jdi_steal_end(&t.s);
    ok(!t.s.contacted.n && t.s.count.unserved == RANKS - 2, "the end forgets the others");
    is_u64(t.s.count.attempts, t.s.count.steals + t.s.count.unserved,
           "every request is accounted for");
    jdi_steal_fini(&t.s);
}

static void test_several(void)
{
    struct kit_thief t;
    struct jdi_steal_move m;
    kit_thief_init(&t, &jdi_steal_success_only, 0, RANKS);
    for (uint32_t i = 0; i < JDI_STEAL_OPEN; i++) {
        uint64_t waited = kit_pause(&t, 1000, &m);
        jdi_steal_load(&t.s, m.victim, 1, true);
        ok(kit_ask(&t, JDI_STEAL_KEEP) == m.victim && (waited > 0) == (i > 0),
           "request %u, after %s", i + 1, i ? "a silence" : "no time");
    }
    ok(kit_pause(&t, 1000, &m) == KIT_LONG_NS, "so many may be open");
    ok(!t.ops->patient(&t.s), "it still hopes");
    jdi_steal_fini(&t.s);
}

static void test_empty_network(void)
{
    struct kit_thief t;
    struct jdi_steal_move m;
    uint64_t looks = 0, from;
    kit_thief_init(&t, &jdi_steal_success_only, 0, RANKS);
    from = t.now;
    while (t.now - from < 10000000 && looks < 1000) {
        kit_pause(&t, 1000, &m);
        jdi_steal_load(&t.s, m.victim, 0, true);
        looks++;
    }
    ok(looks < 200, "where nobody has anything it reads ever more seldom: %d in 10 ms",
       (int)looks);
    ok(t.ops->patient(&t.s), "and is patient");
}

static void test_cycles(void)
{
    struct kit_thief t;
    struct jdi_steal_move m;
    kit_thief_init(&t, &jdi_steal_success_only, 0, 2);
    ok(kit_asked(&t, 1, JDI_STEAL_KEEP, false) == JDI_STEAL_QUEUE, "rank 1 waits here");
    kit_look(&t, 1);
    m = kit_move(&t);
    ok(m.act == JDI_STEAL_ASK && m.knows && t.s.count.cyclic == 1,
       "to register there too is a cycle, and counted");
    jdi_steal_fini(&t.s);

    kit_thief_init(&t, &jdi_steal_success_only, 0, 2);
    t.config.cyclic = false;
    kit_asked(&t, 1, JDI_STEAL_KEEP, false);
    kit_look(&t, 1);
    ok(kit_move(&t).act != JDI_STEAL_ASK, "forbidden, it does not");
    jdi_thieves_take(&t.s.thieves);
    kit_pause(&t, 1000, &m);
    jdi_steal_load(&t.s, 1, 1, true);
    kit_asked(&t, 1, JDI_STEAL_KEEP, false);
    ok(kit_move(&t).act != JDI_STEAL_ASK, "nor if the thief came after the look");
    is_u64(t.s.count.cyclic, 0, "there was no cycle");
    jdi_steal_fini(&t.s);
}

int main(void)
{
    test_contacts();
    test_several();
    test_empty_network();
    test_cycles();
    return done_testing();
}
