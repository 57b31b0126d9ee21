/*
 * sched_steal_lifeline_tries_then_waits.c
 *
 * Role: a lifeline thief tries w ranks, then registers with its lifelines.  While the lifelines
 *       give nothing, a random rank is still tried now and then; w = 0 turns that off.  Along
 *       lifelines work reaches every rank in few steps.
 * Owner: one thread; time is a number.
 * See: sched/steal/lifeline.c.
 */
#include "test/unit/sched_steal_kit.h"

#include <string.h>

enum { MOST = 1000, LINES = 32 };

/* Refused w times, then the lifelines of `t`, which all remember it; how many. */
static unsigned register_all(struct kit_thief *t, uint32_t line[LINES])
{
    unsigned n = 0;
    for (uint32_t i = 0; i < t->config.tries; i++) {
        uint32_t v = kit_ask(t, JDI_STEAL_NOW);
        if (v == JDI_STEAL_NOBODY)
            return LINES;
        kit_answer(t, v, JDI_STEAL_REFUSED);
    }
    while (n < LINES) {
        uint32_t v = kit_ask(t, JDI_STEAL_KEEP);
        if (v == JDI_STEAL_NOBODY)
            break;
        line[n++] = v;
        kit_answer(t, v, JDI_STEAL_KEPT);
    }
    return n;
}

static void test_way(void)
{
    struct kit_thief t;
    struct jdi_steal_move m;
    uint32_t line[LINES];
    kit_thief_init(&t, &jdi_steal_lifeline, 6, 16);
    ok(!t.ops->patient(&t.s), "not patient before it has tried");
    is_u64(register_all(&t, line), 4, "16 ranks: two tries, four lifelines");
    ok(line[0] == 7 && line[1] == 8 && line[2] == 10 && line[3] == 14,
       "which are 1, 2, 4 and 8 ranks further");
    for (int i = 0; i < 3; i++) {
        ok(kit_pause(&t, 1000, &m) == JDI_STEAL_PAUSE_NS && m.act == JDI_STEAL_ASK &&
               m.manner == JDI_STEAL_NOW,
           "then it tries another, once in the longest pause");
        kit_answer(&t, m.victim, JDI_STEAL_REFUSED);
        ok(t.ops->patient(&t.s), "and is patient");
    }
    kit_answer(&t, 10, JDI_STEAL_SECOND);
    jdi_steal_fed(&t.s);
    ok(!t.ops->patient(&t.s), "until it is fed");
    is_u64(register_all(&t, line), 1, "hungry again, it tries,");
    is_u64(line[0], 10, "and renews only the lifeline that gave");
    jdi_steal_fini(&t.s);
}

static void test_no_tries(void)
{
    struct kit_thief t;
    struct jdi_steal_move m;
    uint32_t line[LINES];
    kit_thief_init(&t, &jdi_steal_lifeline, 0, 16);
    t.config.tries = 0;
    is_u64(register_all(&t, line), 4, "no tries: it registers with its lifelines");
    ok(kit_pause(&t, 1000, &m) == KIT_LONG_NS && t.s.next_at == UINT64_MAX,
       "and keeps quiet");
    ok(t.ops->patient(&t.s), "and is patient");
    jdi_steal_fini(&t.s);
}

static void test_tries_and_lifelines_differ(void)
{
    struct kit_thief t;
    uint32_t line[LINES];
    kit_thief_init(&t, &jdi_steal_lifeline, 0, 2);
    register_all(&t, line);
    jdi_steal_fed(&t.s);
    ok(kit_ask(&t, JDI_STEAL_NOW) == 1, "a try may go to a rank that remembers this one");
    kit_answer(&t, 1, JDI_STEAL_TASKS);
    ok(jdi_rankset_has(&t.s.contacted, 1), "what it brings does not end the lifeline");
    kit_answer(&t, 1, JDI_STEAL_SECOND);
    is_u64(t.s.contacted.n, 0, "what the lifeline brings does");
    jdi_steal_fini(&t.s);
}

/* Work starts at rank 0 and goes to who is registered: how many rounds until all have it. */
static unsigned rounds(uint32_t n)
{
    static uint32_t line[MOST][LINES];
    static unsigned lines[MOST];
    bool has[MOST] = {true}, next[MOST];
    for (uint32_t i = 0; i < n; i++) {
        struct kit_thief t;
        kit_thief_init(&t, &jdi_steal_lifeline, i, n);
        lines[i] = register_all(&t, line[i]);
        jdi_steal_fini(&t.s);
    }
    for (unsigned round = 0; round <= n; round++) {
        uint32_t all = 0;
        for (uint32_t i = 0; i < n; i++) {
            next[i] = has[i];
            for (unsigned k = 0; k < lines[i]; k++)
                next[i] = next[i] || has[line[i][k]];
            all += has[i];
        }
        if (all == n)
            return round;
        memcpy(has, next, sizeof has);
    }
    return n + 1;
}

int main(void)
{
    static const uint32_t counts[] = {2, 3, 5, 8, 33, 64, 1000};
    test_way();
    test_no_tries();
    test_tries_and_lifelines_differ();
    for (size_t i = 0; i < JDI_ARRAY_LEN(counts); i++) {
        unsigned log2 = 0;
        while (1u << log2 < counts[i])
            log2++;
        ok(rounds(counts[i]) <= log2, "%u ranks: work reaches all in %u rounds",
           counts[i], log2);
    }
    return done_testing();
}
