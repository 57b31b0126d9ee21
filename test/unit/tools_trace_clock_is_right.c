/*
 * Times of a trace from a counter: within the stated doubt of the clock that the counter was compared with, although that
 * clock changes its speed and some comparisons were interrupted; later ticks are never an earlier time; and on this
 * machine, if its counter is usable, as the clock says.
 */
#include "core/time.h"
#include "test/kit/tap.h"
#include "tools/trace.h"

#include <stdlib.h>

const char trace_tool[] = "test";

enum { COMPARED = 400, TASKS = 1000, EVENTS = COMPARED + TASKS };

static struct jdi_trace_event event[EVENTS];

/* A clock of 0.4 ns a tick, whose speed changes by up to 100 ppm, as a kernel does that follows the net. */
static uint64_t clock_at(uint64_t ticks)
{
    uint64_t ns = 5000000000, at = 0, step = UINT64_C(1) << 30;
    for (unsigned i = 0; at < ticks; i++, at += step) {
        uint64_t part = ticks - at < step ? ticks - at : step;
        double rate = 0.4 * (1 + 1e-4 * ((int)(i * 7 % 5) - 2) / 2);
        ns += (uint64_t)((double)part * rate);
    }
    return ns;
}

static void put_event(size_t i, enum jdi_trace_kind kind, uint64_t at, uint64_t a,
                      uint64_t b)
{
    event[i] = (struct jdi_trace_event){at, b, (uint64_t)kind | a << 24};
}

static void put_compared(uint64_t base)
{
    for (unsigned i = 0; i < COMPARED; i++) {
        uint64_t at = i * (UINT64_C(1) << 25), width = 60 + i % 7;
        if (i % 8 == 5) /* interrupted: the clock was read much later */
            put_event(i, JDI_TRACE_CLOCK, base + at, 500000, clock_at(at + 240000));
        else
            put_event(i, JDI_TRACE_CLOCK, base + at, width, clock_at(at) + i % 3 * 6);
    }
}

struct seen {
    uint64_t last, tasks, off_most;
    bool back;
};

static void see(void *seen, const struct jdi_trace_event *e)
{
    struct seen *s = seen;
    if (jdi_trace_kind(e) != JDI_TRACE_TASK)
        return;
    uint64_t begin = clock_at(e->b), end = clock_at(e->b + 1000000);
    uint64_t off = e->ns > begin ? e->ns - begin : begin - e->ns;
    uint64_t to = e->ns + trace_task_ns(e), late = to > end ? to - end : end - to;
    s->back |= e->ns < s->last;
    s->last = e->ns;
    s->tasks++;
    s->off_most = off > s->off_most ? off : s->off_most;
    s->off_most = late > s->off_most ? late : s->off_most;
}

static void test_speeds(uint64_t base)
{
    const struct jdi_trace_event *run[] = {event};
    uint32_t count[] = {EVENTS};
    struct trace_rank rank = {.known = true};
    struct trace_thread thread = {
        .run = run, .count = count, .nruns = 1, .ticks = true, .of = &rank};
    struct trace t = {.thread = &thread, .nthreads = 1, .rank = &rank, .nranks = 1};
    struct seen s = {0};
    uint64_t all = (COMPARED - 1) * (UINT64_C(1) << 25);
    put_compared(base);
    for (unsigned i = 0; i < TASKS; i++) {
        uint64_t at = all / TASKS * i;
        put_event(COMPARED + i, JDI_TRACE_TASK, base + at, 1000000, at);
    }
    trace_clock_set(&t);
    trace_each(&thread, see, &s);
    is_u64(s.tasks, TASKS, "all tasks are seen");
    ok(!s.back, "later ticks are no earlier time");
    ok(s.off_most <= (uint64_t)t.clock[0].doubt + 2,
       "times are off by %llu, at most %.1f ns", (unsigned long long)s.off_most,
       t.clock[0].doubt);
    ok(t.clock[0].doubt < 100, "which is not more than some comparisons: %.1f",
       t.clock[0].doubt);
    free(t.clock[0].at);
    free(t.clock);
}

/* The machine's own counter, for some 50 ms. */
static void test_here(void)
{
    struct jdi_ticks from = jdi_ticks_compare(), at = from;
    size_t near = 0;
    uint64_t begun = jdi_time_ns();
    struct jdi_trace_event compared[64];
    const struct jdi_trace_event *run[] = {compared};
    uint32_t count[] = {0};
    while (jdi_time_ns() - begun < 50000000 && count[0] < JDI_ARRAY_LEN(compared)) {
        if (count[0] && at.ticks - compared[count[0] - 1].ns < 1 << 21) {
            at = jdi_ticks_compare();
            continue;
        }
        compared[count[0]++] = (struct jdi_trace_event){
            at.ticks, at.ns, (uint64_t)JDI_TRACE_CLOCK | at.width << 24};
    }
    struct trace_rank rank = {.known = true};
    struct trace_thread thread = {
        .run = run, .count = count, .nruns = 1, .ticks = true, .of = &rank};
    struct trace t = {.thread = &thread, .nthreads = 1, .rank = &rank, .nranks = 1};
    trace_clock_set(&t);
    struct jdi_ticks now = jdi_ticks_compare();
    uint64_t ns = trace_clock_ns(&t.clock[0], now.ticks, &near);
    uint64_t off = ns > now.ns ? ns - now.ns : now.ns - ns;
    ok(off < 20000, "the counter says what the clock does, within %llu ns (doubt %.1f)",
       (unsigned long long)off, t.clock[0].doubt);
    free(t.clock[0].at);
    free(t.clock);
}

int main(void)
{
    test_speeds(0);
    test_speeds(UINT64_C(1) << 60);
    if (jdi_ticks_usable())
        test_here();
    return done_testing();
}
