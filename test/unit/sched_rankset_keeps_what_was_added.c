/*
 * sched_rankset_keeps_what_was_added.c
 *
 * Role: a set of ranks answers like a table of booleans, whatever is added and removed in whatever
 *       order; thieves leave a queue in the order in which they came; when out of memory nothing
 *       changes.
 * Owner: one thread; the seed is fixed.
 * See: sched/steal/rankset.h.
 */
#include "core/random.h"
#include "sched/steal/thieves.h"
#include "test/kit/tap.h"

#include <string.h>

enum { RANKS = 300, STEPS = 200000 };

static void test_set(uint32_t spread)
{
    struct jdi_rankset s = {0};
    bool in[RANKS] = {0};
    uint64_t rng = 99 + spread;
    uint32_t n = 0;
    bool right = true;
    for (int i = 0; i < STEPS; i++) {
        uint32_t k = jdi_random_below(&rng, RANKS), rank = k * spread;
        bool add = jdi_random_below(&rng, 1000) < (i / 20000 % 2 ? 300u : 700u);
        right = right && jdi_rankset_has(&s, rank) == in[k];
        if (add && !in[k])
            right = right && !jdi_rankset_add(&s, rank, NULL);
        else if (!add)
            right = right && jdi_rankset_remove(&s, rank) == in[k];
        n += add && !in[k];
        n -= !add && in[k];
        in[k] = add;
        right = right && s.n == n;
    }
    for (uint32_t k = 0; k < RANKS; k++)
        right = right && jdi_rankset_has(&s, k * spread) == in[k];
    ok(right, "%d steps with ranks that are %u apart", STEPS, spread);
    jdi_rankset_clear(&s);
    ok(!s.slot && !s.room && !jdi_rankset_has(&s, 0), "cleared, it holds no memory");
}

static void test_order(void)
{
    struct jdi_thieves q = {0};
    uint64_t rng = 5, given = 0, taken = 0;
    bool right = true;
    /* Ranks come again and again, each once at a time, in the order 0, 7, 14... mod RANKS. */
    for (int i = 0; i < STEPS; i++) {
        if (given - taken < RANKS && jdi_random_below(&rng, 100) < 55) {
            struct jdi_thief t = {.rank = (uint32_t)(given * 7 % RANKS), .when = given};
            right =
                right && !jdi_thieves_has(&q, t.rank) && !jdi_thieves_add(&q, &t, NULL);
            given++;
        } else if (given > taken) {
            struct jdi_thief t = jdi_thieves_take(&q);
            right = right && t.when == taken && t.rank == taken * 7 % RANKS;
            right = right && !jdi_thieves_has(&q, t.rank);
            taken++;
        }
        right = right && q.n == given - taken;
    }
    ok(right && given > 1000, "thieves leave in the order in which they came");
    jdi_thieves_clear(&q);
    ok(!q.n && !q.ring, "cleared, the queue holds no memory");
}

static void test_no_memory(void)
{
    for (uint64_t k = 1; k <= 4; k++) {
        struct jdi_fault f = {.armed = {[JDI_FAULT_alloc] = k}};
        struct jdi_thieves q = {0};
        uint32_t refused = 0;
        for (uint32_t rank = 0; rank < 20; rank++) {
            struct jdi_thief t = {.rank = rank, .when = rank};
            if (!jdi_thieves_add(&q, &t, &f))
                continue;
            refused++;
            ok(!jdi_thieves_has(&q, rank) && q.n == rank,
               "allocation %d fails: nothing has changed", (int)k);
            is_u64((uint64_t)jdi_thieves_add(&q, &t, &f), 0, "and the next try succeeds");
        }
        ok(refused == 1 && q.n == 20, "once");
        jdi_thieves_clear(&q);
    }
}

int main(void)
{
    test_set(1);
    test_set(64);
    test_set(4096);
    test_order();
    test_no_memory();
    return done_testing();
}
