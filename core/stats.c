/*
 * stats.c - counters, declared once in core/stats.def.
 *
 * Role: sums; the table for people.
 * Owner: as stats.h says: one writer per struct, readers after it has stopped.
 * Invariants: I1 of stats.h.
 *             I2 the percentages that are printed sum to 100.0.
 * Order: none.
 * See: core/stats.h, test/unit/core_stats_*.
 */
#include "core/stats.h"

#include <inttypes.h>
#include <string.h>

/* jdi_stats_add and the reduction over ranks use the struct as an array. */
_Static_assert(sizeof(struct jdi_stats) == JDI_STATS_COUNT * sizeof(uint64_t),
               "struct jdi_stats is nothing but counters");

void jdi_stats_add(struct jdi_stats *dst, const struct jdi_stats *src)
{
#define JDI_STAT(field, text) dst->field += src->field;
#define JDI_MOST(field, text)                                                            \
    dst->field = dst->field > src->field ? dst->field : src->field;
#define JDI_CLASSES(field, number, what, text)                                           \
    for (unsigned i = 0; i < (number); i++)                                              \
        dst->field[i] += src->field[i];
#include "core/stats.def"
#undef JDI_STAT
}

void jdi_stats_read(struct jdi_stats *to, const struct jdi_stats *from)
{
    uint64_t *words = (uint64_t *)(void *)to;
    for (size_t i = 0; i < JDI_STATS_COUNT; i++)
        words[i] = jdi_stats_get(jdi_stats_words(from) + i);
}

void jdi_stats_log2(uint64_t *classes, unsigned n, uint64_t ns)
{
    unsigned i = 0;
    for (uint64_t end = JDI_STATS_TIME_MIN; ns > end && i + 1 < n; end *= 2)
        i++;
    jdi_stats_count(&classes[i], 1);
}

uint64_t jdi_stats_quantile(const uint64_t *classes, unsigned n, double part)
{
    uint64_t all = 0, sum = 0, end = JDI_STATS_TIME_MIN;
    for (unsigned i = 0; i < n; i++)
        all += classes[i];
    if (!all)
        return 0;
    for (unsigned i = 0; i < n; i++, end *= 2) {
        sum += classes[i];
        if ((double)sum >= part * (double)all)
            return end;
    }
    return end;
}

/* ---- rows ---------------------------------------------------------------------------- */

#define AT(field) (offsetof(struct jdi_stats, field) / sizeof(uint64_t))
static const struct jdi_stats_row rows[] = {
#define JDI_STAT(field, text) {#field, text, JDI_STATS_KIND_SUM, AT(field), 1},
#define JDI_MOST(field, text) {#field, text, JDI_STATS_KIND_MOST, AT(field), 1},
#define JDI_CLASSES(field, number, what, text)                                           \
    {#field, text, JDI_STATS_KIND_##what, AT(field), number},
#include "core/stats.def"
#undef JDI_STAT
};

const struct jdi_stats_row *jdi_stats_row(size_t i)
{
    return i < JDI_ARRAY_LEN(rows) ? &rows[i] : NULL;
}

const struct jdi_stats_row *jdi_stats_find(const char *name)
{
    for (size_t i = 0; i < JDI_ARRAY_LEN(rows); i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    return NULL;
}

uint64_t jdi_stats_bound(const struct jdi_stats_row *row, uint32_t i)
{
    if (i + 1 >= row->n)
        return UINT64_MAX;
    return row->kind == JDI_STATS_KIND_TIMES ? (uint64_t)JDI_STATS_TIME_MIN << i : i;
}

/* ---- the table ------------------------------------------------------------------------ */

enum { PARTS = 5 };

/* The tenths of a percent that each of ns[] is of their sum.  The tenths that rounding down
 * loses go to the parts that lost most (I2).  All are zero if the sum is zero. */
static void share_out(const uint64_t ns[PARTS], unsigned tenths[PARTS])
{
    double lost[PARTS], sum = 0;
    unsigned left = 1000;

    for (int i = 0; i < PARTS; i++)
        sum += (double)ns[i];
    for (int i = 0; i < PARTS; i++) {
        double exact = sum > 0 ? 1000.0 * (double)ns[i] / sum : 0;
        tenths[i] = (unsigned)exact;
        lost[i] = exact - tenths[i];
        left -= tenths[i];
    }
    for (; sum > 0 && left > 0; left--) {
        int most = 0;
        for (int i = 1; i < PARTS; i++)
            if (lost[i] > lost[most])
                most = i;
        tenths[most]++;
        lost[most] = -1;
    }
}

static void print_time(FILE *to, const struct jdi_stats *sum)
{
    static const char *const name[PARTS] = {"work", "steal", "idle", "progress",
                                            "detection"};
    const uint64_t ns[PARTS] = {sum->ns_work, sum->ns_steal, sum->ns_idle,
                                sum->ns_progress, sum->ns_detect};
    unsigned tenths[PARTS];
    double seconds = 0;

    share_out(ns, tenths);
    for (int i = 0; i < PARTS; i++)
        seconds += 1e-9 * (double)ns[i];
    fprintf(to, "time of all threads: %.3f s", seconds);
    for (int i = 0; i < PARTS && seconds > 0; i++)
        fprintf(to, "%s %s %u.%u%%", i ? "," : " =", name[i], tenths[i] / 10,
                tenths[i] % 10);
    fputc('\n', to);
}

/* Ratios of the counters of steals, if there were steals. */
static void print_steals(FILE *to, const struct jdi_stats *sum)
{
    static const char *const name[] = {"0", "1", "2", "3", "4", "more"};
    uint64_t searches = 0;
    if (!sum->steals)
        return;
    double steals = (double)sum->steals;
    fprintf(to, "a steal: %.1f tasks, %.2f messages, %.3f failed\n",
            (double)sum->stolen_in / steals, (double)sum->steal_messages / steals,
            (double)sum->refused / steals);
    fprintf(to, "time of a steal: half up to %.1f us, 99%% up to %.1f us\n",
            1e-3 * (double)jdi_stats_quantile(sum->steal_ns, JDI_STATS_TIMES, 0.5),
            1e-3 * (double)jdi_stats_quantile(sum->steal_ns, JDI_STATS_TIMES, 0.99));
    for (size_t i = 0; i < JDI_ARRAY_LEN(name); i++)
        searches += sum->searches[i];
    fprintf(to, "victims asked in a search:");
    for (size_t i = 0; i < JDI_ARRAY_LEN(name); i++)
        fprintf(to, "%s %s: %.1f%%", i ? "," : "", name[i],
                searches ? 100.0 * (double)sum->searches[i] / (double)searches : 0.0);
    fputc('\n', to);
}

/* Of what waited inside a rank, and of who looked for it. */
static void print_neighbours(FILE *to, const struct jdi_stats *sum)
{
    uint64_t looks = sum->looks_tasks + sum->looks_ready;
    if (looks)
        fprintf(to, "looks at other workers: %.1f%% brought something\n",
                100.0 * (double)(sum->steals_local + sum->migrated) / (double)looks);
    if (jdi_stats_quantile(sum->ready_ns, JDI_STATS_TIMES, 1))
        fprintf(to,
                "time from ready to running: half up to %.1f us, 99%% up to %.1f us\n",
                1e-3 * (double)jdi_stats_quantile(sum->ready_ns, JDI_STATS_TIMES, 0.5),
                1e-3 * (double)jdi_stats_quantile(sum->ready_ns, JDI_STATS_TIMES, 0.99));
}

/* The widest text of the table's first column. */
static int text_width(void)
{
    static const size_t lengths[] = {
#define JDI_STAT(field, text) sizeof(text) - 1,
#include "core/stats.def"
#undef JDI_STAT
    };
    size_t width = 0;

    for (size_t i = 0; i < JDI_ARRAY_LEN(lengths); i++)
        if (lengths[i] > width)
            width = lengths[i];
    return (int)width;
}

static void print_counter(FILE *to, int width, const char *text, const uint64_t number[3])
{
    fprintf(to, "%-*s %20" PRIu64 " %20" PRIu64 " %20" PRIu64 "\n", width, text,
            number[0], number[1], number[2]);
}

void jdi_stats_print(FILE *to, const struct jdi_stats *sum, const struct jdi_stats *min,
                     const struct jdi_stats *max, uint32_t nranks)
{
    int width = text_width();
    char title[64];

    snprintf(title, sizeof title, "counters of %u rank%s", (unsigned)nranks,
             nranks == 1 ? "" : "s");
    fprintf(to, "%-*s %20s %20s %20s\n", width, title, "sum", "min of a rank",
            "max of a rank");
#define JDI_STAT(field, text)                                                            \
    print_counter(to, width, text, (uint64_t[]){sum->field, min->field, max->field});
#define JDI_MOST(field, text)                                                            \
    print_counter(to, width, text, (uint64_t[]){max->field, min->field, max->field});
#include "core/stats.def"
#undef JDI_STAT
    print_steals(to, sum);
    print_neighbours(to, sum);
    print_time(to, sum);
}
