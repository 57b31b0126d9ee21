/* How far AUTO trusts times: fully where they come again, not at all where they are new each time, and half where half
 * of a time comes again.  Order is kept, and the sum nearly. */
#include "core/random.h"
#include "sched/trust.h"
#include "test/kit/tap.h"

#include <math.h>

enum { SEEDS = 2000 };

/* The times of a seed: `part` of the last one is the one before, the rest is by chance. */
static struct jdi_origin seed(uint64_t *dice, double part)
{
    double before = 1e5 + jdi_random_below(dice, 100000);
    double chance = 1e5 + jdi_random_below(dice, 100000);
    return (struct jdi_origin){
        .time = {jdi_origin_bin((uint64_t)(part * before + (1 - part) * chance)),
                 jdi_origin_bin((uint64_t)before)}};
}

static struct jdi_trust trust(double part, double sum[JDI_TRUST_SUMS])
{
    const struct jdi_model last = {JD_LOAD_LAST, JDI_ORIGIN_TIMES};
    uint64_t dice = 7;
    for (int i = 0; i < SEEDS; i++) {
        struct jdi_origin o = seed(&dice, part);
        jdi_trust_add(sum, &last, &o);
    }
    return jdi_trust_of(sum);
}

int main(void)
{
    double sum[4][JDI_TRUST_SUMS] = {0};
    struct jdi_trust all = trust(1, sum[0]), none = trust(0, sum[1]),
                     half = trust(0.5, sum[2]);
    diag("%.3f %.3f %.3f", all.slope, half.slope, none.slope);
    ok(all.slope == 1, "what comes again is trusted");
    ok(none.slope < 0.1, "what is new each time is not");
    ok(half.slope > 0.4 && half.slope < 0.6, "half is trusted by half");
    is_u64(jdi_trust_ns(&all, 123456), 123456, "trusted times stay as they are");
    ok(fabs((double)jdi_trust_ns(&half, 200000) - 175000) < 5000,
       "others come nearer to the mean");
    ok(jdi_trust_ns(&half, 100) <= jdi_trust_ns(&half, 101) &&
           jdi_trust_ns(&half, 1) >= 1,
       "in the same order");
    is_u64(jdi_trust_ns(&none, 0), 0, "what is not known stays so");
    ok(jdi_trust_of(sum[3]).slope == 1, "of no seeds nothing is said");
    const struct jdi_model last = {JD_LOAD_LAST, JDI_ORIGIN_TIMES};
    struct jdi_origin once = {.time = {jdi_origin_bin(5000)}};
    jdi_trust_add(sum[3], &last, &once);
    ok(jdi_trust_of(sum[3]).slope == 1, "after one phase all times are trusted");
    return done_testing();
}
