/*
 * trace_summary.c - a trace in a page of text.
 *
 * Role: what was lost; where the time of each thread went; rows of tasks; the longest tasks; how long steals
 *       took; what had not ended.
 * See: doc/jackdaw-trace.1.md "SUMMARY".
 */
#include "tools/trace.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

enum { LONGEST = 10, THREADS_SHOWN = 64 };

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* ---- threads ---------------------------------------------------------------------------- */

struct counts {
    uint64_t tasks, stops, takes, asks, given, refused;
};

static void count_event(void *counts, const struct jdi_trace_event *e)
{
    struct counts *c = counts;
    enum jdi_trace_kind k = jdi_trace_kind(e);
    c->tasks += k == JDI_TRACE_TASK || k == JDI_TRACE_TASK_LONG;
    c->stops += k == JDI_TRACE_STOP;
    c->takes += k == JDI_TRACE_TAKE;
    c->asks += k == JDI_TRACE_ASK;
    c->given += k == JDI_TRACE_GIVEN;
    c->refused += k == JDI_TRACE_REFUSED;
}

static uint64_t work_of(const struct trace_thread *th)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < th->npieces; i++)
        sum += th->piece[i].own;
    return sum;
}

static uint64_t sleep_of(const struct trace_thread *th)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < th->nsleeps; i++)
        sum += th->sleep[i].to - th->sleep[i].from;
    return sum;
}

static uint64_t lifetime(const struct trace *t, const struct trace_rank *r)
{
    uint64_t from = r->start ? r->start : t->begin;
    uint64_t to = r->ended ? r->ended : t->end;
    return to > from ? to - from : 0;
}

/* What worker 0 does as the communication thread is in its own time. */
static bool is_thread(const struct trace_thread *th)
{
    return !th->of->known || th->of->apart || th->owner < th->of->workers;
}

static void show_shares(double work, double sleep, bool shown, FILE *to)
{
    double rest = 100 - work - sleep;
    if (shown)
        fprintf(to, "%8.1f %8.1f %8.1f", work, sleep, rest > 0 ? rest : 0.0);
    else
        fprintf(to, "%8s %8s %8s", "-", "-", "-");
}

static void show_threads(const struct trace *t, FILE *to)
{
    fprintf(to, "\n%-28s %8s %8s %8s %12s %9s %9s\n", "thread", "tasks %", "asleep %",
            "other %", "tasks", "waits", "steals");
    for (size_t i = 0; i < t->nthreads && i < THREADS_SHOWN; i++) {
        const struct trace_thread *th = &t->thread[i];
        struct counts c = {0};
        char name[32], all[48];
        uint64_t life = lifetime(t, th->of), work = work_of(th), sleep = sleep_of(th);
        trace_each(th, count_event, &c);
        trace_thread_name(th, name, sizeof name);
        snprintf(all, sizeof all, "rank %" PRIu32 " %s", th->rank, name);
        fprintf(to, "%-28s ", all);
        show_shares(percent(work, life), percent(sleep, life), is_thread(th), to);
        fprintf(to, " %12" PRIu64 " %9" PRIu64 " %9" PRIu64 "\n", c.tasks, c.stops,
                c.takes + c.given);
    }
    if (t->nthreads > THREADS_SHOWN)
        fprintf(to, "... and %zu threads more\n", t->nthreads - THREADS_SHOWN);
}

/* ---- rows of tasks ---------------------------------------------------------------------- */

struct row_sum {
    uint32_t row;
    uint64_t tasks, own, most;
};

static int by_own(const void *left, const void *right)
{
    const struct row_sum *a = left, *b = right;
    return a->own > b->own ? -1 : a->own < b->own;
}

static void show_rows(const struct trace *t, FILE *to)
{
    struct row_sum *sum = calloc(UINT16_MAX + 1, sizeof *sum);
    uint64_t all = 0;
    char mean[24], most[24], own[24];
    if (!sum)
        return;
    for (uint32_t i = 0; i <= UINT16_MAX; i++)
        sum[i].row = i;
    for (size_t i = 0; i < t->nthreads; i++)
        for (size_t k = 0; k < t->thread[i].npieces; k++) {
            const struct trace_piece *p = &t->thread[i].piece[k];
            struct row_sum *s = &sum[p->row];
            s->tasks += p->last;
            s->own += p->own;
            s->most = p->own > s->most ? p->own : s->most;
            all += p->own;
        }
    qsort(sum, UINT16_MAX + 1, sizeof *sum, by_own);
    fprintf(to, "\n%-28s %12s %10s %7s %10s %14s\n", "task", "ended", "time", "%", "mean",
            "longest piece");
    for (uint32_t i = 0; i <= UINT16_MAX && (sum[i].tasks || sum[i].own); i++)
        fprintf(to, "%-28s %12" PRIu64 " %10s %7.1f %10s %14s\n",
                trace_row_name(t, sum[i].row), sum[i].tasks,
                trace_show_ns((double)sum[i].own, own), percent(sum[i].own, all),
                trace_show_ns(
                    sum[i].tasks ? (double)sum[i].own / (double)sum[i].tasks : 0, mean),
                trace_show_ns((double)sum[i].most, most));
    free(sum);
}

/* ---- what they waited for --------------------------------------------------------------- */

/* In the letters of the other tables. */
static const char *cause_name(const struct trace *t, unsigned cause, char name[32])
{
    const char *from = cause < t->ncauses && t->cause[cause] ? t->cause[cause] : "yield";
    size_t i = 0;
    for (; from[i] && i < 31; i++)
        name[i] = (char)tolower((unsigned char)from[i]);
    name[i] = 0;
    return name;
}

static void show_waits(const struct trace *t, FILE *to)
{
    bool head = false;
    for (unsigned k = 0; k < TRACE_CAUSES; k++) {
        const struct trace_waits *w = &t->waits[k];
        char name[32], all[24], mean[24], most[24];
        if (!w->n)
            continue;
        if (!head)
            fprintf(to, "\n%-28s %12s %10s %10s %10s\n", "waits for", "ended", "time",
                    "mean", "longest");
        head = true;
        fprintf(to, "%-28s %12" PRIu64 " %10s %10s %10s\n", cause_name(t, k, name), w->n,
                trace_show_ns((double)w->ns, all),
                trace_show_ns((double)w->ns / (double)w->n, mean),
                trace_show_ns((double)w->most, most));
    }
}

/* ---- the longest ------------------------------------------------------------------------ */

struct longest {
    const struct trace_thread *th;
    const struct trace_piece *p;
};

static void show_longest(const struct trace *t, FILE *to)
{
    struct longest best[LONGEST + 1];
    size_t n = 0;
    for (size_t i = 0; i < t->nthreads; i++)
        for (size_t k = 0; k < t->thread[i].npieces; k++) {
            const struct trace_piece *p = &t->thread[i].piece[k];
            if (n == LONGEST && p->own <= best[n - 1].p->own)
                continue;
            size_t at = n < LONGEST ? n++ : LONGEST - 1;
            for (; at && best[at - 1].p->own < p->own; at--)
                best[at] = best[at - 1];
            best[at] = (struct longest){&t->thread[i], p};
        }
    if (n)
        fputs("\nthe longest pieces without a wait:\n", to);
    for (size_t i = 0; i < n; i++) {
        char name[32], took[24], at[24];
        trace_thread_name(best[i].th, name, sizeof name);
        fprintf(to, "  %10s  %-24s rank %" PRIu32 " %s, from %s on\n",
                trace_show_ns((double)best[i].p->own, took),
                trace_row_name(t, best[i].p->row), best[i].th->rank, name,
                trace_show_ns((double)(best[i].p->from - t->begin), at));
    }
}

/* ---- steals between ranks --------------------------------------------------------------- */

static int by_time(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static void show_times(const char *what, uint64_t *ns, size_t n, FILE *to)
{
    char half[24], most[24], all[24];
    if (!n)
        return;
    qsort(ns, n, sizeof *ns, by_time);
    fprintf(to, "  from request to %s: half up to %s, 99%% up to %s, all up to %s\n",
            what, trace_show_ns((double)ns[n / 2], half),
            trace_show_ns((double)ns[n - 1 - n / 100], most),
            trace_show_ns((double)ns[n - 1], all));
}

static void show_steals(const struct trace *t, FILE *to)
{
    uint64_t *ns = trace_grow(NULL, t->nsteals, sizeof *ns);
    size_t ran = 0;
    if (t->nsteals || t->nrefused)
        fprintf(to, "\nsteals between ranks: %zu brought tasks, %zu were refused\n",
                t->nsteals, t->nrefused);
    for (size_t i = 0; i < t->nsteals; i++)
        ns[i] = t->steal[i].came - t->steal[i].asked;
    show_times("tasks", ns, t->nsteals, to);
    for (size_t i = 0; i < t->nsteals; i++)
        if (t->steal[i].ran != UINT64_MAX)
            ns[ran++] = t->steal[i].ran - t->steal[i].asked;
    show_times("the first of them that ran", ns, ran, to);
    free(ns);
}

/* ---- what is missing -------------------------------------------------------------------- */

/* What the times are worth. */
static void show_clocks(const struct trace *t, FILE *to)
{
    char doubt[24];
    for (size_t i = 0; i < t->nclocks; i++) {
        const struct trace_clock *c = &t->clock[i];
        double start = (double)c->start.ahead;
        if (c->n)
            fprintf(to,
                    "times are of a processor's counter, compared %zu times with the "
                    "clock; they are right within %s\n",
                    c->n, trace_show_ns(c->doubt, doubt));
        if (c->shifted)
            fprintf(to,
                    "the clock of rank %" PRIu32 "'s host was %.9f s %s that of the "
                    "first rank, right within %s%s\n",
                    c->first, 1e-9 * (start < 0 ? -start : start),
                    start < 0 ? "behind" : "ahead of",
                    trace_show_ns((double)trace_hosts_doubt(c), doubt),
                    c->end.known ? "" : "; at the end it was not compared again");
    }
}

static void show_losses(const struct trace *t, FILE *to)
{
    uint64_t lost = 0;
    for (size_t i = 0; i < t->nthreads; i++)
        lost += t->thread[i].lost;
    if (t->cut)
        fprintf(to, "%s is cut off: it ends after %" PRIu64 " bytes, inside of a chunk\n",
                t->cut, t->cut_bytes);
    if (lost)
        fprintf(to,
                "%" PRIu64
                " of the oldest events were written over, so figures are of the rest: "
                "raise JACKDAW_TRACE_SIZE\n",
                lost);
    if (t->dropped)
        fprintf(to, "%" PRIu64 " events found no room at all: raise JACKDAW_TRACE_SIZE\n",
                t->dropped);
    for (size_t i = 0; i < t->nthreads; i++) {
        const struct trace_thread *th = &t->thread[i];
        char name[32], since[24];
        trace_thread_name(th, name, sizeof name);
        if (th->running && th->since <= t->end)
            fprintf(to, "not ended: %s on rank %" PRIu32 " %s, after %s\n",
                    trace_row_name(t, th->running - 1), th->rank, name,
                    trace_show_ns((double)(t->end - th->since), since));
    }
    for (size_t i = 0; i < t->nranks; i++)
        if (t->rank[i].known && !t->rank[i].ended)
            fprintf(to, "rank %" PRIu32 " (process %ld on %s) has not come to its end\n",
                    t->rank[i].rank, t->rank[i].process, t->rank[i].host);
}

void trace_summary(const struct trace *t, FILE *to)
{
    char took[24];
    fprintf(to, "%s\n%zu ranks, %zu threads, network %s, %s\n",
            *t->command ? t->command : "(no name)", t->nranks, t->nthreads,
            *t->network ? t->network : "unknown",
            trace_show_ns((double)(t->end - t->begin), took));
    show_clocks(t, to);
    show_losses(t, to);
    show_threads(t, to);
    show_rows(t, to);
    show_waits(t, to);
    show_longest(t, to);
    trace_finishes(t, to);
    show_steals(t, to);
}
