/*
 * scatter_gather.c - one task hands work to many and waits for all of them, round by round.
 *
 * Role: the workload of "Limits of Work-Stealing Scheduling" (Vrba, Halvorsen, Griwodz): p0 sends a message
 *       to each of n workers, each works for w = T/d seconds and answers, and p0 waits for all answers
 *       before the next of m rounds.  Channels connect p0 with each worker, one for each direction.
 * Owner: rank 0; a channel belongs to the task that receives from it.
 * Invariants: I1 only rank 0 prints. I2 each worker answers each round once, with the right result.
 * See: examples/README.md; jd_channel in jackdaw.h.
 */
#include "examples/options.h"
#include "jackdaw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { P0, WORKER };
enum { RATE_LOOPS = 5000000, RATE_TRIES = 3, MOST = 1000000000 };

static const char usage[] =
    "usage: scatter_gather [OPTION VALUE]...\n"
    "  -n N      workers (50)\n"
    "  -m M      rounds (1000)\n"
    "  -d D      work division: a message is T/D seconds of work (10000)\n"
    "  -T T      seconds (1)\n"
    "  -t T0     iterations of the loop in a second of CPU time (measured)\n"
    "  -k KIND   of work: loop, which divides 64-bit integers; or compute, which is "
    "jd_compute: in the\n"
    "            simulator only that takes time (loop)\n"
    "  -b 0|1    do the same work in one loop as well, and print its time (0)\n"
    "  -h        this text\n"
    "It runs on rank 0.\n";

struct options {
    double n, m, d, T, t0, base;
    int compute;
};

struct message {
    uint64_t round, result;
};

/* What the tasks share. */
struct run {
    struct options o;
    uint64_t loops, ns; /* of the work of a message */
    uint64_t result;    /* of the loop */
    uint64_t wrong;     /* p0's */
    double seconds;
    jd_channel *to, *from; /* for each worker */
};

static void must(jd_self *me, int error)
{
    if (error)
        jd_abort(me, 1, "scatter_gather: %s", jd_strerror(error));
}

/* ---- work --------------------------------------------------------------------------- */

/* `volatile` keeps the compiler from making a multiplication of it. */
static volatile uint64_t divisor = 7;

static uint64_t divide_often(uint64_t loops)
{
    uint64_t x = UINT64_MAX;
    for (uint64_t i = 0; i < loops; i++)
        x = (x ^ i << 48) / divisor;
    return x;
}

/* And here it keeps the compiler from leaving out a loop whose result nobody looks at. */
static uint64_t (*volatile divide)(uint64_t loops) = divide_often;

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Iterations in a second of CPU time, when nothing disturbs. */
static double measure_rate(void)
{
    double best = 0;
    for (int i = 0; i < RATE_TRIES; i++) {
        double start = cpu_seconds();
        (void)divide(RATE_LOOPS);
        double rate = RATE_LOOPS / (cpu_seconds() - start);
        best = rate > best ? rate : best;
    }
    return best;
}

static uint64_t work(jd_self *me, const struct run *run, uint64_t messages)
{
    if (!run->o.compute)
        return divide(run->loops * messages);
    jd_compute(me, run->ns * messages);
    return run->result;
}

/* ---- tasks -------------------------------------------------------------------------- */

static void worker(jd_self *me, void *arg)
{
    const struct run *run = jd_local(me);
    uint64_t i = *(uint64_t *)arg;
    struct message x;
    int error;
    while (!(error = jd_channel_receive(me, run->to[i], &x, JD_FOREVER))) {
        x.result = work(me, run, 1);
        must(me, jd_channel_send(me, run->from[i], &x, JD_FOREVER));
    }
    must(me, error == JD_ECLOSED ? 0 : error);
}

static void p0(jd_self *me, void *arg)
{
    struct run *run = jd_local(me);
    uint64_t n = (uint64_t)run->o.n, m = (uint64_t)run->o.m;
    double start = jd_now(me);
    (void)arg;
    for (uint64_t round = 0; round < m; round++) {
        struct message x = {.round = round};
        for (uint64_t i = 0; i < n; i++)
            must(me, jd_channel_send(me, run->to[i], &x, JD_FOREVER));
        for (uint64_t i = 0; i < n; i++) {
            must(me, jd_channel_receive(me, run->from[i], &x, JD_FOREVER));
            run->wrong += x.round != round || x.result != run->result;
        }
    }
    run->seconds = jd_now(me) - start;
    for (uint64_t i = 0; i < n; i++)
        must(me, jd_channel_close(me, run->to[i]));
}

static const jd_task_def tasks[] = {
    [P0] = JD_TASK(p0), [WORKER] = JD_TASK(worker), JD_TASK_END};

/* ---- the body ----------------------------------------------------------------------- */

static void start(jd_self *me, void *arg)
{
    const struct run *run = arg;
    for (uint64_t i = 0; i < (uint64_t)run->o.n; i++)
        must(me, jd_async_local(me, WORKER, &i, sizeof i));
    must(me, jd_async_local(me, P0, NULL, 0));
}

static void make_channels(jd_self *me, struct run *run)
{
    size_t n = (size_t)run->o.n;
    run->to = calloc(n, sizeof *run->to);
    run->from = calloc(n, sizeof *run->from);
    must(me, run->to && run->from ? 0 : JD_ENOMEM);
    for (size_t i = 0; i < n; i++) {
        must(me, jd_channel_create(me, sizeof(struct message), 1, &run->to[i]));
        must(me, jd_channel_create(me, sizeof(struct message), 1, &run->from[i]));
    }
}

static void destroy_channels(jd_self *me, struct run *run)
{
    for (size_t i = 0; i < (size_t)run->o.n; i++) {
        must(me, jd_channel_destroy(me, run->to[i]));
        must(me, jd_channel_destroy(me, run->from[i]));
    }
    free(run->to);
    free(run->from);
}

static void print_result(const struct run *run)
{
    const struct options *o = &run->o;
    double all = o->n * o->m * o->T / o->d;
    printf("n %g, m %g, d %g, T %g: %.2f us a message; %.6f s of work in %.6f s, "
           "speed-up %.3f%s\n",
           o->n, o->m, o->d, o->T, 1e6 * o->T / o->d, all, run->seconds,
           all / run->seconds, run->wrong ? ": WRONG" : "");
}

/* Returns the job's status. */
static int run_all(jd_self *me, const struct options *o)
{
    struct run run = {.o = *o};
    if (!o->compute && !o->t0)
        run.o.t0 = measure_rate();
    run.loops = (uint64_t)(run.o.t0 * o->T / o->d);
    run.ns = (uint64_t)(1e9 * o->T / o->d);
    run.result = o->compute ? 42 : divide(run.loops);
    jd_set_local(me, &run);
    make_channels(me, &run);
    must(me, jd_finish(me, start, &run));
    destroy_channels(me, &run);
    print_result(&run);
    if (o->base) {
        double begin = jd_now(me);
        (void)work(me, &run, (uint64_t)(o->n * o->m));
        printf("one loop: %.6f s\n", jd_now(me) - begin);
    }
    return run.wrong != 0;
}

static int read_real(const char *text, double least, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && !*end && *out >= least && *out <= MOST;
}

/* 0, or the argument that is wrong; -1: the user wants the text. */
static int read_options(int argc, char **argv, struct options *o)
{
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        int right = 0;
        if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
            return -1;
        if (!strcmp(argv[i], "-n"))
            right =
                read_real(value, 1, &o->n) && o->n <= 1e6 && o->n == (double)(int)o->n;
        else if (!strcmp(argv[i], "-m"))
            right = read_real(value, 1, &o->m) && o->m == (double)(int)o->m;
        else if (!strcmp(argv[i], "-d"))
            right = read_real(value, 1, &o->d);
        else if (!strcmp(argv[i], "-T"))
            right = read_real(value, 1e-6, &o->T);
        else if (!strcmp(argv[i], "-t"))
            right = read_real(value, 1, &o->t0);
        else if (!strcmp(argv[i], "-b"))
            right = read_real(value, 0, &o->base) && (o->base == 0 || o->base == 1);
        else if (!strcmp(argv[i], "-k"))
            right = (o->compute = !strcmp(value, "compute")) || !strcmp(value, "loop");
        if (!right)
            return i;
    }
    return 0;
}

static int body(jd_self *me, int argc, char **argv)
{
    struct options o = {.n = 50, .m = 1000, .d = 10000, .T = 1};
    int bad = read_options(argc, argv, &o);
    if (bad)
        return end_with_usage(me, "scatter_gather", argv, bad, usage);
    return jd_rank(me) == 0 ? run_all(me, &o) : 0;
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
