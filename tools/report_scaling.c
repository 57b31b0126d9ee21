/*
 * report_scaling.c - several runs beside each other.
 *
 * Role: speed-up and efficiency against the number of ranks, with the ideal; a table of the runs.
 * Owner: one thread.
 * Invariants: I1, I2 of report.h.
 *             I3 what is compared is tasks in a second: if all runs ran as many tasks, that is time.
 * See: report.h.
 */
#include "tools/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOP = 26, TALL = 240, BOTTOM = 42, TICKS = 10, RUNS_LISTED = 256 };

/* All runs of as many ranks, or workers. */
struct point {
    uint32_t at;
    uint32_t runs;
    double rate, least,
        most; /* tasks in a second: the middle one, the slowest, the fastest */
};

struct scaling {
    struct point *p;
    size_t n;
    bool by_workers; /* ranks have not the same number of workers in all runs */
    bool same_tasks, same_program;
};

static uint32_t size_of(const struct scaling *s, const struct report_run *run)
{
    return s->by_workers ? run->f.nranks * run->workers : run->f.nranks;
}

static double rate_of(const struct report_run *run)
{
    return run->f.wall > 0 ? (double)run->all.executed / run->f.wall : 0;
}

/* ---- the points ------------------------------------------------------------------------- */

static int by_number(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static int by_size(const void *left, const void *right)
{
    const struct point *a = left, *b = right;
    return a->at < b->at ? -1 : a->at > b->at;
}

static void add_point(struct report *r, struct scaling *s, uint32_t at)
{
    double *rate = trace_grow(NULL, r->nruns, sizeof *rate);
    uint32_t n = 0;
    for (size_t i = 0; i < r->nruns; i++)
        if (size_of(s, &r->run[i]) == at)
            rate[n++] = rate_of(&r->run[i]);
    qsort(rate, n, sizeof *rate, by_number);
    s->p[s->n++] = (struct point){.at = at,
                                  .runs = n,
                                  .rate = (rate[(n - 1) / 2] + rate[n / 2]) / 2,
                                  .least = rate[0],
                                  .most = rate[n - 1]};
    free(rate);
}

static void find_points(struct report *r, struct scaling *s)
{
    const struct report_run *first = &r->run[0];
    *s = (struct scaling){.same_tasks = true, .same_program = true};
    s->p = trace_grow(NULL, r->nruns, sizeof *s->p);
    for (size_t i = 1; i < r->nruns; i++) {
        const struct report_run *run = &r->run[i];
        s->by_workers |= run->workers != first->workers;
        s->same_tasks &= run->all.executed == first->all.executed;
        s->same_program &= !strcmp(run->f.program, first->f.program);
    }
    for (size_t i = 0; i < r->nruns; i++) {
        uint32_t at = size_of(s, &r->run[i]);
        bool there = false;
        for (size_t k = 0; k < s->n; k++)
            there |= s->p[k].at == at;
        if (!there && r->run[i].all.executed && r->run[i].f.wall > 0)
            add_point(r, s, at);
    }
    qsort(s->p, s->n, sizeof *s->p, by_size);
}

/* How many times the rate of the smallest run, as if that had been ideal. */
static double speedup(const struct scaling *s, double rate)
{
    return s->p[0].rate > 0 ? s->p[0].at * rate / s->p[0].rate : 0;
}

/* ---- axes ------------------------------------------------------------------------------- */

static double x_of(const struct scaling *s, double at)
{
    double low = log2(s->p[0].at), high = log2(s->p[s->n - 1].at);
    double part = high > low ? (log2(at) - low) / (high - low) : 0.5;
    return REPORT_LEFT + 14 + (REPORT_INSIDE - 28) * part;
}

/* A number stands below each point that has room behind the one before. */
static void draw_sizes(struct report *r, const struct scaling *s)
{
    double last = -100;
    for (size_t i = 0; i < s->n; i++) {
        double x = x_of(s, s->p[i].at);
        char text[32];
        report_line(r, "axis", (double[]){x, TOP + TALL, x, TOP + TALL + 4});
        report_axis_count(s->p[i].at, text);
        report_tick(r, x, TOP + TALL + 17, text, &last);
    }
    report_line(
        r, "axis",
        (double[]){REPORT_LEFT, TOP + TALL, REPORT_LEFT + REPORT_INSIDE, TOP + TALL});
    report_label(r, REPORT_LEFT + REPORT_INSIDE / 2.0, TOP + TALL + 36, "middle",
                 s->by_workers ? "workers of all ranks" : "ranks");
}

/* The curve with its points; y[i] of the middle, the slowest and the fastest. */
static void draw_curve(struct report *r, const struct scaling *s, const double (*y)[3])
{
    fputs("<polyline class=\"curve\" points=\"", r->to);
    for (size_t i = 0; i < s->n; i++)
        fprintf(r->to, "%s%.1f,%.1f", i ? " " : "", x_of(s, s->p[i].at), y[i][0]);
    fputs("\"/>\n", r->to);
    for (size_t i = 0; i < s->n; i++) {
        double x = x_of(s, s->p[i].at);
        if (s->p[i].runs > 1)
            report_line(r, "range", (double[]){x, y[i][1], x, y[i][2]});
        fprintf(r->to, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n", x,
                y[i][0]);
    }
}

/* ---- speed-up --------------------------------------------------------------------------- */

/* Of a logarithmic axis from `low` to `high`. */
static double log_y(double value, double low, double high)
{
    double part = value > low ? log2(value / low) / log2(high / low) : 0;
    return TOP + TALL * (1 - part);
}

static void draw_powers(struct report *r, double low, double high)
{
    double step = 2;
    while (log2(high / low) / log2(step) > TICKS)
        step *= 2;
    for (double at = exp2(ceil(log2(low) - 1e-9)); at <= high * 1.0001; at *= step) {
        char text[32];
        double y = log_y(at, low, high);
        snprintf(text, sizeof text, "%g", at);
        report_line(r, "grid",
                    (double[]){REPORT_LEFT - 4, y, REPORT_LEFT + REPORT_INSIDE, y});
        report_label(r, REPORT_LEFT - 8, y + 4, "end", text);
    }
}

static void show_speedup(struct report *r, const struct scaling *s, double (*y)[3])
{
    double low = s->p[0].at, high = s->p[s->n - 1].at, last = -100;
    for (size_t i = 0; i < s->n; i++) {
        double slow = speedup(s, s->p[i].least), fast = speedup(s, s->p[i].most);
        low = slow < low && slow > 0 ? slow : low;
        high = fast > high ? fast : high;
    }
    low = exp2(floor(log2(low)));
    high = high > low ? high : 2 * low;
    for (size_t i = 0; i < s->n; i++) {
        y[i][0] = log_y(speedup(s, s->p[i].rate), low, high);
        y[i][1] = log_y(speedup(s, s->p[i].least), low, high);
        y[i][2] = log_y(speedup(s, s->p[i].most), low, high);
    }
    report_picture(r,
                   "From left to right more ranks, from the bottom up a larger speed-up, "
                   "both logarithmic; the dashed "
                   "line is the ideal.",
                   TOP + TALL + BOTTOM);
    draw_powers(r, low, high);
    report_label(r, REPORT_LEFT - 8, TOP - 12, "end", "speed-up");
    report_line(r, "ideal",
                (double[]){x_of(s, s->p[0].at), log_y(s->p[0].at, low, high),
                           x_of(s, s->p[s->n - 1].at),
                           log_y(s->p[s->n - 1].at, low, high)});
    draw_curve(r, s, (const double(*)[3])y);
    for (size_t i = 0; i < s->n; i++) {
        double x = x_of(s, s->p[i].at);
        char text[32];
        snprintf(text, sizeof text, "%.3g", speedup(s, s->p[i].rate));
        bool below = y[i][0] > TOP + TALL - 24;
        report_tick(r, x + (below ? -2 : 6), y[i][0] + (below ? -10 : 17), text, &last);
    }
    draw_sizes(r, s);
}

static void write_runs(struct report *r)
{
    static const char *const columns[] = {
        "run",   "started",           "ranks",   "workers in each", "time",
        "tasks", "tasks in a second", "in tasks"};
    report_figure_table(r, columns, JDI_ARRAY_LEN(columns));
    for (size_t i = 0; i < r->nruns && i < RUNS_LISTED; i++) {
        const struct report_run *run = &r->run[i];
        fprintf(r->to, "<tr id=\"run-%zu\">", i);
        report_cell(r, run->file);
        report_cell(r, run->start);
        report_count(r, "ranks", run->f.nranks);
        report_count(r, "workers", run->workers);
        report_ns(r, "wall", (uint64_t)(1e9 * run->f.wall + 0.5));
        report_count(r, "executed", run->all.executed);
        report_count(r, "rate", (uint64_t)(rate_of(run) + 0.5));
        report_percent(r, "ns_work", run->working.ns_work, run->working.ns_life);
        fputs("</tr>\n", r->to);
    }
}

/* ---- efficiency ------------------------------------------------------------------------- */

static double efficiency(const struct scaling *s, size_t i, double rate)
{
    return speedup(s, rate) / s->p[i].at;
}

static void write_points(struct report *r, const struct scaling *s)
{
    const char *columns[] = {s->by_workers ? "workers" : "ranks", "runs", "speed-up",
                             "efficiency"};
    report_figure_table(r, columns, JDI_ARRAY_LEN(columns));
    for (size_t i = 0; i < s->n; i++) {
        double up = speedup(s, s->p[i].rate);
        fprintf(r->to, "<tr id=\"point-%" PRIu32 "\">", s->p[i].at);
        report_count(r, "at", s->p[i].at);
        report_count(r, "runs", s->p[i].runs);
        fprintf(r->to,
                "<td class=\"n\"><data class=\"speedup\" "
                "value=\"%.6f\">%.3g</data></td><td class=\"n\"><data "
                "class=\"efficiency\" value=\"%.6f\">%.0f%%</data></td></tr>\n",
                up, up, up / s->p[i].at, 100 * up / s->p[i].at);
    }
}

static void show_efficiency(struct report *r, const struct scaling *s, double (*y)[3])
{
    double most = 1.1, last = -100;
    for (size_t i = 0; i < s->n; i++)
        most = fmax(most, 1.05 * efficiency(s, i, s->p[i].most));
    for (size_t i = 0; i < s->n; i++) {
        y[i][0] = TOP + TALL * (1 - efficiency(s, i, s->p[i].rate) / most);
        y[i][1] = TOP + TALL * (1 - efficiency(s, i, s->p[i].least) / most);
        y[i][2] = TOP + TALL * (1 - efficiency(s, i, s->p[i].most) / most);
    }
    report_picture(r,
                   "From left to right more ranks, from the bottom up a higher "
                   "efficiency; the dashed line is the "
                   "ideal, 100%.",
                   TOP + TALL + BOTTOM);
    double step = report_axis_step(most, 6);
    for (unsigned i = 0; i * step <= most; i++) {
        double at = TOP + TALL * (1 - i * step / most);
        char text[32];
        snprintf(text, sizeof text, "%.0f%%", 100 * i * step);
        report_line(r, "grid",
                    (double[]){REPORT_LEFT - 4, at, REPORT_LEFT + REPORT_INSIDE, at});
        report_label(r, REPORT_LEFT - 8, at + 4, "end", text);
    }
    report_line(r, "ideal",
                (double[]){REPORT_LEFT, TOP + TALL * (1 - 1 / most),
                           REPORT_LEFT + REPORT_INSIDE, TOP + TALL * (1 - 1 / most)});
    draw_curve(r, s, (const double(*)[3])y);
    for (size_t i = 0; i < s->n; i++) {
        double x = x_of(s, s->p[i].at), e = efficiency(s, i, s->p[i].rate);
        char text[32];
        snprintf(text, sizeof text, "%.0f%%", 100 * e);
        report_tick(r, x, y[i][0] + (y[i][0] < TOP + TALL - 30 ? 18 : -10), text, &last);
    }
    draw_sizes(r, s);
}

/* ---- all -------------------------------------------------------------------------------- */

static void write_lines(struct report *r)
{
    fputs("<ul class=\"legend\"><li><svg aria-hidden=\"true\" width=\"34\" "
          "height=\"12\"><line class=\"curve\" "
          "x1=\"0\" y1=\"6\" x2=\"34\" y2=\"6\"/><circle class=\"dot\" cx=\"17\" "
          "cy=\"6\" r=\"4\"/></svg> "
          "measured</li><li><svg aria-hidden=\"true\" width=\"34\" height=\"12\"><line "
          "class=\"ideal\" x1=\"0\" "
          "y1=\"6\" x2=\"34\" y2=\"6\"/></svg> ideal</li></ul>\n",
          r->to);
}

void report_scaling(struct report *r)
{
    struct scaling s;
    find_points(r, &s);
    report_section(r, "scaling", "Efficiency",
                   s.same_tasks ? "All runs ran as many tasks; their times are compared "
                                  "with that of the smallest, which "
                                  "counts as 100%. Of several runs of one size the "
                                  "middle one counts, and a line "
                                  "reaches from the slowest to the fastest. All other "
                                  "sections are about the first run."
                                : "The runs did not run as many tasks, so tasks in a "
                                  "second are compared with those of "
                                  "the smallest run, which counts as 100%. Of several "
                                  "runs of one size the middle one "
                                  "counts, and a line reaches from the slowest to the "
                                  "fastest. All other sections are "
                                  "about the first run.");
    if (!s.same_program)
        fputs("<p class=\"warn\">The runs are not all of the same program.</p>\n", r->to);
    if (s.n) {
        double(*y)[3] = trace_grow(NULL, s.n, sizeof *y);
        fputs("<div class=\"figures\">\n", r->to);
        report_figure(r, s.by_workers ? "Efficiency against workers"
                                      : "Efficiency against ranks");
        write_lines(r);
        show_efficiency(r, &s, y);
        write_points(r, &s);
        report_figure_end(r);
        report_figure(r, s.by_workers ? "Speed-up against workers"
                                      : "Speed-up against ranks");
        write_lines(r);
        show_speedup(r, &s, y);
        write_runs(r);
        report_figure_end(r);
        fputs("</div>\n", r->to);
        free(y);
    }
    free(s.p);
    report_section_end(r);
}
