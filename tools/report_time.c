/*
 * report_time.c - time by kind over time.
 *
 * Role: what the workers did in each part of the run, all together and by rank, from a trace.
 * Owner: one thread.
 * Invariants: I1, I2 of report.h.
 * See: report.h; tools/trace_pieces.c.
 */
#include "tools/report.h"

#include <inttypes.h>
#include <stdlib.h>

enum { BINS = 48, ROWS = 32, TOP = 10, TALL = 170, BOTTOM = 40 };

/* ns of a group of ranks, by part of the run. */
struct spent {
    double life[BINS], tasks[BINS], sleep[BINS];
};

struct over_time {
    uint64_t range[2];
    struct report_groups g;
    struct spent all, row[ROWS];
};

/* ---- counting --------------------------------------------------------------------------- */

static void add_spread(struct over_time *o, uint32_t rank, size_t offset, uint64_t from,
                       uint64_t to)
{
    char *all = (char *)&o->all + offset,
         *row = (char *)&o->row[rank / o->g.each] + offset;
    report_axis_spread((double *)(void *)all, BINS, o->range, from, to);
    report_axis_spread((double *)(void *)row, BINS, o->range, from, to);
}

/* When the events begin that are left of a thread. */
static uint64_t first_of(const struct trace_thread *th, uint64_t start)
{
    uint64_t from = UINT64_MAX;
    if (!th->lost)
        return start;
    from = th->npieces ? th->piece[0].from : from;
    return th->nsleeps && th->sleep[0].from < from ? th->sleep[0].from : from;
}

/* Tasks that run on the stack of another one lie inside of its piece. */
static void count_thread(struct over_time *o, const struct trace_thread *th)
{
    uint64_t covered = 0;
    for (size_t i = 0; i < th->npieces; i++) {
        const struct trace_piece *p = &th->piece[i];
        add_spread(o, th->rank, offsetof(struct spent, tasks),
                   p->from > covered ? p->from : covered, p->to);
        covered = p->to > covered ? p->to : covered;
    }
    for (size_t i = 0; i < th->nsleeps; i++)
        add_spread(o, th->rank, offsetof(struct spent, sleep), th->sleep[i].from,
                   th->sleep[i].to);
}

/* The workers of a rank, also those that have recorded nothing. */
static size_t count_rank(struct over_time *o, const struct trace *t, size_t at)
{
    const struct trace_rank *rank = t->thread[at].of;
    uint64_t start = rank->start ? rank->start : t->begin,
             end = rank->ended ? rank->ended : t->end;
    unsigned seen = 0;
    for (; at < t->nthreads && t->thread[at].of == rank; at++) {
        const struct trace_thread *th = &t->thread[at];
        if (rank->known && th->owner >= rank->workers)
            continue; /* it communicates */
        seen++;
        add_spread(o, th->rank, offsetof(struct spent, life), first_of(th, start), end);
        count_thread(o, th);
    }
    for (; rank->known && seen < rank->workers && seen < UINT16_MAX; seen++)
        add_spread(o, rank->rank, offsetof(struct spent, life), start, end);
    return at;
}

static void count_trace(struct over_time *o, const struct trace *t, uint32_t nranks)
{
    o->range[0] = t->begin;
    o->range[1] = t->end;
    for (size_t i = 0; i < t->nranks; i++)
        if (t->rank[i].start && t->rank[i].start < o->range[0])
            o->range[0] = t->rank[i].start;
    o->g = report_axis_groups(nranks, ROWS);
    for (size_t i = 0; i < t->nthreads;)
        i = count_rank(o, t, i);
}

/* ---- axes ------------------------------------------------------------------------------- */

static double x_of(double part, double whole)
{
    return REPORT_LEFT + REPORT_INSIDE * part / whole;
}

static void draw_shares(struct report *r)
{
    for (int percent = 0; percent <= 100; percent += 25) {
        double y = TOP + TALL * (100 - percent) / 100.0;
        char text[16];
        snprintf(text, sizeof text, "%d%%", percent);
        report_line(r, "grid",
                    (double[]){REPORT_LEFT - 4, y, REPORT_LEFT + REPORT_INSIDE, y});
        report_label(r, REPORT_LEFT - 8, y + 4, "end", text);
    }
}

/* ---- all workers ------------------------------------------------------------------------ */

static double other_of(const struct spent *s, unsigned i)
{
    double rest = s->life[i] - s->tasks[i] - s->sleep[i];
    return rest > 0 ? rest : 0;
}

static void draw_bin(struct report *r, const struct spent *s, unsigned i)
{
    const enum report_fill fill[] = {REPORT_WORK, REPORT_STEAL, REPORT_IDLE};
    const double part[] = {s->tasks[i], other_of(s, i), s->sleep[i]};
    double sum = part[0] + part[1] + part[2], y = TOP + TALL;
    for (unsigned k = 0; k < 3 && sum > 0; k++) {
        double high = TALL * part[k] / sum;
        y -= high;
        if (high > 0.05)
            report_bar(r, fill[k],
                       (double[]){x_of(i, BINS), y, REPORT_INSIDE / (double)BINS, high},
                       NULL);
    }
}

static void write_bins(struct report *r, const struct over_time *o)
{
    static const char *const columns[] = {"from", "to", "in tasks", "other", "asleep"};
    const struct spent *s = &o->all;
    double width = (double)(o->range[1] - o->range[0]) / BINS;
    report_figure_table(r, columns, JDI_ARRAY_LEN(columns));
    for (unsigned i = 0; i < BINS; i++) {
        uint64_t part[] = {(uint64_t)s->tasks[i], (uint64_t)other_of(s, i),
                           (uint64_t)s->sleep[i]};
        uint64_t sum = part[0] + part[1] + part[2];
        fputs("<tr>", r->to);
        report_ns(r, "from", (uint64_t)(i * width));
        report_ns(r, "to", (uint64_t)((i + 1) * width));
        report_percent(r, "tasks", part[0], sum);
        report_percent(r, "other", part[1], sum);
        report_percent(r, "sleep", part[2], sum);
        fputs("</tr>\n", r->to);
    }
}

static void show_all(struct report *r, const struct over_time *o)
{
    static const char *const names[] = {"tasks", "looking for work, network", "asleep"};
    const enum report_fill fill[] = {REPORT_WORK, REPORT_STEAL, REPORT_IDLE};
    report_figure(r, "What the workers did, over time");
    report_legend(r, fill, names, 3);
    report_picture(r,
                   "From left to right the time of the run; from the bottom up the "
                   "shares of all workers that ran tasks, "
                   "did something else, or slept.",
                   TOP + TALL + BOTTOM);
    draw_shares(r);
    for (unsigned i = 0; i < BINS; i++)
        draw_bin(r, &o->all, i);
    fprintf(r->to,
            "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
            REPORT_LEFT, TOP, REPORT_INSIDE, TALL);
    report_times(r, (double)(o->range[1] - o->range[0]), TOP + TALL, TOP + TALL);
    report_label(r, REPORT_LEFT + REPORT_INSIDE / 2.0, TOP + TALL + 34, "middle",
                 "time since the start");
    write_bins(r, o);
    report_figure_end(r);
}

/* ---- by rank ---------------------------------------------------------------------------- */

enum { SHADES = 8 };

static unsigned shade_of(const struct spent *s, unsigned i)
{
    double share = s->life[i] > 0 ? s->tasks[i] / s->life[i] : 0;
    unsigned shade = share >= 1 ? SHADES : (unsigned)(share * SHADES + 0.5);
    return shade || share < 0.005 ? shade : 1; /* a little is not nothing */
}

static void draw_shade(struct report *r, unsigned shade, const double box[4])
{
    if (shade)
        fprintf(r->to,
                "<rect class=\"heat\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
                "height=\"%.2f\" fill-opacity=\"%.3f\"/>\n",
                box[0], box[1], box[2], box[3], (double)shade / SHADES);
}

/* Parts of the same shade that follow each other are one rectangle. */
static void draw_row(struct report *r, const struct spent *s, double y, double high)
{
    for (unsigned i = 0, n; i < BINS; i += n) {
        unsigned shade = shade_of(s, i);
        for (n = 1; i + n < BINS && shade_of(s, i + n) == shade;)
            n++;
        draw_shade(r, shade,
                   (double[]){x_of(i, BINS), y, REPORT_INSIDE * (double)n / BINS, high});
    }
}

static void draw_scale(struct report *r, double y)
{
    for (unsigned i = 0; i <= SHADES; i++) {
        double box[] = {REPORT_LEFT + 24 + 16.0 * i, y, 16, 12};
        draw_shade(r, i, box);
        fprintf(
            r->to,
            "<rect class=\"frame\" x=\"%.2f\" y=\"%.2f\" width=\"16\" height=\"12\"/>\n",
            box[0], y);
    }
    report_label(r, REPORT_LEFT + 18, y + 10, "end", "0%");
    report_label(r, REPORT_LEFT + 24 + 16.0 * (SHADES + 1) + 6, y + 10, "start",
                 "100% in tasks");
}

static void write_rows(struct report *r, const struct over_time *o)
{
    static const char *const columns[] = {"ranks", "first quarter", "second", "third",
                                          "last"};
    report_figure_table(r, columns, JDI_ARRAY_LEN(columns));
    for (uint32_t i = 0; i < o->g.n; i++) {
        char name[48];
        report_name_group(&o->g, i, "", name);
        fprintf(r->to, "<tr><th scope=\"row\">%s</th>", name);
        for (unsigned q = 0; q < 4; q++) {
            double tasks = 0, life = 0;
            for (unsigned k = q * BINS / 4; k < (q + 1) * BINS / 4; k++) {
                tasks += o->row[i].tasks[k];
                life += o->row[i].life[k];
            }
            report_percent(r, "tasks", (uint64_t)tasks, (uint64_t)life);
        }
        fputs("</tr>\n", r->to);
    }
}

static void show_rows(struct report *r, const struct over_time *o)
{
    double pitch = o->g.n <= 12 ? 22 : 13, bottom = TOP + 12 + pitch * o->g.n;
    report_figure(r, "Share of time in tasks, by rank over time");
    report_picture(r,
                   "A row for each rank or group of ranks; from left to right the time "
                   "of the run; the more of its "
                   "workers ran tasks, the stronger.",
                   bottom + 62);
    report_label(r, REPORT_LEFT - 6, TOP + 6, "end", o->g.each == 1 ? "rank" : "ranks");
    for (uint32_t i = 0; i < o->g.n; i++) {
        double y = TOP + 12 + pitch * i;
        char name[48];
        draw_row(r, &o->row[i], y, pitch - 1.5);
        report_name_tick(&o->g, i, name);
        report_label(r, REPORT_LEFT - 6, y + pitch / 2 + 3.5, "end", name);
    }
    fprintf(r->to,
            "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%.1f\"/>\n",
            REPORT_LEFT, TOP + 11, REPORT_INSIDE, pitch * o->g.n + 1);
    report_times(r, (double)(o->range[1] - o->range[0]), bottom, bottom);
    draw_scale(r, bottom + 38);
    write_rows(r, o);
    report_figure_end(r);
}

/* ---- all -------------------------------------------------------------------------------- */

/* What the trace does not have. */
static void write_losses(struct report *r)
{
    const struct trace *t = r->trace;
    uint64_t lost = t->dropped;
    char text[32];
    for (size_t i = 0; i < t->nthreads; i++)
        lost += t->thread[i].lost;
    if (lost)
        fprintf(
            r->to,
            "<p class=\"warn\"><data id=\"lost\" value=\"%" PRIu64
            "\">%s</data> events found no room in the trace, so what comes from it is of "
            "the rest: raise JACKDAW_TRACE_SIZE.</p>\n",
            lost, report_axis_count(lost, text));
    if (t->nranks < r->run[0].f.nranks)
        fprintf(r->to,
                "<p class=\"warn\">The trace has %zu of the %" PRIu32 " ranks.</p>\n",
                t->nranks, r->run[0].f.nranks);
}

void report_time(struct report *r)
{
    const struct jdi_figures *f = &r->run[0].f;
    struct over_time *o = trace_grow(NULL, 1, sizeof *o);
    *o = (struct over_time){0};
    report_section(
        r, "time", "Time by kind over time",
        r->trace ? NULL
                 : "What the workers did when is in a trace. Run the program with "
                   "JACKDAW_TRACE=FILE, too, "
                   "and give the file to jackdaw-report behind that of the figures.");
    if (r->trace)
        write_losses(r);
    fputs("<div class=\"figures\">\n", r->to);
    if (r->trace) {
        count_trace(o, r->trace, f->nranks);
        show_all(r, o);
        show_rows(r, o);
    }
    report_phases(r);
    fputs("</div>\n", r->to);
    report_section_end(r);
    free(o);
}
