/*
 * report_steals.c - which ranks took tasks of which.
 *
 * Role: the matrix of steals between ranks, from a trace; their sums, from the figures.
 * Owner: one thread.
 * Invariants: I1, I2 of report.h.
 * See: report.h; core/trace.def, GIVEN.
 */
#include "tools/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { SIDE_MOST = 32, PAIRS_LISTED = 100, NUMBERS_MOST = 6, TOP = 40 };

struct pair {
    uint32_t thief, victim; /* groups */
    uint64_t steals, tasks;
};

struct matrix {
    struct report_groups g;
    struct pair cell[SIDE_MOST * SIDE_MOST];
    uint64_t steals, tasks, most;
    uint32_t nranks, thief; /* the rank that is looked at */
};

static void count_given(void *matrix, const struct jdi_trace_event *e)
{
    struct matrix *m = matrix;
    uint64_t victim = jdi_trace_a(e);
    if (jdi_trace_kind(e) != JDI_TRACE_GIVEN || victim >= m->nranks)
        return;
    struct pair *p = &m->cell[m->thief / m->g.each * m->g.n + victim / m->g.each];
    p->steals++;
    p->tasks += e->b;
    m->steals++;
    m->tasks += e->b;
    m->most = p->tasks > m->most ? p->tasks : m->most;
}

static void count_matrix(const struct trace *t, uint32_t nranks, struct matrix *m)
{
    *m = (struct matrix){.nranks = nranks, .g = report_axis_groups(nranks, SIDE_MOST)};
    for (uint32_t i = 0; i < m->g.n * m->g.n; i++) {
        m->cell[i].thief = i / m->g.n;
        m->cell[i].victim = i % m->g.n;
    }
    for (size_t i = 0; i < t->nthreads; i++) {
        m->thief = t->thread[i].rank;
        trace_each(&t->thread[i], count_given, m);
    }
}

/* ---- the picture ------------------------------------------------------------------------ */

/* The area of a square is its number of tasks; where there is room the number stands below it. */
static void draw_cell(struct report *r, const struct matrix *m, const struct pair *p,
                      double pitch)
{
    double most = pitch * (m->g.n <= NUMBERS_MOST ? 0.6 : 0.92);
    double side = most * sqrt((double)p->tasks / (double)m->most);
    double x = REPORT_LEFT + pitch * (p->victim + 0.5);
    double y = TOP + pitch * (p->thief + (m->g.n <= NUMBERS_MOST ? 0.38 : 0.5));
    char tip[160], thief[48], victim[48], tasks[32];
    if (!p->tasks)
        return;
    report_name_group(&m->g, p->thief, "rank", thief);
    report_name_group(&m->g, p->victim, "rank", victim);
    snprintf(tip, sizeof tip, "%s took %s tasks of %s", thief,
             report_axis_count(p->tasks, tasks), victim);
    side = side < 1.5 ? 1.5 : side;
    report_bar(r, REPORT_WORK, (double[]){x - side / 2, y - side / 2, side, side}, tip);
    if (m->g.n <= NUMBERS_MOST)
        report_label(r, x, TOP + pitch * (p->thief + 0.94), "middle", tasks);
}

static void draw_names(struct report *r, const struct matrix *m, double pitch)
{
    double end = REPORT_LEFT + pitch * m->g.n;
    uint32_t every = 1;
    while (every * pitch < (m->nranks > 999 ? 48 : 32) && every < m->g.n)
        every *= 2;
    report_label(r, REPORT_LEFT + pitch * m->g.n / 2.0, 12, "middle", "of rank");
    report_label(r, REPORT_LEFT - 6, TOP - 8, "end", "by rank");
    for (uint32_t i = 0; i <= m->g.n; i++) {
        double at = pitch * i;
        char name[48];
        report_line(r, "grid", (double[]){REPORT_LEFT, TOP + at, end, TOP + at});
        report_line(
            r, "grid",
            (double[]){REPORT_LEFT + at, TOP, REPORT_LEFT + at, TOP + pitch * m->g.n});
        if (i == m->g.n)
            continue;
        report_name_tick(&m->g, i, name);
        if (m->g.n <= 16 || i % 2 == 0)
            report_label(r, REPORT_LEFT - 6, TOP + at + pitch / 2 + 4, "end", name);
        snprintf(name, sizeof name, "%" PRIu32, report_axis_first(&m->g, i));
        if (i % every == 0)
            report_label(r, REPORT_LEFT + at + pitch / 2, TOP - 8, "middle", name);
    }
}

/* ---- all -------------------------------------------------------------------------------- */

static int by_tasks(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    return a->tasks > b->tasks ? -1 : a->tasks < b->tasks;
}

static void write_pairs(struct report *r, struct matrix *m)
{
    static const char *const columns[] = {"by rank", "of rank", "steals", "tasks"};
    uint32_t cells = m->g.n * m->g.n;
    qsort(m->cell, cells, sizeof *m->cell, by_tasks);
    report_figure_table(r, columns, JDI_ARRAY_LEN(columns));
    for (uint32_t i = 0; i < cells && i < PAIRS_LISTED && m->cell[i].steals; i++) {
        const struct pair *p = &m->cell[i];
        char thief[48], victim[48];
        report_name_group(&m->g, p->thief, "", thief);
        report_name_group(&m->g, p->victim, "", victim);
        fprintf(r->to, "<tr id=\"steals-%" PRIu32 "-%" PRIu32 "\">",
                report_axis_first(&m->g, p->thief), report_axis_first(&m->g, p->victim));
        report_cell(r, thief);
        report_cell(r, victim);
        report_count(r, "steals", p->steals);
        report_count(r, "tasks", p->tasks);
        fputs("</tr>\n", r->to);
    }
}

static void show_matrix(struct report *r, struct matrix *m)
{
    double pitch = REPORT_INSIDE / (double)m->g.n;
    char tasks[32], steals[32];
    pitch = pitch > 64 ? 64 : pitch;
    fprintf(r->to,
            "<p>In the trace <data id=\"trace-tasks\" value=\"%" PRIu64
            "\">%s</data> tasks came with <data "
            "id=\"trace-steals\" value=\"%" PRIu64 "\">%s</data> steals.</p>\n",
            m->tasks, report_axis_count(m->tasks, tasks), m->steals,
            report_axis_count(m->steals, steals));
    if (!m->steals)
        return;
    report_figure(r, "Tasks that were stolen");
    report_picture(r,
                   "A row for each rank that took tasks, a column for each rank of which "
                   "it took them; the area of a "
                   "square is the number of tasks.",
                   TOP + pitch * m->g.n + 8);
    draw_names(r, m, pitch);
    for (uint32_t i = 0; i < m->g.n * m->g.n; i++)
        draw_cell(r, m, &m->cell[i], pitch);
    write_pairs(r, m);
    report_figure_end(r);
}

static void write_sums(struct report *r)
{
    const struct jdi_stats *s = &r->run[0].all;
    char asked[32], got[32], tasks[32], half[24], most[24];
    if (!s->attempts)
        fputs("<p>No rank asked another one for tasks.</p>\n", r->to);
    if (!s->attempts)
        return;
    fprintf(r->to,
            "<p><data id=\"attempts\" value=\"%" PRIu64
            "\">%s</data> requests for tasks went to other ranks, "
            "<data id=\"brought\" value=\"%" PRIu64
            "\">%s</data> of them brought tasks, together <data "
            "id=\"stolen_in\" value=\"%" PRIu64 "\">%s</data>.",
            s->attempts, report_axis_count(s->attempts, asked), s->steals,
            report_axis_count(s->steals, got), s->stolen_in,
            report_axis_count(s->stolen_in, tasks));
    if (s->steals)
        fprintf(
            r->to, " Half of these took up to %s, 99 of 100 up to %s.",
            trace_show_ns((double)jdi_stats_quantile(s->steal_ns, JDI_STATS_TIMES, 0.5),
                          half),
            trace_show_ns((double)jdi_stats_quantile(s->steal_ns, JDI_STATS_TIMES, 0.99),
                          most));
    fputs("</p>\n", r->to);
}

void report_steals(struct report *r)
{
    const struct jdi_figures *f = &r->run[0].f;
    if (f->nranks < 2)
        return;
    report_section(r, "steals", "Steals between ranks", NULL);
    write_sums(r);
    if (r->trace) {
        struct matrix *m = trace_grow(NULL, 1, sizeof *m);
        count_matrix(r->trace, f->nranks, m);
        show_matrix(r, m);
        free(m);
    } else {
        fputs("<p>Which ranks took tasks of which is in a trace, which was not "
              "given.</p>\n",
              r->to);
    }
    report_section_end(r);
}
