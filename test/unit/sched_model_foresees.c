/* Load models: the last time, the median, the least-squares line, each of as many phases as are known. */
#include "sched/model.h"
#include "test/kit/tap.h"

static struct jdi_origin origin_of(unsigned n, const uint64_t ns[])
{
    struct jdi_origin o = {0};
    for (unsigned i = n; i-- > 0;) /* the last phase is first in ns[] */
        jdi_origin_note(&o, ns[i]);
    return o;
}

static uint64_t foresee(enum jd_load_model kind, unsigned phases, unsigned n,
                        const uint64_t ns[])
{
    struct jdi_origin o = origin_of(n, ns);
    return jdi_model_ns(&(struct jdi_model){kind, phases}, &o);
}

static void test_median(void)
{
    static const uint64_t disturbed[] = {2000, 500, 400, 600};
    is_u64(foresee(JD_LOAD_MEDIAN, 4, 4, disturbed), 550, "an even number of phases");
    is_u64(foresee(JD_LOAD_MEDIAN, 3, 4, disturbed), 500, "the last three of four");
    is_u64(foresee(JD_LOAD_MEDIAN, 4, 3, disturbed), 500, "three that are known");
    is_u64(foresee(JD_LOAD_MEDIAN, 4, 1, disturbed), 2000, "one that is known");
    is_u64(foresee(JD_LOAD_MEDIAN, 1, 4, disturbed), 2000, "one that is asked for");
}

static void test_trend(void)
{
    static const uint64_t grows[] = {1900, 1600, 1300, 1000}, falls[] = {100, 700, 1300},
                          jumps[] = {1000, 0, 0, 0};
    is_u64(foresee(JD_LOAD_TREND, 4, 4, grows), 2200, "a line is continued");
    is_u64(foresee(JD_LOAD_TREND, 2, 4, grows), 2200, "by two points, too");
    is_u64(foresee(JD_LOAD_TREND, 4, 1, grows), 1900, "by one point it is level");
    is_u64(foresee(JD_LOAD_TREND, 4, 3, falls), 1, "no time is below 1 ns");
    is_u64(foresee(JD_LOAD_TREND, 4, 4, jumps), 1000,
           "the last of four points counts once");
}

int main(void)
{
    static const uint64_t some[] = {1234, 77, 2000, 1};
    is_u64(foresee(JD_LOAD_LAST, 4, 4, some), 1234, "the last time");
    is_u64(foresee(JD_LOAD_LAST, 4, 0, some), 0, "nothing is known");
    is_u64(foresee(JD_LOAD_TREND, 4, 0, some), 0, "so no model says anything");
    test_median();
    test_trend();
    return done_testing();
}
