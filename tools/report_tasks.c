/*
 * report_tasks.c - how long tasks took.
 *
 * Role: a histogram for each row of the task table, from a trace.
 * Owner: one thread.
 * Invariants: I1, I2 of report.h.
 * See: report.h; tools/trace_pieces.c.
 */
#include "tools/report.h"

#include <stdlib.h>

enum { SHOWN = 8, TOP = 22, TALL = 84, BOTTOM = 40, CLASSES_LEAST = 6 };

struct times {
    uint32_t row;
    uint64_t tasks, pieces, ns; /* tasks that have ended */
    uint64_t class[REPORT_AXIS_CLASSES];
};

static int by_ns(const void *left, const void *right)
{
    const struct times *a = left, *b = right;
    return a->ns > b->ns ? -1 : a->ns < b->ns;
}

/* Tasks of this row wait, so they have several pieces. */
static bool waits(const struct times *s)
{
    return s->pieces != s->tasks;
}

/* One for each row that has run, the one with the most time first. */
static struct times *count_times(const struct trace *t, size_t *n)
{
    struct times *all = trace_grow(NULL, UINT16_MAX + 1, sizeof *all);
    for (uint32_t i = 0; i <= UINT16_MAX; i++)
        all[i] = (struct times){.row = i};
    for (size_t i = 0; i < t->nthreads; i++)
        for (size_t k = 0; k < t->thread[i].npieces; k++) {
            const struct trace_piece *p = &t->thread[i].piece[k];
            struct times *to = &all[p->row];
            to->tasks += p->last;
            to->pieces++;
            to->ns += p->own;
            to->class[report_axis_class(p->own)]++;
        }
    qsort(all, UINT16_MAX + 1, sizeof *all, by_ns);
    for (*n = 0; *n <= UINT16_MAX && all[*n].ns;)
        ++*n;
    return all;
}

/* From the first class that holds something to the last one, and around them if these are few. */
static void find_range(const struct times *all, size_t n, unsigned range[2])
{
    range[0] = REPORT_AXIS_CLASSES - 1;
    range[1] = 0;
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < REPORT_AXIS_CLASSES; k++)
            if (all[i].class[k]) {
                range[0] = k < range[0] ? k : range[0];
                range[1] = k > range[1] ? k : range[1];
            }
    while (range[1] < range[0] + CLASSES_LEAST) { /* a single bar would tell nothing */
        range[0] -= range[0] > 0;
        range[1] += range[1] + 1 < REPORT_AXIS_CLASSES;
    }
}

static void draw_classes(struct report *r, const struct times *s, const unsigned range[2])
{
    unsigned n = range[1] - range[0] + 1;
    double width = REPORT_INSIDE / (double)n;
    uint64_t most = 1;
    char text[32];
    for (unsigned k = range[0]; k <= range[1]; k++)
        most = s->class[k] > most ? s->class[k] : most;
    double step = report_axis_step((double)most, 3);
    for (unsigned i = 0; i * step <= (double)most * 1.0001; i++) {
        double y = TOP + TALL * (1 - i * step / (double)most);
        report_line(r, "grid",
                    (double[]){REPORT_LEFT - 4, y, REPORT_LEFT + REPORT_INSIDE, y});
        if (step >= 1)
            report_label(r, REPORT_LEFT - 8, y + 4, "end",
                         report_axis_short((uint64_t)(i * step), text));
    }
    for (unsigned k = range[0]; k <= range[1]; k++) {
        double high = TALL * (double)s->class[k] / (double)most,
               x = REPORT_LEFT + (k - range[0]) * width;
        high = high < 1.2 ? 1.2 : high; /* one task is seen */
        if (s->class[k])
            report_bar(
                r, REPORT_WORK,
                (double[]){x + width * 0.06, TOP + TALL - high, width * 0.88, high},
                report_axis_count(s->class[k], text));
    }
}

/* At the right end of a class stands the time up to which it goes: of powers of ten, and if there is room, of all. */
static void draw_bounds(struct report *r, const unsigned range[2])
{
    unsigned n = range[1] - range[0] + 1, every = n <= 7 ? 1 : 3;
    double width = REPORT_INSIDE / (double)n, last = 0;
    for (unsigned k = range[0]; k <= range[1]; k++) {
        double x = REPORT_LEFT + (k - range[0] + 1) * width;
        char text[24];
        if (k % every)
            continue;
        report_line(r, "axis", (double[]){x, TOP + TALL, x, TOP + TALL + 4});
        report_tick(r, x, TOP + TALL + 17,
                    report_axis_time((double)report_axis_bound(k), text), &last);
    }
    report_line(
        r, "axis",
        (double[]){REPORT_LEFT, TOP + TALL, REPORT_LEFT + REPORT_INSIDE, TOP + TALL});
    report_label(r, REPORT_LEFT + REPORT_INSIDE / 2.0, TOP + TALL + 34, "middle",
                 "time, up to");
}

static void write_classes(struct report *r, const struct times *s)
{
    const char *const columns[] = {"longer than", "up to", waits(s) ? "pieces" : "tasks"};
    report_figure_table(r, columns, JDI_ARRAY_LEN(columns));
    for (unsigned k = 0; k < REPORT_AXIS_CLASSES; k++) {
        if (!s->class[k])
            continue;
        fputs("<tr>", r->to);
        report_ns(r, "from", k ? report_axis_bound(k - 1) : 0);
        report_ns(r, "to", report_axis_bound(k));
        report_count(r, "class", s->class[k]);
        fputs("</tr>\n", r->to);
    }
}

static void show_row(struct report *r, const struct times *s, const unsigned range[2])
{
    const char *row = trace_row_name(r->trace, s->row);
    char title[240], pieces[48] = "", sum[24], mean[24], count[32];
    report_axis_count(s->pieces, count);
    if (waits(s))
        snprintf(pieces, sizeof pieces, " in %s pieces", count);
    snprintf(title, sizeof title, "%.64s: %s tasks%s, %s in all, mean %s", row,
             report_axis_count(s->tasks, count), pieces,
             trace_show_ns((double)s->ns, sum),
             trace_show_ns((double)s->ns / (double)s->pieces, mean));
    report_figure(r, title);
    report_picture(r,
                   "A bar for each class of times, from short to long; its height is how "
                   "many took so long.",
                   TOP + TALL + BOTTOM);
    draw_classes(r, s, range);
    draw_bounds(r, range);
    report_label(r, REPORT_LEFT - 8, TOP - 10, "end", waits(s) ? "pieces" : "tasks");
    write_classes(r, s);
    report_figure_end(r);
}

static void show_histograms(struct report *r)
{
    size_t n, shown;
    unsigned range[2];
    struct times *all = count_times(r->trace, &n);
    shown = n < SHOWN ? n : SHOWN;
    find_range(all, shown, range);
    if (!n)
        fputs("<p>The trace has no task: it was made with JACKDAW_TRACE_TASKS=no.</p>\n",
              r->to);
    fputs("<div class=\"figures\">\n", r->to);
    for (size_t i = 0; i < shown; i++)
        show_row(r, &all[i], range);
    fputs("</div>\n", r->to);
    if (n > shown)
        fprintf(r->to, "<p>%zu further rows took less time.</p>\n", n - shown);
    free(all);
}

void report_tasks(struct report *r)
{
    report_section(
        r, "tasks", "Times of tasks by row",
        r->trace ? "A task that waits counts with each piece that it has run without a "
                   "wait. The time of a "
                   "task that ran on the stack of another one counts for the first only."
                 : "How long tasks took is in a trace, which was not given.");
    if (r->trace)
        show_histograms(r);
    report_section_end(r);
}
