/* The order of messages, and of starts, has no influence on the moves.  A rank that is done may begin
 * the next session while others are in the last one. */
#include "test/unit/sched_balance_kit.h"

enum { GAMES = 300, SESSIONS = 3 };

/* A number that differs if moves differ. */
static uint64_t sum_of_moves(const struct stand *s)
{
    struct jdi_balance_plan p = jdi_balance_plan(s->b);
    uint64_t sum = p.arriving;
    for (uint32_t i = 0; i < p.moves; i++)
        sum = (sum ^ p.move[i].place * UINT64_C(65537) ^ p.move[i].rank) * 1099511628211u;
    return sum;
}

/* Sessions in a row with the same tasks; each has to end as the first of all.  False if not. */
static bool play(unsigned balancer, uint64_t seed, uint64_t order, uint64_t want[])
{
    static struct fair f;
    uint32_t sessions[FAIR_RANKS] = {0}, left;
    bool same = true;
    int rc = 0;
    fair_open(&f, balancer, 2 + (uint32_t)(seed % 9), seed);
    fair_deal(&f, seed);
    f.dice = order;
    do {
        left = 0;
        if (!fair_step(&f, &rc) || rc)
            break;
        for (uint32_t r = 0; r < f.ranks; r++) {
            struct stand *s = &f.stand[r];
            if (s->started && jdi_balance_done(s->b) && sessions[r] < SESSIONS) {
                uint64_t sum = sum_of_moves(s);
                want[r] = want[r] ? want[r] : sum + 1;
                same &= want[r] == sum + 1;
                s->started = ++sessions[r] == SESSIONS;
            }
            left += sessions[r] < SESSIONS;
        }
    } while (left > 0);
    for (uint32_t r = 0; r < f.ranks; r++)
        same &= sessions[r] == SESSIONS;
    fair_close(&f);
    return same && !rc;
}

int main(void)
{
    for (unsigned k = 0; k < BALANCERS; k++) {
        unsigned bad = 0;
        for (uint64_t seed = 1; seed <= GAMES; seed++) {
            uint64_t want[FAIR_RANKS] = {0};
            bool same =
                play(k, seed, 2 * seed, want) && play(k, seed, 2 * seed + 1, want);
            if (!same && bad++ == 0)
                diag("%s, seed %llu", balancer_names[k], (unsigned long long)seed);
        }
        is_u64(bad, 0, "%s plans the same in any order, session after session",
               balancer_names[k]);
    }
    return done_testing();
}
