/*
 * timers.c - what is done with time: tasks that begin later, periods, timers that are stopped, shared deadlines.
 *
 * Role: one-shot timers at random times, by jd_async_after, which holds neither a stack nor a worker; tasks that do
 *       something in each period, without drift; timers that somebody stops, one by one and all together; and
 *       requests of three steps with one deadline, which each step passes on as it is.  None of all that may happen
 *       early.  How late it happens is printed.
 * Owner: rank 0.  A timer's task may be stolen; it sends word to rank 0 then.
 * Invariants: I1 only rank 0 prints. I2 times are compared on the rank that has taken them.
 * See: examples/README.md; "waiting" and jd_async_after in jackdaw.h.
 */
#include "examples/options.h"
#include "jackdaw.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRE, FIRED, TICK, STOPPABLE, SLEEPER, REQUEST };
enum { US = 1000, STEPS = 3 };

static const char usage[] =
    "usage: timers [OPTION VALUE]...\n"
    "  -n N   timers of each kind (1000)\n"
    "  -d US  they fire within so many microseconds (20000)\n"
    "  -k K   tasks that do something in each period (4)\n"
    "  -t T   periods (50)\n"
    "  -p US  the length of a period (500)\n"
    "  -s S   seed of all random numbers (1)\n"
    "  -h     this text\n"
    "It runs on rank 0; other ranks may steal what has become due.\n";

struct options {
    int64_t timers, within, tickers, ticks, period, seed;
};

/* How late something was, for each time that it happened on rank 0. */
struct lateness {
    _Atomic uint64_t n, early, elsewhere;
    uint64_t *ns;
};

struct all {
    struct options o;
    struct lateness late;
    uint64_t rng;
    _Atomic uint64_t done, ended, cancelled;
    jd_event *stop;
};

struct timer {
    jd_time at;
    int64_t number;
};

static void must(jd_self *me, int error)
{
    if (error)
        jd_abort(me, 1, "timers: %s", jd_strerror(error));
}

static void count(_Atomic uint64_t *word)
{
    atomic_fetch_add_explicit(word, 1, memory_order_relaxed);
}

static uint64_t below(struct all *a, int64_t n)
{
    a->rng = a->rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (a->rng >> 33) % (uint64_t)n;
}

/* ---- how late ------------------------------------------------------------------------- */

static void note(jd_self *me, struct lateness *l, jd_time at)
{
    jd_time now = jd_clock(me);
    l->ns[atomic_fetch_add_explicit(&l->n, 1, memory_order_relaxed)] = now - at;
    if (now < at)
        count(&l->early);
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Print and forget; 1 if nothing was early. */
static int tell(struct lateness *l)
{
    uint64_t n = atomic_load(&l->n), early = atomic_load(&l->early);
    qsort(l->ns, n, sizeof *l->ns, compare);
    if (n && !early)
        printf(" late by %.1f us (half of them), %.1f us (99%%), %.1f us (the most)\n",
               1e-3 * (double)l->ns[n / 2], 1e-3 * (double)l->ns[n - 1 - n / 100],
               1e-3 * (double)l->ns[n - 1]);
    else
        printf(" %llu early%s\n", (unsigned long long)early, early ? ": WRONG" : "");
    atomic_store(&l->n, 0);
    atomic_store(&l->early, 0);
    return !early;
}

/* ---- one-shot timers ------------------------------------------------------------------ */

static void fired(jd_self *me, void *arg)
{
    struct all *a = jd_local(me);
    (void)arg;
    count(&a->done);
    count(&a->late.elsewhere);
}

static void fire(jd_self *me, void *arg)
{
    const struct timer t = *(struct timer *)arg;
    if (jd_rank(me)) {
        must(me, jd_async_at(me, 0, FIRED, NULL, 0));
        return;
    }
    struct all *a = jd_local(me);
    note(me, &a->late, t.at);
    count(&a->done);
}

static int one_shot(jd_self *me, struct all *a)
{
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    for (int64_t i = 0; i < a->o.timers; i++) {
        struct timer t = {.number = i, .at = jd_deadline(me, US * below(a, a->o.within))};
        must(me, jd_async_after(me, t.at, FIRE, &t, sizeof t));
    }
    must(me, jd_finish_end(me, &s));
    uint64_t done = atomic_load(&a->done);
    printf(
        "%llu of %lld timers have fired, %llu on other ranks:", (unsigned long long)done,
        (long long)a->o.timers, (unsigned long long)atomic_load(&a->late.elsewhere));
    return tell(&a->late) & (done == (uint64_t)a->o.timers);
}

/* ---- periods -------------------------------------------------------------------------- */

/* Each deadline is told from the one before, and not from the time at which the task has gone on. */
static void tick(jd_self *me, void *arg)
{
    struct all *a = jd_local(me);
    jd_time at = *(jd_time *)arg;
    for (int64_t i = 0; i < a->o.ticks; i++) {
        at += US * (uint64_t)a->o.period;
        must(me, jd_sleep_until(me, at));
        note(me, &a->late, at);
    }
}

static int periods(jd_self *me, struct all *a)
{
    uint64_t all = (uint64_t)(a->o.tickers * a->o.ticks);
    jd_time begin = jd_clock(me);
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    for (int64_t i = 0; i < a->o.tickers; i++)
        must(me, jd_async_local(me, TICK, &begin, sizeof begin));
    must(me, jd_finish_end(me, &s));
    uint64_t n = atomic_load(&a->late.n);
    printf("%llu of %llu periods have begun:", (unsigned long long)n,
           (unsigned long long)all);
    return tell(&a->late) & (n == all);
}

/* ---- timers that are stopped ------------------------------------------------------------ */

/* A timer that may be stopped is a wait for the event that stops it. */
static void stoppable(jd_self *me, void *arg)
{
    struct all *a = jd_local(me);
    const struct timer t = *(struct timer *)arg;
    int error = jd_event_wait(me, a->stop[t.number], t.at);
    if (error == JD_ETIMEDOUT)
        note(me, &a->late, t.at);
    else
        must(me, error);
    count(error ? &a->done : &a->ended);
}

/* Every other one is stopped, before it can have fired: its time is an hour away. */
static int stop_half(jd_self *me, struct all *a)
{
    uint64_t half = (uint64_t)a->o.timers / 2, hour = UINT64_C(3600) * 1000000 * US;
    jd_scope s;
    atomic_store(&a->done, 0);
    must(me, jd_finish_begin(me, &s));
    for (int64_t i = 0; i < a->o.timers; i++) {
        uint64_t ns = i % 2 ? hour : US * below(a, a->o.within);
        struct timer t = {.number = i, .at = jd_deadline(me, ns)};
        must(me, jd_event_create(me, 1, &a->stop[i]));
        must(me, jd_async_local(me, STOPPABLE, &t, sizeof t));
    }
    for (int64_t i = 1; i < a->o.timers; i += 2)
        must(me, jd_event_signal(me, a->stop[i], 1));
    must(me, jd_finish_end(me, &s));
    for (int64_t i = 0; i < a->o.timers; i++)
        must(me, jd_event_destroy(me, a->stop[i]));
    printf("%llu timers were stopped, %llu have fired:",
           (unsigned long long)atomic_load(&a->ended),
           (unsigned long long)atomic_load(&a->done));
    return tell(&a->late) & (atomic_load(&a->ended) == half) &
           (atomic_load(&a->done) == (uint64_t)a->o.timers - half);
}

static void sleeper(jd_self *me, void *arg)
{
    struct all *a = jd_local(me);
    int error = jd_sleep_until(me, *(jd_time *)arg);
    must(me, error == JD_ECANCELED ? 0 : error);
    if (error)
        count(&a->cancelled);
}

/* A cancellation ends all at once, and what has not begun never does. */
static int cancel_all(jd_self *me, struct all *a)
{
    jd_time hour = jd_deadline(me, UINT64_C(3600) * 1000000 * US), begin = jd_clock(me);
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    for (int64_t i = 0; i < a->o.timers; i++)
        must(me, i % 2 ? jd_async_local(me, SLEEPER, &hour, sizeof hour)
                       : jd_async_after(me, hour, SLEEPER, &hour, sizeof hour));
    must(me, jd_sleep(me, US * (uint64_t)a->o.within));
    must(me, jd_cancel(me, jd_finish_mine(me)));
    int error = jd_finish_end(me, &s);
    uint64_t slept = atomic_load(&a->cancelled), ms = (jd_clock(me) - begin) / 1000 / US;
    printf("%lld timers were cancelled after %llu ms of an hour\n",
           (long long)a->o.timers, (unsigned long long)ms);
    return error == JD_ECANCELED && slept <= (uint64_t)a->o.timers / 2 &&
           ms < UINT64_C(3600) * 1000;
}

/* ---- deadlines ------------------------------------------------------------------------ */

/* Something that takes a while.  It is given the deadline of all, and does not ask how much is left. */
static int take_step(jd_self *me, uint64_t ns, jd_time deadline)
{
    jd_time done = jd_deadline(me, ns);
    int error = jd_sleep_until(me, done < deadline ? done : deadline);
    return error ? error : done < deadline ? 0 : JD_ETIMEDOUT;
}

static int make_request(jd_self *me, uint64_t ns, jd_time deadline)
{
    int error = 0;
    for (int i = 0; i < STEPS && !error; i++)
        error = take_step(me, ns, deadline);
    return error;
}

/* Odd ones need more time in all than they have, although each step has enough. */
static void request(jd_self *me, void *arg)
{
    struct all *a = jd_local(me);
    int64_t number = *(int64_t *)arg;
    uint64_t budget = US * (uint64_t)a->o.within,
             ns = number % 2 ? budget / 2 : budget / 10;
    jd_time deadline = jd_deadline(me, budget);
    int error = make_request(me, ns, deadline);
    if (error == JD_ETIMEDOUT)
        note(me, &a->late, deadline);
    else
        must(me, error);
    count(!error ? &a->done : number % 2 ? &a->ended : &a->cancelled);
}

static int requests(jd_self *me, struct all *a)
{
    jd_scope s;
    atomic_store(&a->done, 0);
    atomic_store(&a->ended, 0);
    atomic_store(&a->cancelled, 0);
    must(me, jd_finish_begin(me, &s));
    for (int64_t i = 0; i < a->o.timers; i++)
        must(me, jd_async_local(me, REQUEST, &i, sizeof i));
    must(me, jd_finish_end(me, &s));
    uint64_t done = atomic_load(&a->done), ended = atomic_load(&a->ended);
    uint64_t slow = atomic_load(&a->cancelled);
    printf("%llu requests of %d steps were in time, %llu not:", (unsigned long long)done,
           STEPS, (unsigned long long)(ended + slow));
    return tell(&a->late) & (ended == (uint64_t)a->o.timers / 2) &
           (done + ended + slow == (uint64_t)a->o.timers);
}

static const jd_task_def tasks[] = {[FIRE] = JD_TASK(fire),
                                    [FIRED] = JD_TASK(fired),
                                    [TICK] = JD_TASK(tick),
                                    [STOPPABLE] = JD_TASK(stoppable),
                                    [SLEEPER] = JD_TASK(sleeper),
                                    [REQUEST] = JD_TASK(request),
                                    JD_TASK_END};

/* ---- the whole ------------------------------------------------------------------------ */

static int run_all(jd_self *me, struct all *a)
{
    int64_t most = a->o.tickers * a->o.ticks;
    most = most < a->o.timers ? a->o.timers : most;
    a->rng = (uint64_t)a->o.seed;
    a->late.ns = malloc((size_t)most * sizeof *a->late.ns);
    a->stop = malloc((size_t)a->o.timers * sizeof *a->stop);
    must(me, a->late.ns && a->stop ? 0 : JD_ENOMEM);
    int right = one_shot(me, a) & periods(me, a) & stop_half(me, a) & cancel_all(me, a) &
                requests(me, a);
    free(a->late.ns);
    free(a->stop);
    if (!right)
        fprintf(stderr, "timers: WRONG\n");
    return !right;
}

/* 0, or the argument that is wrong; -1: the user wants the text. */
static int read_options(int argc, char **argv, struct options *o)
{
    const struct number_option option[] = {
        {"-n", 1000000, &o->timers},  {"-d", 60000000, &o->within},
        {"-k", 10000, &o->tickers},   {"-t", 100000, &o->ticks},
        {"-p", 60000000, &o->period}, {"-s", INT64_MAX, &o->seed}};
    return read_numbers(argc, argv, option, sizeof option / sizeof *option);
}

static int body(jd_self *me, int argc, char **argv)
{
    struct all a = {.o = {1000, 20000, 4, 50, 500, 1}};
    int bad = read_options(argc, argv, &a.o);
    if (bad)
        return end_with_usage(me, "timers", argv, bad, usage);
    jd_set_local(me, &a);
    return jd_rank(me) == 0 ? run_all(me, &a) : 0;
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
