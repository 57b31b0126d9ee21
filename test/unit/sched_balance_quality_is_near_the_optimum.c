/* Small cases against the best of all assignments, found by trying each. */
#include "test/unit/sched_balance_kit.h"

enum { GAMES = 300, TASKS = 8, RANKS = 3 };

/* The least maximum of all assignments of the tasks from i on. */
static uint64_t best_of(const uint64_t time[], unsigned i, uint64_t load[], uint64_t best)
{
    if (i == TASKS) {
        uint64_t most = 0;
        for (unsigned r = 0; r < RANKS; r++)
            most = most > load[r] ? most : load[r];
        return most < best ? most : best;
    }
    for (unsigned r = 0; r < RANKS; r++) {
        load[r] += time[i];
        if (load[r] < best)
            best = best_of(time, i + 1, load, best);
        load[r] -= time[i];
    }
    return best;
}

/* What the plan has above the optimum, in thousandths. */
static uint64_t play(unsigned balancer, uint64_t seed)
{
    static struct fair f;
    uint64_t time[TASKS], load[RANKS] = {0}, state = seed;
    fair_open(&f, balancer, RANKS, seed);
    for (unsigned i = 0; i < TASKS; i++) {
        uint32_t r = jdi_dice_below(&state, 1 + jdi_dice_below(&state, RANKS));
        struct stand *s = &f.stand[r];
        time[i] = 1 + jdi_dice_below(&state, 1000);
        s->task[s->n] = (struct jdi_balance_task){r, s->n, time[i], 1};
        s->n++;
    }
    for (uint32_t r = 0; r < RANKS; r++)
        qsort(f.stand[r].task, f.stand[r].n, sizeof f.stand[r].task[0], compare_times);
    const char *wrong = fair_session(&f);
    uint64_t best = best_of(time, 0, load, UINT64_MAX);
    uint64_t after = wrong ? UINT64_MAX / 2000 : fair_judge(&f).after;
    fair_close(&f);
    return (after - best) * 1000 / best;
}

int main(void)
{
    /* Of each balancer in the order of balancers[]: the mean and the largest that may be. */
    static const uint64_t mean[BALANCERS] = {50, 100, 130, 150},
                          most[BALANCERS] = {400, 400, 1000, 1000};
    for (unsigned k = 0; k < BALANCERS; k++) {
        uint64_t sum = 0, worst = 0;
        for (uint64_t seed = 1; seed <= GAMES; seed++) {
            uint64_t above = play(k, seed);
            sum += above;
            worst = worst > above ? worst : above;
        }
        diag("%s: %.1f %% above the optimum in the mean, %.1f %% at most",
             balancer_names[k], (double)sum / GAMES / 10, (double)worst / 10);
        ok(sum / GAMES <= mean[k] && worst <= most[k], "%s is near the optimum",
           balancer_names[k]);
    }
    return done_testing();
}
