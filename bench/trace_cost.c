/*
 * trace_cost.c - what an event of a trace costs.
 *
 * Role: records events as the loop over tasks does, in rounds that take turns: the clock alone, and the processor's
 *       counter; an event whose time is known; a task, which is an event and one of the two; a task of a finish, whose
 *       spawn is an event, too.  Once into a file that is written over, once into one that grows.  Prints the median, the
 *       least and the most of the rounds.
 * Owner: one thread.
 * See: core/tracer.h; doc/trace.md "What it costs"; bench/README.md.
 *
 *     bench/trace_cost [EVENTS [ROUNDS [FILE]]]
 */
#include "core/time.h"
#include "core/tracer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS_MOST = 99, ROW = 1, SMALL = 1 << 20, EVENT_BYTES = 24 };

typedef void run_fn(struct jdi_tracer *t, uint64_t n);

static void only_clock(struct jdi_tracer *t, uint64_t n)
{
    uint64_t at = 0;
    (void)t;
    for (uint64_t i = 0; i < n; i++) {
        at ^= jdi_time_ns();
        __asm__ volatile("" : : "r"(at));
    }
}

static void only_event(struct jdi_tracer *t, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        jdi_tracer_starts(t, ROW, i);
        jdi_tracer_task(t, ROW, i, i + 1, i);
        __asm__ volatile("" : : : "memory");
    }
}

static void only_counter(struct jdi_tracer *t, uint64_t n)
{
    uint64_t at = 0;
    (void)t;
    for (uint64_t i = 0; i < n; i++) {
        at ^= jdi_ticks_read();
        __asm__ volatile("" : : "r"(at));
    }
}

/* As pool_record in sched/finish/pool.c. */
static void whole_task(struct jdi_tracer *t, uint64_t n)
{
    uint64_t at = jdi_tracer_now(t, NULL);
    for (uint64_t i = 0; i < n; i++) {
        jdi_tracer_starts(t, ROW, at);
        __asm__ volatile("" : : : "memory");
        uint64_t to = jdi_tracer_now(t, NULL);
        jdi_tracer_task(t, ROW, at, to, i);
        at = to;
    }
}

/* With its spawn, as jdi_traces_async records that. */
static void spawned_task(struct jdi_tracer *t, uint64_t n)
{
    uint64_t at = jdi_tracer_now(t, NULL);
    for (uint64_t i = 0; i < n; i++) {
        jdi_tracer_put(t, JDI_TRACE_ASYNC, 0, 1, jdi_tracer_moment(t, NULL), i);
        jdi_tracer_starts(t, ROW, at);
        __asm__ volatile("" : : : "memory");
        uint64_t to = jdi_tracer_now(t, NULL);
        jdi_tracer_task(t, ROW, at, to, i);
        at = to;
    }
}

static const struct row {
    const char *name;
    run_fn *run;
    bool grows; /* the file has room for all of a round */
    enum jdi_trace_clock clock;
} rows[] = {
    {"the clock", only_clock, false, JDI_TRACE_NS},
    {"the counter", only_counter, false, JDI_TRACE_NS},
    {"an event", only_event, false, JDI_TRACE_NS},
    {"a task: clock and event", whole_task, false, JDI_TRACE_NS},
    {"a task: counter and event", whole_task, false, JDI_TRACE_TICKS},
    {"a task and its spawn", spawned_task, false, JDI_TRACE_TICKS},
    {"a task, the file grows", whole_task, true, JDI_TRACE_TICKS},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static double ns_each(const struct row *row, const char *name, uint64_t n)
{
    struct jdi_trace_file f;
    char err[512];
    uint64_t bytes =
        row->grows ? 2 * n * EVENT_BYTES + (UINT64_C(64) << 20) : (uint64_t)SMALL;
    const struct jdi_trace_plan plan = {name, bytes, 1, 1, row->clock};
    if (jdi_trace_create(&f, &plan, err, sizeof err)) {
        fprintf(stderr, "trace_cost: %s\n", err);
        exit(1);
    }
    struct jdi_tracer *t = jdi_tracer_new(&f, 0, 0, true);
    if (!t)
        abort();
    if (!row->grows) /* every page of it is there */
        only_event(t, 2 * SMALL / EVENT_BYTES);
    uint64_t began = jdi_time_ns();
    row->run(t, n);
    double ns = (double)(jdi_time_ns() - began) / (double)n;
    (void)jdi_tracer_end(t);
    free(t);
    jdi_trace_close(&f);
    unlink(name);
    return ns;
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

int main(int argc, char **argv)
{
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    int rounds = argc > 2 ? atoi(argv[2]) : 15;
    const char *name = argc > 3 ? argv[3] : "trace_cost.trace";
    double ns[ROWS][ROUNDS_MOST];
    if (!n || rounds < 1 || rounds > ROUNDS_MOST) {
        fprintf(stderr, "usage: trace_cost [EVENTS [ROUNDS, up to %d [FILE]]]\n",
                ROUNDS_MOST);
        return 2;
    }
    for (int i = 0; i < rounds; i++)
        for (int k = 0; k < ROWS; k++)
            ns[k][i] = ns_each(&rows[k], name, n);
    printf("%llu events a round, %d rounds, ns each: median, least, most\n",
           (unsigned long long)n, rounds);
    for (int k = 0; k < ROWS; k++) {
        qsort(ns[k], (size_t)rounds, sizeof ns[k][0], by_size);
        printf("%-26s %8.1f %8.1f %8.1f\n", rows[k].name, ns[k][rounds / 2], ns[k][0],
               ns[k][rounds - 1]);
    }
    return 0;
}
