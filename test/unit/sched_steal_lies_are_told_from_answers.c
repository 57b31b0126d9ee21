/*
 * sched_steal_lies_are_told_from_answers.c
 *
 * Role: a fault is found in an answer to a request that is not open, and in the request of a thief
 *       that cannot be right.
 * Owner: one thread.
 * See: sched/steal/steal.h, doc/transfer.md "Messages".
 */
#include "test/unit/sched_steal_kit.h"

enum { RANKS = 8 };

static bool is_lie(const struct kit_thief *t, uint32_t victim, uint32_t ahead,
                   enum jdi_steal_answer a)
{
    return jdi_steal_fault_of_answer(&t->s, victim, t->s.phase + ahead, a) != NULL;
}

static void test_now(void)
{
    struct kit_thief t;
    kit_thief_init(&t, &jdi_steal_random, 3, RANKS);
    ok(is_lie(&t, 1, 0, JDI_STEAL_REFUSED), "nobody was asked");
    uint32_t v = kit_ask(&t, JDI_STEAL_NOW);
    ok(!is_lie(&t, v, 0, JDI_STEAL_REFUSED) && !is_lie(&t, v, 0, JDI_STEAL_TASKS),
       "who was asked may refuse or give");
    ok(is_lie(&t, (v + 1) % RANKS, 0, JDI_STEAL_REFUSED), "and nobody else");
    ok(is_lie(&t, v, 1, JDI_STEAL_REFUSED) &&
           is_lie(&t, v, (uint32_t)-1, JDI_STEAL_TASKS),
       "not for another phase");
    ok(is_lie(&t, v, 0, JDI_STEAL_OCCUPIED) && is_lie(&t, v, 0, JDI_STEAL_KEPT) &&
           is_lie(&t, v, 0, JDI_STEAL_CROSSED) && is_lie(&t, v, 0, JDI_STEAL_PROMPT) &&
           is_lie(&t, v, 0, JDI_STEAL_SECOND),
       "nor what answers another manner");
    kit_answer(&t, v, JDI_STEAL_REFUSED);
    ok(is_lie(&t, v, 0, JDI_STEAL_REFUSED), "nor twice");
    jdi_steal_fini(&t.s);
}

static void test_keep(void)
{
    struct kit_thief t;
    kit_thief_init(&t, &jdi_steal_success_only, 3, RANKS);
    uint32_t v = kit_look(&t, 5);
    ok(kit_ask(&t, JDI_STEAL_KEEP) == v && is_lie(&t, v, 0, JDI_STEAL_TASKS),
       "who keeps a thief does not give as to others");
    ok(!is_lie(&t, v, 0, JDI_STEAL_SECOND), "a second answer may overtake the first");
    kit_answer(&t, v, JDI_STEAL_SECOND);
    ok(is_lie(&t, v, 0, JDI_STEAL_SECOND), "but does not come twice");
    kit_answer(&t, v, JDI_STEAL_KEPT);
    ok(is_lie(&t, v, 0, JDI_STEAL_KEPT), "nor does the first");
    jdi_steal_fini(&t.s);
}

static void test_thieves(void)
{
    const struct jdi_steal_ops *const all[] = {&jdi_steal_random, &jdi_steal_baseline,
                                               &jdi_steal_success_only,
                                               &jdi_steal_lifeline};
    for (unsigned i = 0; i < JDI_ARRAY_LEN(all); i++)
        for (unsigned m = JDI_STEAL_NOW; m <= JDI_STEAL_KEEP; m++) {
            struct kit_thief t;
            struct jdi_steal_request q = {.thief = {.rank = 5},
                                          .manner = (enum jdi_steal_manner)m};
            kit_thief_init(&t, all[i], 3, RANKS);
            bool own = all[i]->manners >> m & 1;
            ok(!jdi_steal_fault_of_request(all[i], &t.s, &q) == own,
               "%s: manner %u is %s", all[i]->name, m, own ? "its own" : "another's");
            if (own && kit_asked(&t, 5, q.manner, false) && m != JDI_STEAL_NOW)
                ok(jdi_steal_fault_of_request(all[i], &t.s, &q),
                   "a thief that waits does not ask again");
            q.knows = m != JDI_STEAL_KEEP;
            ok(!q.knows || jdi_steal_fault_of_request(all[i], &t.s, &q),
               "a thief that does not wait knows nothing");
            jdi_steal_fini(&t.s);
        }
}

int main(void)
{
    test_now();
    test_keep();
    test_thieves();
    return done_testing();
}
