/*
 * trace_clock.c - the times of a trace in nanoseconds.
 *
 * Role: makes a clock of each processor's counter from all comparisons of the two in the files, and gives events the
 *       times of that clock.
 * Owner: one thread.
 * Invariants: I1 later ticks are never an earlier time.
 * See: doc/trace.md "Clocks"; core/ticks.h.
 */
#include "tools/trace.h"

#include <stdlib.h>
#include <string.h>

/* A comparison that took so many times as long as half of them do was interrupted; those that are used for the
 * clock lie so many ticks apart, because each is a little wrong. */
enum { WIDE = 8, APART = 1 << 24 };

size_t trace_clock_find(struct trace *t, const char *name)
{
    for (size_t i = 0; i < t->nclocks; i++)
        if (!strcmp(t->clock[i].name, name))
            return i;
    t->clock = trace_grow(t->clock, t->nclocks + 1, sizeof *t->clock);
    struct trace_clock *c = &t->clock[t->nclocks];
    *c = (struct trace_clock){.rate = 1, .first = UINT32_MAX};
    memset(c->left, 0xff, sizeof c->left);
    snprintf(c->name, sizeof c->name, "%s", name);
    return t->nclocks++;
}

void trace_clock_add(struct trace_clock *c, struct jdi_ticks at)
{
    if (c->n == c->room)
        c->at = trace_grow(c->at, c->room = c->room * 2 + 64, sizeof *c->at);
    c->at[c->n++] = at;
}

/* ---- from ticks to nanoseconds ---------------------------------------------------------- */

static uint64_t go_from(const struct jdi_ticks *at, double rate, uint64_t ticks)
{
    if (ticks >= at->ticks)
        return at->ns + (uint64_t)((double)(ticks - at->ticks) * rate);
    double before = (double)(at->ticks - ticks) * rate;
    return before < (double)at->ns ? at->ns - (uint64_t)before : 0;
}

/* The last comparison that is not after `ticks`; the first one is not. */
static size_t place_of_ticks(const struct trace_clock *c, uint64_t ticks)
{
    size_t low = 0, high = c->n;
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (c->at[mid].ticks <= ticks)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* `near` is where the last time was found, from which most are not far. */
uint64_t trace_clock_ns(const struct trace_clock *c, uint64_t ticks, size_t *near)
{
    size_t i = *near;
    if (!c->n)
        return ticks;
    if (ticks < c->at[0].ticks)
        return go_from(&c->at[0], c->rate, ticks);
    if (i >= c->n || c->at[i].ticks > ticks ||
        (i + 1 < c->n && c->at[i + 1].ticks <= ticks))
        i = place_of_ticks(c, ticks);
    *near = i;
    if (i + 1 == c->n)
        return go_from(&c->at[i], c->rate, ticks);
    const struct jdi_ticks *a = &c->at[i], *b = a + 1;
    uint64_t ns =
        go_from(a, (double)(b->ns - a->ns) / (double)(b->ticks - a->ticks), ticks);
    return ns < b->ns ? ns : b->ns;
}

/* ---- which comparisons are used --------------------------------------------------------- */

static int by_width(const void *left, const void *right)
{
    const struct jdi_ticks *a = left, *b = right;
    return a->width < b->width ? -1 : a->width > b->width;
}

static int by_ticks(const void *left, const void *right)
{
    const struct jdi_ticks *a = left, *b = right;
    return a->ticks < b->ticks ? -1 : a->ticks > b->ticks;
}

/* Leave those that were not interrupted, in order. */
static void drop_wide(struct trace_clock *c)
{
    size_t n = c->n;
    qsort(c->at, n, sizeof *c->at, by_width);
    while (n > 2 && c->at[n - 1].width / WIDE > c->at[c->n / 2].width)
        n--;
    c->n = n;
    qsort(c->at, n, sizeof *c->at, by_ticks);
}

/* Leave those that are far apart, and the last one.  Returns how many. */
static size_t thin_out(struct jdi_ticks *at, size_t n)
{
    size_t kept = 1;
    for (size_t i = 1; i < n; i++) {
        bool last = i + 1 == n;
        if (at[i].ticks - at[kept - 1].ticks < APART && !last)
            continue;
        if (last && kept > 1 && at[i].ticks - at[kept - 1].ticks < APART)
            kept--;
        if (at[i].ns > at[kept - 1].ns && at[i].ticks > at[kept - 1].ticks)
            at[kept++] = at[i];
    }
    return kept;
}

/* How wrong it may be: half of the widest comparison, and what any of them is off. */
static double doubt_of(const struct trace_clock *c, const struct jdi_ticks *all, size_t n)
{
    double most = 0;
    size_t near = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t ns = trace_clock_ns(c, all[i].ticks, &near);
        double off = ns > all[i].ns ? (double)(ns - all[i].ns) : (double)(all[i].ns - ns);
        double half = (double)all[i].width / 2 * c->rate;
        most = off + half > most ? off + half : most;
    }
    return most;
}

static void fit_clock(struct trace_clock *c)
{
    if (!c->n)
        return;
    drop_wide(c);
    size_t n = c->n;
    struct jdi_ticks *all = trace_grow(NULL, n, sizeof *all);
    memcpy(all, c->at, n * sizeof *all);
    c->n = thin_out(c->at, n);
    const struct jdi_ticks *last = &c->at[c->n - 1];
    if (last->ticks > c->at[0].ticks)
        c->rate =
            (double)(last->ns - c->at[0].ns) / (double)(last->ticks - c->at[0].ticks);
    c->doubt = doubt_of(c, all, n);
    free(all);
}

/* ---- events ----------------------------------------------------------------------------- */

static bool lasts(enum jdi_trace_kind k)
{
    return k == JDI_TRACE_TASK || k == JDI_TRACE_TASK_LONG || k == JDI_TRACE_SLEEP ||
           k == JDI_TRACE_POLL;
}

static uint64_t word_of(enum jdi_trace_kind kind, uint16_t row, uint64_t a)
{
    return (uint64_t)kind | (uint64_t)row << 8 | a << 24;
}

/* In ns of the first rank's clock. */
static uint64_t to_ns(const struct trace_thread *th, uint64_t time, size_t *near)
{
    uint64_t ns = th->ticks ? trace_clock_ns(th->clock, time, near) : time;
    return trace_hosts_time(th->clock, ns);
}

static struct jdi_trace_event event_in_ns(const struct trace_thread *th,
                                          const struct jdi_trace_event *e, size_t *near)
{
    struct jdi_trace_event out = *e;
    enum jdi_trace_kind kind = jdi_trace_kind(e);
    out.ns = to_ns(th, e->ns, near);
    if (!lasts(kind))
        return out;
    uint64_t ns = to_ns(th, e->ns + trace_task_ns(e), near) - out.ns;
    if (kind == JDI_TRACE_TASK || kind == JDI_TRACE_TASK_LONG)
        kind = ns < JDI_TRACE_A_MOST ? JDI_TRACE_TASK : JDI_TRACE_TASK_LONG;
    if (kind == JDI_TRACE_TASK_LONG)
        ns /= 1000;
    ns = ns < JDI_TRACE_A_MOST ? ns : JDI_TRACE_A_MOST;
    out.word = word_of(kind, jdi_trace_row(e), ns);
    return out;
}

/* ---- all events ------------------------------------------------------------------------- */

static void each_raw(const struct trace_thread *th,
                     void (*fn)(void *ctx, const struct jdi_trace_event *e), void *ctx)
{
    for (uint32_t i = 0; i < th->nruns; i++)
        for (uint32_t k = 0; k < th->count[i]; k++)
            if (jdi_trace_kind(&th->run[i][k]) > JDI_TRACE_NONE &&
                jdi_trace_kind(&th->run[i][k]) < JDI_TRACE_KINDS)
                fn(ctx, &th->run[i][k]);
}

struct converted {
    const struct trace_thread *th;
    size_t near;
    void (*fn)(void *ctx, const struct jdi_trace_event *e);
    void *ctx;
};

static void convert_event(void *converted, const struct jdi_trace_event *e)
{
    struct converted *c = converted;
    struct jdi_trace_event in_ns = event_in_ns(c->th, e, &c->near);
    c->fn(c->ctx, &in_ns);
}

void trace_each(const struct trace_thread *th,
                void (*fn)(void *ctx, const struct jdi_trace_event *e), void *ctx)
{
    struct converted c = {.th = th, .fn = fn, .ctx = ctx};
    if (th->clock && (th->ticks || th->clock->shifted))
        each_raw(th, convert_event, &c);
    else
        each_raw(th, fn, ctx);
}

static void find_compared(void *clock, const struct jdi_trace_event *e)
{
    if (jdi_trace_kind(e) == JDI_TRACE_CLOCK)
        trace_clock_add(clock, (struct jdi_ticks){e->ns, e->b, jdi_trace_a(e)});
}

/* A thread with ticks whose rank has said nothing gets any clock. */
static void set_clock(struct trace *t, struct trace_thread *th)
{
    if (th->ticks && !th->of->clock)
        th->of->clock = t->nclocks ? 1 : trace_clock_find(t, "unknown") + 1;
    if (th->ticks)
        each_raw(th, find_compared, &t->clock[th->of->clock - 1]);
}

static void shift_ranks(struct trace *t)
{
    for (size_t i = 0; i < t->nranks; i++) {
        struct trace_rank *r = &t->rank[i];
        const struct trace_clock *c = r->clock ? &t->clock[r->clock - 1] : NULL;
        if (c && r->start)
            r->start = trace_hosts_time(c, r->start);
        if (c && r->ended)
            r->ended = trace_hosts_time(c, r->ended);
    }
}

void trace_clock_set(struct trace *t)
{
    size_t near = 0;
    for (size_t i = 0; i < t->nthreads; i++)
        set_clock(t, &t->thread[i]);
    for (size_t i = 0; i < t->nclocks; i++)
        fit_clock(&t->clock[i]);
    trace_hosts_compare(t);
    for (size_t i = 0; i < t->nthreads; i++) {
        struct trace_thread *th = &t->thread[i];
        th->clock = th->of->clock ? &t->clock[th->of->clock - 1] : NULL;
        if (th->clock)
            th->since = to_ns(th, th->since, &near);
    }
    shift_ranks(t);
}
