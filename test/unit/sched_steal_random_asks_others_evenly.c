/*
 * sched_steal_random_asks_others_evenly.c
 *
 * Role: a thief never asks itself, asks every other rank about as often, and never has more
 *       than JDI_STEAL_OPEN requests open, whatever the order of the answers.
 * Owner: one thread; the seeds are fixed.
 * See: sched/steal/random.c.
 */
#include "test/unit/sched_steal_kit.h"

enum { MOST_RANKS = 33, ASKS = 20000 };

struct score {
    uint64_t asked[MOST_RANKS], self, beyond, too_many;
};

/* Ask ASKS times; `answer` in 256 of the turns an open question is answered. */
static void play(uint32_t rank, uint32_t nranks, unsigned answer, uint64_t seed,
                 struct score *score)
{
    struct kit_thief t;
    uint64_t dice = seed | 1;
    uint32_t open = 0;
    *score = (struct score){0};
    kit_thief_init(&t, &jdi_steal_random, rank, nranks);
    t.rng = seed;
    for (uint64_t asks = 0; asks < ASKS;) {
        t.now += 1000000; /* no pause is longer */
        uint32_t victim = kit_ask(&t, JDI_STEAL_NOW);
        if (victim != JDI_STEAL_NOBODY) {
            asks++;
            open++;
            score->self += victim == rank;
            score->beyond += victim >= nranks;
            score->asked[victim % MOST_RANKS]++;
        }
        score->too_many += open > JDI_STEAL_OPEN || open != t.s.open;
        dice = dice * UINT64_C(6364136223846793005) + 1442695040888963407U;
        if (open > 0 && (dice >> 56) < answer) {
            open--;
            kit_answer(&t, t.s.asking[0].victim,
                       dice >> 33 & 1 ? JDI_STEAL_TASKS : JDI_STEAL_REFUSED);
        }
    }
}

/* Chi-square of nranks - 1 equal classes, against a bound that chance passes once in 1e6. */
static bool is_even(const struct score *score, uint32_t rank, uint32_t nranks)
{
    double want = (double)ASKS / (nranks - 1), chi = 0, freedom = nranks - 2;
    for (uint32_t i = 0; i < nranks; i++) {
        double off = (double)score->asked[i] - want;
        if (i != rank)
            chi += off * off / want;
    }
    return chi <= freedom + 8 * (freedom > 4 ? freedom / 2 : 3) + 8;
}

int main(void)
{
    static const uint32_t counts[] = {2, 3, 4, 8, MOST_RANKS};
    for (size_t k = 0; k < JDI_ARRAY_LEN(counts); k++) {
        uint32_t n = counts[k];
        struct score all = {0};
        bool even = true;
        for (uint32_t rank = 0; rank<n; rank += n> 8 ? 16 : 1) {
            struct score s;
            play(rank, n, 40 * (1 + rank % 6), 88172645463325252U + rank, &s);
            all.self += s.self;
            all.beyond += s.beyond;
            all.too_many += s.too_many;
            even = even && is_even(&s, rank, n);
        }
        is_u64(all.self, 0, "%u ranks: never itself", n);
        is_u64(all.beyond, 0, "%u ranks: only ranks that there are", n);
        is_u64(all.too_many, 0, "%u ranks: at most %d open", n, JDI_STEAL_OPEN);
        ok(even, "%u ranks: all the others evenly", n);
    }
    struct kit_thief alone;
    kit_thief_init(&alone, &jdi_steal_random, 0, 1);
    ok(kit_rests(&alone), "a single rank asks nobody");
    ok(jdi_steal_random.patient(&alone.s), "and need not be patient");
    return done_testing();
}
