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
    tdtest_put_data(row->t, text);
}

static void accuse(struct tdtest *t, const struct jd_conform_load *load, const char *text)
{
    tdtest_ok(t, false, "%s: %u ranks, %s delays, work %s, seed %llu", t->name,
              (unsigned)load->ranks, jd_conform_law_name(load->law),
              jd_conform_work_name(load->work), (unsigned long long)load->seed);
    tdtest_say("%s", text);
    struct jd_conform_run *run = jd_conform_time_again(&t->subject, load);
    tdtest_accuse(t, run);
    jd_conform_run_free(run);
}

static void do_row(struct tdtest *t, struct row *row)
{
    for (row->count = 0; row->count < TYPICAL * t->seeds; row->count++) {
        const struct jd_conform_load load = load_of(row, row->count);
        struct jd_conform_timing *r = &row->result[row->count];
        if (tdtest_is_stopped(t))
            return;
        if (jd_conform_time(&t->subject, &load, r) == JD_CONFORM_RIGHT)
            continue;
        accuse(t, &load, r->text);
        return;
    }
    print_row(row);
}

static const uint64_t standard[] = {2, 4, 16, 64, 256, 1024};

static void row_job(struct tdtest *t, unsigned job)
{
    struct row *row = calloc(1, sizeof *row);
    JD_CHECK(row != NULL);
    row->t = t;
    row->ranks = (uint32_t)(t->nranks ? t->ranks : standard)[job / JD_CONFORM_LAWS];
    row->law = (enum jd_conform_law)(job % JD_CONFORM_LAWS);
    do_row(t, row);
    free(row);
}

/* ---- loads of which nothing is shown but that they are right ------------------------------ */

enum { LOADS_PER_JOB = 6 };

static bool wanted(const struct tdtest *t, uint32_t ranks)
{
    bool any = t->nranks == 0;
    for (unsigned i = 0; i < t->nranks; i++)
        any |= t->ranks[i] == ranks;
    return any;
}

static unsigned loads_of(const struct tdtest *t)
{
    struct jd_conform_load load;
    unsigned count = 0;
    for (size_t i = 0; jd_conform_load_at(i, t->seed, &load); i++)
        count += wanted(t, load.ranks);
    return count;
}

static void load_job(struct tdtest *t, unsigned job)
{
    struct jd_conform_load load;
    struct jd_conform_timing r;
    unsigned at = 0;
    for (size_t i = 0; jd_conform_load_at(i, t->seed, &load); i++) {
        if (!wanted(t, load.ranks) || at++ / LOADS_PER_JOB != job)
            continue;
        if (tdtest_is_stopped(t))
            return;
        if (jd_conform_time(&t->subject, &load, &r) == JD_CONFORM_RIGHT)
            continue;
        accuse(t, &load, r.text);
        return;
    }
}

static void do_loads(struct tdtest *t)
{
    unsigned loads = loads_of(t), failed = t->failed;
    if (loads == 0)
        return;
    tdtest_each(t, (loads + LOADS_PER_JOB - 1) / LOADS_PER_JOB, true, load_job);
    if (t->failed == failed)
        tdtest_ok(t, true, "%s: right in %u loads of other sizes and kinds", t->name,
                  loads);
}

void tdtest_timed(struct tdtest *t)
{
    unsigned n = t->nranks ? t->nranks : JDI_ARRAY_LEN(standard), failed = t->failed;
    if (t->data && !(t->data_file = fopen(t->data, "a"))) {
        tdtest_ok(t, false, "%s can be written", t->data);
        return;
    }
    print_head(t);
    tdtest_each(t, n * JD_CONFORM_LAWS, true, row_job);
    if (t->failed == failed)
        tdtest_ok(t, true, "%s: right in virtual time, %llu seeds of each work load",
                  t->name, (unsigned long long)t->seeds);
    if (t->data_file && fclose(t->data_file) != 0)
        tdtest_ok(t, false, "%s is written", t->data);
    t->data_file = NULL;
    do_loads(t);
}
