/*
 * trace_finishes.c - the finishes of a trace, and what held the longest of them open.
 *
 * Role: adds up the tasks of each finish that was opened and has ended; shows those that took longest.
 * Owner: one thread.
 * Invariants: I1 the finishes are sorted by their number while tasks are added.
 * See: doc/jackdaw-trace.1.md "SUMMARY"; sched/finish/part.h, jdi_part_number.
 */
#include "tools/trace.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SHOWN = 10 };

struct finishes {
    struct trace_finish *f;
    size_t n, room;
    uint32_t rank; /* that is looked at */
};

static void add_opened(void *finishes, const struct jdi_trace_event *e)
{
    struct finishes *all = finishes;
    if (jdi_trace_kind(e) != JDI_TRACE_OPEN)
        return;
    if (all->n == all->room)
        all->f = trace_grow(all->f, all->room = all->room * 2 + 64, sizeof *all->f);
    all->f[all->n++] = (struct trace_finish){
        .number = trace_finish_name(e->b), .from = e->ns, .rank = all->rank};
}

static int by_number(const void *left, const void *right)
{
    const struct trace_finish *a = left, *b = right;
    return a->number < b->number ? -1 : a->number > b->number;
}

static struct trace_finish *find_finish(const struct finishes *all, uint64_t number)
{
    const struct trace_finish key = {.number = number};
    return all->n ? bsearch(&key, all->f, all->n, sizeof key, by_number) : NULL;
}

static void note_closed(void *finishes, const struct jdi_trace_event *e)
{
    struct trace_finish *f = jdi_trace_kind(e) == JDI_TRACE_CLOSE
                                 ? find_finish(finishes, trace_finish_name(e->b))
                                 : NULL;
    if (f && e->ns > f->from)
        f->to = e->ns;
}

static void add_task(struct trace_finish *f, const struct trace_piece *p, uint32_t rank)
{
    f->tasks += p->last;
    f->work += p->own;
    f->longest = p->own > f->longest ? p->own : f->longest;
    if (p->to <= f->last_to) {
        f->before = p->to > f->before ? p->to : f->before;
        return;
    }
    f->before = f->last_to;
    f->last_from = p->from;
    f->last_to = p->to;
    f->last_rank = rank;
    f->last_row = p->row;
}

static void add_tasks(const struct trace *t, const struct finishes *all,
                      const struct trace_thread *th)
{
    for (size_t k = 0; k < th->npieces; k++) {
        const struct trace_piece *p = &th->piece[k];
        const struct trace_born *b = trace_born_of(t, p->id);
        struct trace_finish *f = b ? find_finish(all, b->finish) : NULL;
        if (f)
            add_task(f, p, th->rank);
    }
}

/* Those that have tasks and have ended first, the longest of them first. */
static int by_time_taken(const void *left, const void *right)
{
    const struct trace_finish *a = left, *b = right;
    uint64_t x = a->to && a->tasks ? a->to - a->from : 0;
    uint64_t y = b->to && b->tasks ? b->to - b->from : 0;
    return x > y ? -1 : x < y;
}

/* For how long the task that ended last was the only one. */
static uint64_t alone(const struct trace_finish *f)
{
    uint64_t since = f->before > f->last_from ? f->before : f->last_from;
    return f->last_to - since;
}

static void show_finish(const struct trace *t, const struct trace_finish *f, FILE *to)
{
    char took[24], work[24], longest[24], last[24], path[24];
    uint64_t ns = f->to - f->from;
    fprintf(to,
            "%9" PRIu32 " %10s %10" PRIu64
            " %10s %9.1f %10s %10s %10s  %s on rank %" PRIu32 "\n",
            f->rank, trace_show_ns((double)ns, took), f->tasks,
            trace_show_ns((double)f->work, work), (double)f->work / (double)ns,
            trace_show_ns((double)f->path, path),
            trace_show_ns((double)f->longest, longest),
            trace_show_ns((double)alone(f), last), trace_row_name(t, f->last_row),
            f->last_rank);
}

void trace_finishes(const struct trace *t, FILE *to)
{
    struct finishes all = {0};
    for (size_t i = 0; i < t->nthreads; i++) {
        all.rank = t->thread[i].rank;
        trace_each(&t->thread[i], add_opened, &all);
    }
    if (all.n)
        qsort(all.f, all.n, sizeof *all.f, by_number);
    for (size_t i = 0; i < t->nthreads; i++) {
        trace_each(&t->thread[i], note_closed, &all);
        add_tasks(t, &all, &t->thread[i]);
    }
    struct trace_path *path = trace_path_find(t, all.f, all.n);
    if (all.n)
        qsort(all.f, all.n, sizeof *all.f, by_time_taken);
    for (size_t i = 0; i < all.n && i < SHOWN && all.f[i].to && all.f[i].tasks; i++) {
        if (!i)
            fprintf(to, "\n%9s %10s %10s %10s %9s %10s %10s %10s  %s\n", "finish of",
                    "time", "tasks", "work", "at a time", "path", "longest", "last alone",
                    "last task");
        show_finish(t, &all.f[i], to);
    }
    if (all.n > SHOWN)
        fprintf(to, "... of %zu finishes\n", all.n);
    if (all.n && all.f[0].path)
        trace_path_show(t, path, &all.f[0], to);
    trace_path_free(path);
    free(all.f);
}
