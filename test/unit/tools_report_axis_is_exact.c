/*
 * tools_report_axis_is_exact.c
 *
 * Role: groups hold each item once; ticks are round and few; a time is in its class; what is spread over bins adds up.
 * Owner: one thread.
 * Invariants: I1 of tools/report_axis.h.
 * See: tools/report_axis.c.
 */
#include "test/kit/tap.h"
#include "tools/report_axis.h"

#include <math.h>

static void groups_hold_each_item_once(void)
{
    unsigned wrong = 0;
    for (uint32_t items = 1; items <= 300; items++)
        for (uint32_t most = 1; most <= 70; most++) {
            struct report_groups g = report_axis_groups(items, most);
            uint32_t next = 0;
            for (uint32_t i = 0; i < g.n; i++) {
                wrong += report_axis_first(&g, i) != next || !report_axis_size(&g, i);
                next += report_axis_size(&g, i);
            }
            wrong += next != items || g.n > most || (items <= most && g.each != 1);
        }
    is_u64(wrong, 0, "groups of up to 300 items");
    struct report_groups none = report_axis_groups(0, 64);
    is_u64(none.n, 0, "no item, no group");
    struct report_groups large = report_axis_groups(65536, 64);
    ok(large.n == 64 && large.each == 1024, "65,536 items");
}

static void ticks_are_round(void)
{
    unsigned wrong = 0;
    for (double most = 1e-6; most < 1e12; most *= 1.37)
        for (unsigned ticks = 2; ticks < 10; ticks++) {
            double step = report_axis_step(most, ticks);
            double head = step / pow(10, floor(log10(step) + 1e-9));
            wrong += step * ticks < most * (1 - 1e-6) || step * ticks > most * 10;
            wrong +=
                fabs(head - 1) > 1e-6 && fabs(head - 2) > 1e-6 && fabs(head - 5) > 1e-6;
        }
    is_u64(wrong, 0, "steps are 1, 2 or 5 times a power of ten, and reach");
    ok(report_axis_step(100, 5) == 20 && report_axis_step(101, 5) == 50,
       "not larger than needed");
}

static void times_are_in_their_classes(void)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < REPORT_AXIS_CLASSES; i++) {
        uint64_t bound = report_axis_bound(i);
        wrong += report_axis_class(bound) != i;
        wrong += i + 1 < REPORT_AXIS_CLASSES && report_axis_class(bound + 1) != i + 1;
    }
    is_u64(wrong, 0, "each bound is the last of its class");
    is_u64(report_axis_bound(7), 200, "up to 200 ns");
    is_u64(report_axis_class(0), 0, "nothing is in the first one");
    is_u64(report_axis_class(UINT64_MAX), REPORT_AXIS_CLASSES - 1,
           "and all else in the last");
}

static void what_is_spread_adds_up(void)
{
    const uint64_t range[2] = {1000, 2000};
    double bin[10] = {0}, sum = 0;
    report_axis_spread(bin, 10, range, 1050, 1210);
    ok(fabs(bin[0] - 50) + fabs(bin[1] - 100) + fabs(bin[2] - 10) + bin[3] < 1e-9,
       "over three bins");
    report_axis_spread(bin, 10, range, 1920, 1930);
    ok(fabs(bin[9] - 10) < 1e-9, "inside of one");
    report_axis_spread(bin, 10, range, 0, 1100);
    report_axis_spread(bin, 10, range, 1990, 5000);
    report_axis_spread(bin, 10, range, 3000, 5000);
    report_axis_spread(bin, 10, range, 1500, 1500);
    for (unsigned i = 0; i < 10; i++)
        sum += bin[i];
    ok(fabs(sum - (160 + 10 + 100 + 10)) < 1e-6, "what lies outside is not counted");
}

static void numbers_are_for_people(void)
{
    char text[32];
    is_str(report_axis_count(0, text), "0", "0");
    is_str(report_axis_count(999, text), "999", "999");
    is_str(report_axis_count(1234567, text), "1,234,567", "1,234,567");
    is_str(report_axis_count(UINT64_MAX, text), "18,446,744,073,709,551,615",
           "the largest");
    is_str(report_axis_short(9999999, text), "9,999,999", "a number of seven digits");
    is_str(report_axis_short(4200000000, text), "4,200 M", "and of ten");
    is_str(report_axis_time(1000, text), "1 us", "a round time");
    is_str(report_axis_time(2.5e9, text), "2.5 s", "another");
    is_str(report_axis_time(200000, text), "200 us", "and another");
    is_str(report_axis_percent(0, 0, text), "0%", "nothing of nothing");
    is_str(report_axis_percent(1, 1000, text), "<1%", "a little is not nothing");
    is_str(report_axis_percent(999, 1000, text), "100%", "nearly all");
}

int main(void)
{
    groups_hold_each_item_once();
    ticks_are_round();
    times_are_in_their_classes();
    what_is_spread_adds_up();
    numbers_are_for_people();
    return done_testing();
}
