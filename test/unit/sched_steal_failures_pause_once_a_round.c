/*
 * sched_steal_failures_pause_once_a_round.c
 *
 * Role: as many failures as there are ranks, 64 at most, cost one pause; each pause is twice the one
 *       before, up to a limit.  Then rounds with messages in them become shorter; rounds of loads
 *       that lie in memory do not.
 * Owner: one thread; time is a number.
 * See: sched/steal/steal.c; doc/transfer.md "Pauses".
 */
#include "test/unit/sched_steal_kit.h"

enum { LONGEST_NS = 150000, ROUNDS = 20 };

struct player {
    const struct jdi_steal_ops *ops;
    bool message; /* looks are messages */
};

/* One move that finds nothing; false if there is none to be made. */
static bool fails_once(struct kit_thief *t, bool message)
{
    struct jdi_steal_move m = kit_move(t);
    if (m.act == JDI_STEAL_LOOK)
        jdi_steal_load(&t->s, m.victim, 0, message);
    else if (m.act == JDI_STEAL_ASK)
        kit_answer(t, m.victim, JDI_STEAL_REFUSED);
    return m.act != JDI_STEAL_NOTHING;
}

static void test_rounds(struct player p, uint32_t nranks)
{
    struct kit_thief t;
    uint32_t whole = nranks < 64 ? nranks : 64, want = whole;
    uint64_t pause = 2000, last = 0;
    bool counts = true, doubles = true;
    kit_thief_init(&t, p.ops, 1, nranks);
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t n = 0;
        while (n <= whole && fails_once(&t, p.message))
            n++;
        counts = counts && n == want;
        doubles = doubles && t.s.next_at - t.now == pause;
        t.now = t.s.next_at;
        if (last == LONGEST_NS && p.message && want > 1)
            want /= 2;
        last = pause;
        pause = pause < LONGEST_NS / 2 ? 2 * pause : LONGEST_NS;
    }
    ok(counts, "%s, %u ranks, %s: rounds of %u, in the end of %u", p.ops->name, nranks,
       p.message ? "messages" : "memory", whole, want);
    ok(doubles, "each pause is twice the one before, up to the longest");
    is_u64(want, p.message ? 1 : whole, "in the end so many moves between two pauses");
    jdi_steal_fini(&t.s);
}

int main(void)
{
    static const struct player players[] = {{&jdi_steal_random, true},
                                            {&jdi_steal_baseline, true},
                                            {&jdi_steal_baseline, false},
                                            {&jdi_steal_success_only, true},
                                            {&jdi_steal_success_only, false}};
    for (size_t i = 0; i < JDI_ARRAY_LEN(players); i++) {
        test_rounds(players[i], 2);
        test_rounds(players[i], 23);
        test_rounds(players[i], 4096);
    }
    return done_testing();
}
