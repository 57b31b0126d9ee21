/*
 * scatter.c - rounds of messages from one task to n workers and back.
 *
 * Role: the scatter and gather of Vrba et al.: in each of m rounds p0 sends a message to each worker,
 *       the worker computes for w, and answers; p0 waits for all answers.  Prints one line: n, m, w
 *       in ns, the workers of the rank, seconds, speed-up (n * m * w over these).
 * Owner: one rank; p0 and the workers are tasks, which wait for messages on stacks of their own.
 * Invariants: I1 a channel has one sender, one receiver and room for one message; p0 sends the next one
 *                only after the answer, so no sender finds it full.
 * See: bench/scatter.sh; paper 001; sched/unblock.c.
 *
 *   state      event                          next       who
 *   EMPTY      send                           FULL       sender
 *   FULL       receive                        EMPTY      receiver
 *   EMPTY      receive: it waits              a ULT      receiver, once it has stopped
 *   a ULT      send, which resumes that ULT   EMPTY      sender
 */
#include "jackdaw.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { P0, WORKER };
enum { LINE = 64, BILLION = 1000000000 };
enum { EMPTY, FULL }; /* or the address of the ULT that waits */

struct channel {
    _Alignas(LINE) _Atomic uintptr_t state;
};

static struct bench {
    uint64_t n, m, w;          /* workers, rounds, ns of work */
    uint64_t per_s;            /* iterations of the loop in a CPU second; 0: jd_compute */
    uint64_t message;          /* ns of virtual time that a message costs who sends it */
    struct channel *to, *from; /* of each worker */
    double seconds;
} bench;

/* ---- channels ------------------------------------------------------------------------ */

static void wait_at(jd_self *me, void *arg)
{
    struct channel *c = arg;
    uintptr_t expected = EMPTY;
    /* [pair: scatter-channel] release: the ULT has stopped. */
    if (atomic_compare_exchange_strong_explicit(&c->state, &expected, (uintptr_t)me,
                                                memory_order_acq_rel,
                                                memory_order_acquire))
        return;
    atomic_store_explicit(&c->state, EMPTY, memory_order_relaxed); /* it came meanwhile */
    jd_resume(NULL, me);
}

static void receive(jd_self *me, struct channel *c)
{
    uintptr_t expected = FULL;
    /* [pair: scatter-channel] acquire: what the sender did before. */
    if (!atomic_compare_exchange_strong_explicit(
            &c->state, &expected, EMPTY, memory_order_acq_rel, memory_order_acquire))
        jd_suspend(me, wait_at, c);
}

static void send(jd_self *me, struct channel *c)
{
    uintptr_t expected = EMPTY;
    if (bench.message)
        jd_compute(me, bench.message);
    /* [pair: scatter-channel] release: what the receiver reads; acquire: the ULT that waits. */
    if (atomic_compare_exchange_strong_explicit(
            &c->state, &expected, FULL, memory_order_acq_rel, memory_order_acquire))
        return;
    atomic_store_explicit(&c->state, EMPTY, memory_order_relaxed);
    jd_resume(me, (jd_self *)expected);
}

/* ---- work ---------------------------------------------------------------------------- */

static void divide(uint64_t times)
{
    uint64_t by = 3, x = UINT64_MAX;
    for (uint64_t i = 0; i < times; i++) {
        __asm__ volatile("" : "+r"(by), "+r"(x)); /* the compiler knows neither */
        x /= by;
        x |= UINT64_C(1) << 63; /* a long division each time */
    }
    __asm__ volatile("" : : "r"(x));
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* T0 of the paper.  The quickest of some rounds, because others use the cores, too. */
static uint64_t calibrate(void)
{
    enum { ITERATIONS = 10000000, ROUNDS = 9 };
    double best = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        double before = cpu_seconds();
        divide(ITERATIONS);
        double took = cpu_seconds() - before;
        best = took < best ? took : best;
    }
    return (uint64_t)(ITERATIONS / best);
}

/* ---- tasks --------------------------------------------------------------------------- */

static void worker(jd_self *me, void *arg)
{
    uint64_t i = *(uint64_t *)arg;
    const uint64_t iterations =
        (uint64_t)((double)bench.w * (double)bench.per_s / BILLION);
    for (uint64_t r = 0; r < bench.m; r++) {
        receive(me, &bench.to[i]);
        if (bench.per_s)
            divide(iterations);
        else if (bench.w)
            jd_compute(me, bench.w);
        send(me, &bench.from[i]);
    }
}

static void p0(jd_self *me, void *arg)
{
    (void)arg;
    double began = jd_now(me);
    for (uint64_t r = 0; r < bench.m; r++) {
        for (uint64_t i = 0; i < bench.n; i++)
            send(me, &bench.to[i]);
        for (uint64_t i = 0; i < bench.n; i++)
            receive(me, &bench.from[i]);
    }
    bench.seconds = jd_now(me) - began;
}

static void must(jd_self *me, int error)
{
    if (error < 0)
        jd_abort(me, 1, "%s", jd_strerror(error));
}

static int body(jd_self *me, int argc, char **argv)
{
    jd_coll *c;
    (void)argc, (void)argv;
    must(me, jd_coll_create(me, NULL, &c));
    must(me, jd_coll_add(me, c, P0, NULL, 0)); /* the youngest tasks run first */
    for (uint64_t i = 0; i < bench.n; i++)
        must(me, jd_coll_add(me, c, WORKER, &i, sizeof i));
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_destroy(me, c));
    double work = 1e-9 * (double)bench.n * (double)bench.m * (double)bench.w;
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %u %.9f %.4f\n", bench.n, bench.m,
           bench.w, jd_nworkers(me), bench.seconds, work / bench.seconds);
    return 0;
}

static const jd_task_def tasks[] = {
    [P0] = JD_TASK(p0), [WORKER] = JD_TASK(worker), JD_TASK_END};

/* ---- the command line ---------------------------------------------------------------- */

static int usage(void)
{
    fprintf(stderr,
            "usage: scatter [-n WORKERS] [-m ROUNDS] [-w NS] [-t ITERATIONS] [-c NS]\n"
            "       scatter -t 0     print how often the loop runs in a CPU second\n"
            "  -t  compute by dividing integers so often in a second, not by jd_compute\n"
            "  -c  a message costs so much virtual time\n");
    return 2;
}

static bool number(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    *out = value;
    return *text >= '0' && *text <= '9' && !*end && !errno;
}

static bool parse(int argc, char **argv, bool *only_calibrate)
{
    bool good = true;
    for (int o; good && (o = getopt(argc, argv, "n:m:w:t:c:")) != -1;) {
        uint64_t *where = o == 'n'   ? &bench.n
                          : o == 'm' ? &bench.m
                          : o == 'w' ? &bench.w
                          : o == 't' ? &bench.per_s
                                     : &bench.message;
        good = o != '?' && number(optarg, where);
        *only_calibrate = *only_calibrate || (o == 't' && !bench.per_s);
    }
    return good && optind == argc && bench.n && bench.m;
}

static struct channel *channels(void)
{
    struct channel *c = aligned_alloc(LINE, bench.n * sizeof *c);
    for (uint64_t i = 0; c && i < bench.n; i++)
        atomic_init(&c[i].state, EMPTY);
    return c;
}

int main(int argc, char **argv)
{
    bool only_calibrate = false;
    bench = (struct bench){.n = 50, .m = 1000, .w = 100000};
    if (!parse(argc, argv, &only_calibrate))
        return usage();
    if (only_calibrate)
        return printf("%" PRIu64 "\n", calibrate()) < 0;
    bench.to = channels();
    bench.from = channels();
    if (!bench.to || !bench.from)
        return 1;
    int status = jd_launch(argc, argv, body, tasks);
    free(bench.to);
    free(bench.from);
    return status;
}
