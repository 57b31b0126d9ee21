/*
 * report_phases.c - phases of collections over time.
 *
 * Role: a lane for each collection with its phases, from the figures.
 * Owner: one thread.
 * Invariants: I1, I2 of report.h.
 * See: report.h; doc/jackdaw-stats.7.md "THE FILES".
 */
#include "tools/report.h"

#include <inttypes.h>
#include <string.h>

enum { TOP = 10, BOTTOM = 26, LANE = 32, LANES = 12, DRAWN = 512, LISTED = 100 };

/* The collections that have phases, in the order of their first; at most LANES of them. */
static unsigned find_lanes(const struct jdi_figures *f, const char *lane[LANES])
{
    unsigned n = 0;
    for (uint32_t i = 0; i < f->nphases && n < LANES; i++) {
        unsigned k = 0;
        while (k < n && strcmp(lane[k], f->phase[i].name))
            k++;
        if (k == n)
            lane[n++] = f->phase[i].name;
    }
    return n;
}

static void draw_phase(struct report *r, const struct jdi_figures_phase *p, double y,
                       double whole)
{
    double from = REPORT_LEFT + REPORT_INSIDE * (double)p->began_ns / whole;
    double to = REPORT_LEFT + REPORT_INSIDE * (double)p->ended_ns / whole;
    char tip[160], took[24], tasks[32];
    snprintf(tip, sizeof tip, "%s, phase %" PRIu32 ": %s, %s tasks", p->name, p->number,
             trace_show_ns((double)(p->ended_ns - p->began_ns), took),
             report_axis_count(p->tasks, tasks));
    report_bar(r, p->number % 2 ? REPORT_WORK : REPORT_PROGRESS,
               (double[]){from, y, to - from > 0.6 ? to - from : 0.6, 14}, tip);
}

static void write_phases(struct report *r, const struct jdi_figures *f)
{
    static const char *const columns[] = {"collection", "phase", "began", "took",
                                          "tasks"};
    report_figure_table(r, columns, JDI_ARRAY_LEN(columns));
    for (uint32_t i = 0; i < f->nphases && i < LISTED; i++) {
        const struct jdi_figures_phase *p = &f->phase[i];
        fprintf(r->to, "<tr id=\"phase-%" PRIu32 "\">", i);
        report_cell(r, p->name);
        report_count(r, "phase", p->number);
        report_ns(r, "began", p->began_ns);
        report_ns(r, "took", p->ended_ns - p->began_ns);
        report_count(r, "tasks", p->tasks);
        fputs("</tr>\n", r->to);
    }
    if (f->nphases > LISTED || f->lost_phases)
        fprintf(r->to, "<tr><td colspan=\"5\">and %" PRIu64 " phases more</td></tr>\n",
                f->nphases - (f->nphases < LISTED ? f->nphases : LISTED) +
                    f->lost_phases);
}

void report_phases(struct report *r)
{
    const struct jdi_figures *f = &r->run[0].f;
    const char *lane[LANES];
    unsigned lanes = find_lanes(f, lane);
    if (!lanes || f->wall <= 0)
        return;
    double whole = 1e9 * f->wall, bottom = TOP + (double)LANE * lanes;
    report_figure(r, "Phases of collections");
    report_picture(r,
                   "A lane for each collection, with a bar for each of its phases over "
                   "the time of the run.",
                   bottom + BOTTOM);
    report_times(r, whole, TOP, bottom);
    for (unsigned k = 0; k < lanes; k++) {
        report_label(r, REPORT_LEFT, TOP + (double)LANE * k + 10, "start",
                     *lane[k] ? lane[k] : "(no name)");
        for (uint32_t i = 0; i < f->nphases && i < DRAWN; i++)
            if (!strcmp(f->phase[i].name, lane[k]))
                draw_phase(r, &f->phase[i], TOP + (double)LANE * k + 14, whole);
    }
    write_phases(r, f);
    report_figure_end(r);
}
