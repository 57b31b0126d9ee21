/*
 * report_axis.c - the arithmetic of charts.
 *
 * Role: see report_axis.h.
 * Owner: nobody; holds no state.
 * Invariants: I1 of report_axis.h.
 * Order: none.
 * See: report_axis.h.
 */
#include "tools/report_axis.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct report_groups report_axis_groups(uint32_t items, uint32_t most)
{
    struct report_groups g = {.items = items, .each = items / most + (items % most > 0)};
    g.each += !g.each;
    g.n = items / g.each + (items % g.each > 0);
    return g;
}

uint32_t report_axis_first(const struct report_groups *g, uint32_t group)
{
    return group * g->each;
}

uint32_t report_axis_size(const struct report_groups *g, uint32_t group)
{
    uint32_t rest = g->items - report_axis_first(g, group);
    return rest < g->each ? rest : g->each;
}

double report_axis_step(double most, unsigned ticks)
{
    static const double steps[] = {1, 2, 5, 10};
    double power = pow(10, floor(log10(most / ticks)));
    for (unsigned i = 0; i < 3; i++)
        if (steps[i] * power * ticks >= most * (1 - 1e-9))
            return steps[i] * power;
    return 10 * power;
}

uint64_t report_axis_bound(unsigned class)
{
    static const unsigned steps[] = {1, 2, 5};
    uint64_t bound = steps[class % 3];
    for (unsigned i = 0; i < class / 3; i++)
        bound *= 10;
    return bound;
}

unsigned report_axis_class(uint64_t ns)
{
    unsigned class = 0;
    while (class + 1 < REPORT_AXIS_CLASSES && report_axis_bound(class) < ns)
        class ++;
    return class;
}

void report_axis_spread(double *bin, unsigned bins, const uint64_t range[2],
                        uint64_t from, uint64_t to)
{
    from = from > range[0] ? from : range[0];
    to = to < range[1] ? to : range[1];
    if (to <= from)
        return;
    double width = (double)(range[1] - range[0]) / bins;
    double low = (double)(from - range[0]) / width,
           high = (double)(to - range[0]) / width;
    for (unsigned i = (unsigned)low; i < bins && i < high; i++) {
        double left = low > i ? low : i, right = high < i + 1 ? high : i + 1;
        bin[i] += (right - left) * width;
    }
}

const char *report_axis_count(uint64_t value, char text[32])
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, value), at = 0;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = 0;
    return text;
}

const char *report_axis_short(uint64_t value, char text[32])
{
    bool large = value >= 10000000;
    report_axis_count(large ? value / 1000000 : value, text);
    return large ? strcat(text, " M") : text;
}

const char *report_axis_time(double ns, char text[24])
{
    static const char *const unit[] = {"ns", "us", "ms", "s"};
    unsigned i = 0;
    for (; ns >= 999.95 && i < 3; i++)
        ns /= 1000;
    snprintf(text, 24, "%.4g %s", ns, unit[i]);
    return text;
}

const char *report_axis_percent(double part, double whole, char text[16])
{
    double share = whole > 0 ? 100 * part / whole : 0;
    if (share > 0 && share < 0.95)
        snprintf(text, 16, "<1%%");
    else
        snprintf(text, 16, "%.0f%%", share);
    return text;
}
