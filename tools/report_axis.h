/*
 * report_axis.h - the arithmetic of charts.
 *
 * Role: ticks, classes of times, groups of ranks, numbers for people.
 * Owner: nobody; holds no state.
 * Invariants: I1 groups are as large as each other, but for the last one, and hold each item once.
 * See: test/unit/tools_report_axis_is_exact.c.
 */
#ifndef JDI_TOOLS_REPORT_AXIS_H
#define JDI_TOOLS_REPORT_AXIS_H

#include <stdint.h>

/* n items in groups, in their order. */
struct report_groups {
    uint32_t items, each, n;
};
/* At most `most` groups. */
struct report_groups report_axis_groups(uint32_t items, uint32_t most);
uint32_t report_axis_first(const struct report_groups *g, uint32_t group);
/* How many items it has. */
uint32_t report_axis_size(const struct report_groups *g, uint32_t group);

/* The least of 1, 2 and 5 times a power of ten of which at most `ticks` steps reach up to `most`; most > 0. */
double report_axis_step(double most, unsigned ticks);

/* Classes of times: up to 1, 2, 5, 10, 20, ... ns. */
enum { REPORT_AXIS_CLASSES = 49 };
unsigned report_axis_class(uint64_t ns);
uint64_t report_axis_bound(unsigned class);

/* bin[i] += the part of [from, to) that lies in it; the bins divide the range evenly. */
void report_axis_spread(double *bin, unsigned bins, const uint64_t range[2],
                        uint64_t from, uint64_t to);

/* "1,234,567". */
const char *report_axis_count(uint64_t value, char text[32]);
/* The same in few letters: "12 M" from ten millions on. */
const char *report_axis_short(uint64_t value, char text[32]);
/* "1.5 ms": of a tick, in as few digits as it needs, up to four. */
const char *report_axis_time(double ns, char text[24]);
/* "12%": and above 0 at least "<1%". */
const char *report_axis_percent(double part, double whole, char text[16]);

#endif
