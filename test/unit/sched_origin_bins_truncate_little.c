/*
 * sched_origin_bins_truncate_little.c
 *
 * Role: a time goes into a bin and comes back: the same below 2,048 ns, above at most a thousandth less; longer
 *       times never lie in lower bins; 0 is the bin of no time.  The last times of a seed stand in order.
 * Owner: one thread.
 * See: sched/origin.h.
 */
#include "sched/origin.h"

#include "core/random.h"
#include "test/kit/tap.h"

enum { EXACT = 2048, TRIES = 100000, LEAST_PART = 1024 };

static bool is_near(uint64_t ns)
{
    uint64_t back = jdi_origin_ns(jdi_origin_bin(ns));
    return back <= ns && ns - back <= ns / LEAST_PART;
}

static void test_near(void)
{
    uint64_t exact = 0, rng = 7;
    bool near = true, sorted = true;
    for (uint64_t ns = 1; ns < EXACT; ns++)
        exact += jdi_origin_ns(jdi_origin_bin(ns)) == ns;
    is_u64(exact, EXACT - 1, "below 2,048 ns each time is kept");
    for (unsigned i = 0; i < TRIES; i++) {
        uint64_t a = jdi_random(&rng) >> (i % 64), b = a + a / 3000 + i % 2;
        near = near && (!a || is_near(a));
        sorted = sorted && (b < a || jdi_origin_bin(a) <= jdi_origin_bin(b));
    }
    ok(near, "above, a thousandth is lost at most");
    ok(sorted, "a longer time lies in no lower bin");
}

static void test_borders(void)
{
    uint64_t right = 0, far = 0;
    for (unsigned bit = 11; bit < 64; bit++) {
        uint64_t ns = UINT64_C(1) << bit;
        right += jdi_origin_ns(jdi_origin_bin(ns)) == ns;
        far += jdi_origin_bin(ns) == jdi_origin_bin(ns - 1) + 1;
    }
    is_u64(right, 53, "a power of two begins a bin");
    is_u64(far, 53, "right above the one before it");
    ok(is_near(UINT64_MAX), "the longest time has a bin");
    is_u64(jdi_origin_bin(0), 1, "no time at all is known, too");
}

static void test_order(void)
{
    struct jdi_origin o = {.rank = 3, .index = 4};
    for (uint64_t ns = 10; ns <= 60; ns += 10)
        jdi_origin_note(&o, ns);
    ok(o.time[0] == 60 && o.time[1] == 50 && o.time[2] == 40 && o.time[3] == 30,
       "the last time is the first");
    ok(o.rank == 3 && o.index == 4, "and the seed is the same");
}

int main(void)
{
    test_near();
    test_borders();
    test_order();
    return done_testing();
}
