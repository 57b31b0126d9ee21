/*
 * tdtest_timed.c - see tools/tdtest.h.
 *
 * Role: detection latency and messages at many ranks, as a table and as data to plot.
 * Invariants: I1 a run that is wrong is a failure, whatever its figures.
 * See: conform/conform.h; bench/td_latency.sh.
 */
#include "tools/tdtest.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SEEDS = 256, TYPICAL = JD_CONFORM_LATE + 1, MOST = TYPICAL * MOST_SEEDS };

/* All runs of one number of ranks and one law. */
struct row {
    const struct tdtest *t;
    uint32_t ranks;
    enum jd_conform_law law;
    FILE *data;
    unsigned count; /* done */
    struct jd_conform_timing result[MOST];
};

static struct jd_conform_load load_of(const struct row *row, unsigned i)
{
    return (struct jd_conform_load){.ranks = row->ranks,
                                    .law = row->law,
                                    .work = (enum jd_conform_work)(i % TYPICAL),
                                    .seed = row->t->seed + i / TYPICAL,
                                    .pause_min = row->t->pause_min,
                                    .pause_max = row->t->pause_max};
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct summary {
    double root, all, worst, early, after, per_task, waves;
    uint64_t failed_after, by_busy, over_busy, all_busy;
};

static struct summary summarise(const struct row *row)
{
    static const struct summary nothing;
    struct summary s = nothing;
    double root[MOST], all[MOST], control = 0, messages = 0;
    for (unsigned i = 0; i < row->count; i++) {
        const struct jd_conform_timing *r = &row->result[i];
        root[i] = r->root;
        all[i] = r->all;
        s.early += (double)r->early / row->count;
        s.after += (double)(r->control - r->early) / row->count;
        s.waves += (double)r->waves / row->count;
        control += (double)r->control;
        messages += (double)r->messages;
        s.by_busy += r->by_busy;
        s.over_busy += r->over_busy;
        s.all_busy += r->all_busy;
        if (r->failed_after > s.failed_after)
            s.failed_after = r->failed_after;
    }
    qsort(root, row->count, sizeof root[0], compare);
    qsort(all, row->count, sizeof all[0], compare);
    s.root = root[row->count / 2];
    s.all = all[row->count / 2];
    s.worst = all[row->count - 1];
    s.per_task = messages > 0 ? control / messages : 0;
    return s;
}

static void print_head(const struct tdtest *t)
{
    tdtest_say(
        "%s: hops from quiescence until the root and until all know (median, worst);",
        t->name);
    tdtest_say(
        "waves of the root, most failed after quiescence; control messages: before and");
    tdtest_say("after quiescence, per task message, by busy ranks (but NEXT), up while "
               "somebody");
    tdtest_say("below is busy, while all ranks are busy");
    tdtest_say("%7s %-8s %8s %8s %8s %6s %4s %9s %9s %6s %6s %6s %5s", "ranks", "delays",
               "root", "all", "worst", "waves", "fail", "before", "after", "/task",
               "busy", "below", "allb");
}

static void print_row(const struct row *row)
{
    const struct summary s = summarise(row);
    char text[256];
    snprintf(text, sizeof text,
             "%7u %-8s %8.1f %8.1f %8.1f %6.1f %4llu %9.0f %9.0f %6.2f %6llu %6llu %5llu",
             (unsigned)row->ranks, jd_conform_law_name(row->law), s.root, s.all, s.worst,
             s.waves, (unsigned long long)s.failed_after, s.early, s.after, s.per_task,
             (unsigned long long)s.by_busy, (unsigned long long)s.over_busy,
             (unsigned long long)s.all_busy);
    tdtest_say("%s", text);
    fflush(stdout);
    if (row->data)
        fprintf(row->data, "%s %s\n", row->t->name, text);
}

/* True if all its runs were right. */
static bool do_row(struct tdtest *t, struct row *row)
{
    tdtest_progress(t, "%u ranks, %s delays", (unsigned)row->ranks,
                    jd_conform_law_name(row->law));
    for (row->count = 0; row->count < TYPICAL * t->seeds; row->count++) {
        const struct jd_conform_load load = load_of(row, row->count);
        struct jd_conform_timing *r = &row->result[row->count];
        if (jd_conform_time(&t->subject, &load, r) == JD_CONFORM_RIGHT)
            continue;
        tdtest_ok(t, false, "%s: %u ranks, %s delays, work %s, seed %llu", t->name,
                  (unsigned)row->ranks, jd_conform_law_name(row->law),
                  jd_conform_work_name(load.work), (unsigned long long)load.seed);
        tdtest_say("%s", r->text);
        return false;
    }
    tdtest_progress(t, "%s", "");
    print_row(row);
    return true;
}

static bool do_rows(struct tdtest *t, FILE *data)
{
    static const uint64_t standard[] = {2, 4, 16, 64, 256, 1024};
    const uint64_t *ranks = t->nranks ? t->ranks : standard;
    unsigned n = t->nranks ? t->nranks : JDI_ARRAY_LEN(standard);
    struct row *row = calloc(1, sizeof *row);
    bool good = true;
    JD_CHECK(row != NULL);
    row->t = t;
    row->data = data;
    print_head(t);
    for (unsigned i = 0; good && i < n; i++)
        for (unsigned law = 0; good && law < JD_CONFORM_LAWS; law++) {
            row->ranks = (uint32_t)ranks[i];
            row->law = (enum jd_conform_law)law;
            good = do_row(t, row);
        }
    free(row);
    return good;
}

void tdtest_timed(struct tdtest *t)
{
    FILE *data = NULL;
    if (t->data && !(data = fopen(t->data, "a"))) {
        tdtest_ok(t, false, "%s can be written", t->data);
        return;
    }
    if (do_rows(t, data))
        tdtest_ok(t, true, "%s: right in virtual time, %llu seeds of each work load",
                  t->name, (unsigned long long)t->seeds);
    if (data && fclose(data) != 0)
        tdtest_ok(t, false, "%s is written", t->data);
}
