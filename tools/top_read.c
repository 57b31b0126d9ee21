/*
 * top_read.c - what the ranks of a job have written, and the lines that follow from two readings.
 *
 * Role: see top.h.
 * Owner: as top.h says.
 * Invariants: I1 of top.h. I2 a rate is of the time between two writings of the rank, whatever time has passed here.
 * Order: none.
 * See: top.h.
 */
#include "tools/top.h"

#include "core/time.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

void top_want(struct top_job *job, uint64_t ns)
{
    uint64_t until = jdi_time_ns() + ns;
    for (size_t i = 0; i < job->n; i++)
        jdi_view_want(job->rank[i].view, until);
}

static bool read_rank(struct top_rank *t)
{
    uint64_t at = t->now_ns;
    struct jdi_view_row *room = t->before;
    if (atomic_load_explicit(&t->view->written_ns, memory_order_relaxed) <= t->now_ns ||
        !jdi_view_read(t->view, room, t->rows, &at) || at <= t->now_ns)
        return false;
    t->before = t->now;
    t->before_ns = t->now_ns;
    t->now = room;
    t->now_ns = at;
    return true;
}

bool top_read(struct top_job *job)
{
    bool all = true;
    for (size_t i = 0; i < job->n; i++)
        all = read_rank(&job->rank[i]) && all;
    return all;
}

/* A process that nobody has reaped has a number still, and a number may be another process's by now. */
static bool rank_lives(const struct top_rank *t)
{
    struct pollfd p = {.fd = t->ends, .events = POLLIN};
    return t->ends < 0 ? !kill(t->pid, 0) : poll(&p, 1, 0) == 0;
}

bool top_lives(const struct top_job *job)
{
    for (size_t i = 0; i < job->n; i++)
        if (rank_lives(&job->rank[i]))
            return true;
    return false;
}

/* ---- lines ------------------------------------------------------------------------------- */

static struct top_line line_of(const struct top_rank *t, uint32_t worker)
{
    struct top_line l = {.of = t, .worker = worker, .idle = -1, .age = -1};
    if (!t->now_ns)
        return l;
    uint64_t now = jdi_time_ns();
    l.row = t->now[worker];
    l.age = now > t->now_ns ? 1e-9 * (double)(now - t->now_ns) : 0;
    double span = (double)(t->now_ns - t->before_ns);
    if (!t->before_ns || span <= 0)
        return l;
    const struct jdi_view_row *was = &t->before[worker];
    if (l.row.executed > was->executed)
        l.rate = 1e9 * (double)(l.row.executed - was->executed) / span;
    /* Virtual nanoseconds have no share of real ones. */
    if (worker + 1 == t->rows || t->view->is_virtual)
        return l;
    double work =
        l.row.work_ns > was->work_ns ? (double)(l.row.work_ns - was->work_ns) : 0;
    l.idle = work < span ? 100 * (1 - work / span) : 0;
    return l;
}

const char *top_order_text(enum top_order order)
{
    static const char *const text[TOP_ORDERS] = {
        [TOP_BY_RANK] = "; by rank (q quit, h help)",
        [TOP_BY_TASKS] = "; by tasks (q quit, h help)",
        [TOP_BY_RATE] = "; by rate (q quit, h help)",
        [TOP_BY_IDLE] = "; by idle share (q quit, h help)",
        [TOP_BY_FOR] = "; by how long (q quit, h help)",
        [TOP_BY_QUEUE] = "; by queue (q quit, h help)",
    };
    return text[order];
}

static double key_of(const struct top_line *l, enum top_order order)
{
    switch (order) {
    case TOP_BY_TASKS:
        return (double)l->row.executed;
    case TOP_BY_RATE:
        return l->rate;
    case TOP_BY_IDLE:
        return l->idle;
    case TOP_BY_FOR:
        return (double)l->row.for_ns;
    case TOP_BY_QUEUE:
        return (double)l->row.queued;
    case TOP_BY_RANK:
    case TOP_ORDERS:
        break;
    }
    return 0;
}

/* The largest first, and of equals the first rank. */
static int compare_lines(const void *a, const void *b, void *order)
{
    const struct top_line *x = a, *y = b;
    double kx = key_of(x, *(enum top_order *)order),
           ky = key_of(y, *(enum top_order *)order);
    if (kx > ky || kx < ky)
        return kx > ky ? -1 : 1;
    if (x->of->rank != y->of->rank)
        return x->of->rank < y->of->rank ? -1 : 1;
    return (x->worker > y->worker) - (x->worker < y->worker);
}

struct top_line *top_lines(const struct top_job *job, enum top_order order, size_t *n)
{
    size_t all = 0;
    for (size_t i = 0; i < job->n; i++)
        all += job->rank[i].rows;
    struct top_line *lines = malloc((all + 1) * sizeof *lines);
    if (!lines) {
        fputs("jackdaw-top: out of memory\n", stderr);
        exit(TOP_NO_JOB);
    }
    *n = 0;
    for (size_t i = 0; i < job->n; i++)
        for (uint32_t k = 0; k < job->rank[i].rows; k++)
            lines[(*n)++] = line_of(&job->rank[i], k);
    qsort_r(lines, *n, sizeof *lines, compare_lines, &order);
    return lines;
}
