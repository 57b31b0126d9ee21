/* Of 10,000 seeded distributions, whatever the order of the messages: each task is at one rank after
 * the moves, the largest load is not above what it was, and all ranks say the same figures. */
#include "test/unit/sched_balance_kit.h"

enum { GAMES = 10000 };

static const char *play(struct fair *f, unsigned balancer, uint64_t seed)
{
    const char *wrong = NULL;
    fair_open(f, balancer, 1 + (uint32_t)(seed % 13), seed);
    fair_deal(f, seed);
    wrong = fair_session(f);
    if (!wrong) {
        struct fair_result r = fair_judge(f);
        wrong = r.wrong;
        if (!wrong && r.after > r.before)
            wrong = "the largest load rises";
        if (!wrong && r.after < r.least)
            wrong = "the largest load is below its bound";
        if (!wrong && r.moved > 0 && r.after == r.before)
            wrong = "moves for nothing";
    }
    fair_close(f);
    return wrong;
}

int main(void)
{
    static struct fair f;
    const char *wrong[BALANCERS] = {NULL};
    uint64_t games = tap_sanitized() ? GAMES / 10 : GAMES;
    for (uint64_t seed = 1; seed <= games; seed++) {
        unsigned k = (unsigned)(seed % BALANCERS);
        const char *text = play(&f, k, seed);
        if (text && !wrong[k]) {
            wrong[k] = text;
            diag("%s, seed %llu: %s", balancer_names[k], (unsigned long long)seed, text);
        }
    }
    for (unsigned k = 0; k < BALANCERS; k++)
        is_str(wrong[k] ? wrong[k] : "", "",
               "%s keeps every task and never raises the maximum", balancer_names[k]);
    return done_testing();
}
