/* Whichever allocation fails, the caller gets JD_ENOMEM, and nothing is left behind. */
#include "test/unit/sched_balance_kit.h"

enum { RANKS = 5, MOST = 400 };

/* Rank 0 or 1 has no memory at its k-th request.  Returns what the session came to. */
static const char *play(unsigned balancer, uint32_t poor, uint64_t k)
{
    static struct fair f;
    static struct jdi_fault fault;
    fault = (struct jdi_fault){0};
    fair_open(&f, balancer, RANKS, 7);
    fair_deal(&f, 5);
    jdi_balance_free(f.stand[poor].b);
    struct jdi_balance_config c = {.ops = balancers[balancer],
                                   .rank = poor,
                                   .nranks = RANKS,
                                   .arity = 3,
                                   .seed = 7,
                                   .fault = &fault};
    const struct jdi_balance_env env = {.ctx = &f.stand[poor], .send = fair_send};
    c.holes = balancer == PRINTED ? JDI_BALANCE_AS_PRINTED : 0;
    f.stand[poor].b = jdi_balance_new(&c, &env);
    fault.armed[JDI_FAULT_alloc] = atomic_load(&fault.count[JDI_FAULT_alloc]) + k;
    const char *wrong = fair_session(&f);
    fair_close(&f);
    return wrong;
}

int main(void)
{
    for (unsigned b = 0; b < BALANCERS; b++)
        for (uint32_t poor = 0; poor < 2; poor++) {
            unsigned told = 0, other = 0;
            for (uint64_t k = 1; k <= MOST; k++) {
                const char *wrong = play(b, poor, k);
                if (!wrong)
                    break;
                if (strcmp(wrong, jd_strerror(JD_ENOMEM)) == 0)
                    told++;
                else
                    other++;
            }
            ok(told > 5 && other == 0, "%s, rank %u: %u refusals are told",
               balancer_names[b], (unsigned)poor, told);
        }
    return done_testing();
}
