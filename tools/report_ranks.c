/*
 * report_ranks.c - time by kind over ranks.
 *
 * Role: a bar for each rank, or for each group of ranks; the numbers of ranks and threads.
 * Owner: one thread.
 * Invariants: I1, I2 of report.h.
 * See: report.h; doc/jackdaw-stats.7.md "TIME".
 */
#include "tools/report.h"

#include <inttypes.h>
#include <string.h>

enum { LINES = 256, TOP = 18, BOTTOM = 24 };

static const char *const kinds[] = {"tasks", "looking for work", "network", "detector",
                                    "asleep or waiting"};
static const enum report_fill kind_fill[] = {REPORT_WORK, REPORT_STEAL, REPORT_PROGRESS,
                                             REPORT_DETECT, REPORT_IDLE};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void parts_of(const struct jdi_stats *s, uint64_t part[KINDS])
{
    part[0] = s->ns_work;
    part[1] = s->ns_steal;
    part[2] = s->ns_progress;
    part[3] = s->ns_detect;
    part[4] = s->ns_idle;
}

/* What the workers of the ranks of a group have counted. */
static void add_workers(const struct jdi_figures *f, const struct report_groups *g,
                        uint32_t group, struct jdi_stats *out)
{
    uint32_t first = report_axis_first(g, group), n = report_axis_size(g, group);
    *out = (struct jdi_stats){0};
    for (uint32_t i = first; i < first + n; i++)
        for (uint32_t t = 0; t + 1 < f->rank[i].nthreads; t++)
            jdi_stats_add(out, &f->rank[i].thread[t]);
}

/* ---- the picture ------------------------------------------------------------------------ */

static void draw_bar(struct report *r, const struct jdi_stats *s, const char *name,
                     const double at[2])
{
    uint64_t part[KINDS];
    double x = REPORT_LEFT, life = (double)s->ns_life;
    char tip[160], share[16];
    parts_of(s, part);
    for (unsigned k = 0; k < KINDS && life > 0; k++) {
        double width = REPORT_INSIDE * (double)part[k] / life;
        snprintf(tip, sizeof tip, "%s: %s %s", name,
                 report_axis_percent((double)part[k], life, share), kinds[k]);
        if (part[k])
            report_bar(r, kind_fill[k], (double[]){x, at[0], width, at[1]}, tip);
        x += width;
    }
}

static void draw_percents(struct report *r, double height)
{
    for (int percent = 0; percent <= 100; percent += 25) {
        double x = REPORT_LEFT + REPORT_INSIDE * percent / 100.0;
        char text[16];
        snprintf(text, sizeof text, "%d%%", percent);
        report_line(r, "grid", (double[]){x, TOP - 2, x, height - BOTTOM + 3});
        report_label(r, x, height - BOTTOM + 16, "middle", text);
    }
}

static void draw_ranks(struct report *r, const struct report_groups *g)
{
    const struct jdi_figures *f = &r->run[0].f;
    double pitch = g->n <= 16   ? 22
                   : g->n <= 32 ? 15
                                : 8,
           height = TOP + pitch * g->n + BOTTOM;
    uint32_t every = pitch < 12 ? 2 : 1;
    char desc[160], share[16], name[48];
    snprintf(desc, sizeof desc,
             "A bar for %s: from left to right its shares of time in tasks, looking for "
             "work, in the network, in "
             "the detector, and asleep.",
             g->each == 1 ? "each rank" : "each group of ranks");
    report_picture(r, desc, height);
    draw_percents(r, height);
    report_label(r, REPORT_LEFT - 6, TOP - 5, "end", g->each == 1 ? "rank" : "ranks");
    report_label(r, REPORT_WIDTH - 2, TOP - 5, "end", "tasks");
    for (uint32_t i = 0; i < g->n; i++) {
        struct jdi_stats s;
        double y = TOP + pitch * i;
        add_workers(f, g, i, &s);
        report_name_group(g, i, "rank", name);
        draw_bar(r, &s, name, (double[]){y, pitch * 0.8});
        if (i % every)
            continue;
        report_name_tick(g, i, name);
        report_label(r, REPORT_LEFT - 6, y + pitch * 0.4 + 4, "end", name);
        report_axis_percent((double)s.ns_work, (double)s.ns_life, share);
        report_label(r, REPORT_WIDTH - 2, y + pitch * 0.4 + 4, "end", share);
    }
}

/* ---- the table -------------------------------------------------------------------------- */

static void write_row(struct report *r, const char *id, const char *name,
                      const char *host, const struct jdi_stats *s)
{
    fprintf(r->to, "<tr id=\"%s\"><th scope=\"row\">%s</th>", id, name);
    report_cell(r, host);
    report_count(r, "executed", s->executed);
    report_count(r, "stolen_in", s->stolen_in);
    report_count(r, "stolen_out", s->stolen_out);
    report_ns(r, "ns_life", s->ns_life);
    report_percent(r, "ns_work", s->ns_work, s->ns_life);
    report_percent(r, "ns_steal", s->ns_steal, s->ns_life);
    report_percent(r, "ns_progress", s->ns_progress, s->ns_life);
    report_percent(r, "ns_detect", s->ns_detect, s->ns_life);
    report_percent(r, "ns_idle", s->ns_idle, s->ns_life);
    report_ns(r, "ns_cpu", s->ns_cpu);
    fputs("</tr>\n", r->to);
}

static void write_threads(struct report *r, const struct jdi_figures_rank *rank)
{
    char id[64], name[64];
    for (uint32_t t = 0; t < rank->nthreads; t++) {
        bool last = t + 1 == rank->nthreads;
        if (last && !rank->thread[t].ns_life) /* worker 0 communicates */
            continue;
        snprintf(id, sizeof id, "rank-%" PRIu32 "-%" PRIu32, rank->rank, t);
        if (last)
            snprintf(name, sizeof name, "communication");
        else
            snprintf(name, sizeof name, "worker %" PRIu32, t);
        write_row(r, id, name, "", &rank->thread[t]);
    }
}

static const char *host_of(const struct jdi_figures *f, uint32_t first, uint32_t n)
{
    for (uint32_t i = first + 1; i < first + n; i++)
        if (strcmp(f->rank[i].host, f->rank[first].host))
            return "several";
    return f->rank[first].host;
}

static void write_ranks(struct report *r)
{
    static const char *const columns[] = {
        "rank",     "host",    "tasks run", "came",     "went",   "life",
        "in tasks", "looking", "network",   "detector", "asleep", "processor"};
    const struct jdi_figures *f = &r->run[0].f;
    struct report_groups g = report_axis_groups(f->n, LINES);
    uint64_t threads = 0;
    for (uint32_t i = 0; i < f->n; i++)
        threads += f->rank[i].nthreads;
    report_figure_table(r, columns, JDI_ARRAY_LEN(columns));
    write_row(r, "ranks-all", "all", "", &r->run[0].all);
    for (uint32_t i = 0; i < g.n; i++) {
        uint32_t first = report_axis_first(&g, i), n = report_axis_size(&g, i);
        struct jdi_stats s = {0};
        char id[32], name[48];
        for (uint32_t k = first; k < first + n; k++)
            jdi_stats_add(&s, &f->rank[k].all);
        snprintf(id, sizeof id, "rank-%" PRIu32, first);
        report_name_group(&g, i, "rank", name);
        write_row(r, id, name, host_of(f, first, n), &s);
        if (threads <= LINES && f->rank[i].nthreads > 2)
            write_threads(r, &f->rank[i]);
    }
}

/* ---- all -------------------------------------------------------------------------------- */

static void write_extremes(struct report *r)
{
    const struct jdi_figures *f = &r->run[0].f;
    struct report_groups single = report_axis_groups(f->n, f->n);
    struct jdi_stats least = {0}, most = {0};
    uint32_t low = 0, high = 0;
    char a[16], b[16];
    for (uint32_t i = 0; i < f->n; i++) {
        struct jdi_stats s;
        add_workers(f, &single, i, &s);
        if (!i || (double)s.ns_work * (double)least.ns_life <
                      (double)least.ns_work * (double)s.ns_life) {
            least = s;
            low = i;
        }
        if (!i || (double)s.ns_work * (double)most.ns_life >
                      (double)most.ns_work * (double)s.ns_life) {
            most = s;
            high = i;
        }
    }
    report_axis_percent((double)most.ns_work, (double)most.ns_life, a);
    report_axis_percent((double)least.ns_work, (double)least.ns_life, b);
    if (!strcmp(a, b))
        fprintf(r->to,
                "<p>The workers of all ranks were in tasks for %s of their time.</p>\n",
                a);
    else
        fprintf(r->to,
                "<p>In tasks for the largest share of their time were the workers of "
                "rank %" PRIu32 ", with %s, for the smallest those of rank %" PRIu32
                ", with %s.</p>\n",
                high, a, low, b);
}

void report_ranks(struct report *r)
{
    const struct jdi_figures *f = &r->run[0].f;
    struct report_groups g = report_axis_groups(f->n, REPORT_BARS);
    report_section(r, "ranks", "Time by kind over ranks", NULL);
    if (f->n > 1)
        write_extremes(r);
    report_figure(r, "Where the time of the workers went");
    report_legend(r, kind_fill, kinds, KINDS);
    draw_ranks(r, &g);
    write_ranks(r);
    report_figure_end(r);
    report_section_end(r);
}
