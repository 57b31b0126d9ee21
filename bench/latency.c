/*
 * latency.c - a map and reduce whose n elements have to be fetched, each with a latency.
 *
 * Role: a tree of tasks; each leaf waits for its element, computes for w and adds to the sum.  It waits
 *       suspended, or, with -b, keeping its worker, as a scheduler does that blocks.  With -u only so
 *       many of the leaves wait.  Prints one line: n, u, latency and w in ns, workers, seconds.
 * Owner: one rank.  A timer, which is a thread of its own, or, in virtual time (-v), a task that keeps one
 *        more worker to itself, ends the waits.
 * Invariants: I1 all latencies are the same, so who came first is due first: a queue is enough.
 * Order: [pair: latency-queue] a leaf is suspended before the timer sees it.
 * See: bench/latency.sh; paper 004, "Results".
 */
#include "jackdaw.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MAP, TIMER };
enum { BILLION = 1000000000, STEP_NS = 1000, IDLE_NS = 10000 };

struct range {
    uint64_t from, to;
};

struct wait {
    double due;
    _Atomic(jd_self *) me; /* set last */
};

static struct bench {
    uint64_t n, waits, latency, w; /* waits: how many of the n have a latency */
    bool blocks, is_virtual;
    double seconds;
    struct wait *queue; /* a place for each that waits */
    _Atomic uint64_t next, done, sum;
} bench;

/* ---- the timer ----------------------------------------------------------------------- */

static double seconds_of(uint64_t ns)
{
    return 1e-9 * (double)ns;
}

/* Leaves of several workers come at once: each takes a place, and fills it.  The timer reads the
 * places in order, each when it has been filled. */
static void publish(jd_self *me, void *arg)
{
    struct wait *w =
        &bench.queue[atomic_fetch_add_explicit(&bench.next, 1, memory_order_relaxed)];
    (void)arg;
    w->due = jd_now(me) + seconds_of(bench.latency);
    /* [pair: latency-queue] release. */
    atomic_store_explicit(&w->me, me, memory_order_release);
}

/* The ULT that is due at `now`; or NULL, and how many ns until the next one is. */
static jd_self *due(uint64_t i, double now, uint64_t *ns)
{
    struct wait *w = &bench.queue[i];
    *ns = STEP_NS;
    /* [pair: latency-queue] acquire. */
    jd_self *s = atomic_load_explicit(&w->me, memory_order_acquire);
    if (!s)
        return NULL;
    if (w->due <= now)
        return s;
    *ns = (uint64_t)(1e9 * (w->due - now)) + 1;
    return NULL;
}

static void timer_task(jd_self *me, void *arg)
{
    (void)arg;
    for (uint64_t i = 0; i < bench.waits;) {
        uint64_t ns;
        jd_self *s = due(i, jd_now(me), &ns);
        if (s) {
            jd_resume(NULL, s);
            i++;
        } else {
            jd_compute(me, ns);
        }
    }
    /* Its worker has no share in the work, because it would not be there on a real machine. */
    while (atomic_load_explicit(&bench.done, memory_order_relaxed) < bench.n)
        jd_compute(me, IDLE_NS);
}

static void sleep_for(uint64_t ns)
{
    struct timespec t = {(time_t)(ns / BILLION), (long)(ns % BILLION)};
    while (nanosleep(&t, &t) && errno == EINTR)
        ;
}

static void *timer_thread(void *arg)
{
    (void)arg;
    for (uint64_t i = 0; i < bench.waits;) {
        uint64_t ns;
        jd_self *s = due(i, jd_now(NULL), &ns);
        if (s) {
            jd_resume(NULL, s);
            i++;
        } else {
            sleep_for(ns < STEP_NS * 50 ? STEP_NS * 50 : ns);
        }
    }
    return NULL;
}

/* ---- tasks --------------------------------------------------------------------------- */

static void must(jd_self *me, int error)
{
    if (error < 0)
        jd_abort(me, 1, "%s", jd_strerror(error));
}

static void fetch(jd_self *me)
{
    if (!bench.blocks)
        jd_suspend(me, publish, NULL);
    else if (bench.is_virtual)
        jd_compute(me, bench.latency);
    else
        sleep_for(bench.latency);
}

/* Evenly spread. */
static bool has_latency(uint64_t i)
{
    return bench.latency && (i + 1) * bench.waits / bench.n > i * bench.waits / bench.n;
}

static void map(jd_self *me, void *arg)
{
    struct range r = *(struct range *)arg;
    while (r.to - r.from > 1) {
        struct range half = {r.from + (r.to - r.from) / 2, r.to};
        must(me, jd_coll_add(me, jd_coll_mine(me), MAP, &half, sizeof half));
        r.to = half.from;
    }
    if (has_latency(r.from))
        fetch(me);
    jd_compute(me, bench.w);
    atomic_fetch_add_explicit(&bench.sum, r.from, memory_order_relaxed);
    atomic_fetch_add_explicit(&bench.done, 1, memory_order_relaxed);
}

static int body(jd_self *me, int argc, char **argv)
{
    jd_coll *c;
    pthread_t timer;
    const struct range all = {0, bench.n};
    bool waits = bench.latency && bench.waits && !bench.blocks;
    (void)argc, (void)argv;
    must(me, jd_coll_create(me, NULL, &c));
    must(me, jd_coll_add(me, c, MAP, &all, sizeof all));
    if (waits && bench.is_virtual)
        must(me, jd_coll_add(me, c, TIMER, NULL, 0));
    else if (waits && pthread_create(&timer, NULL, timer_thread, NULL))
        jd_abort(me, 1, "no thread for the timer");
    double began = jd_now(me);
    must(me, jd_coll_process(me, c));
    bench.seconds = jd_now(me) - began;
    if (waits && !bench.is_virtual)
        pthread_join(timer, NULL);
    must(me, jd_coll_destroy(me, c));
    if (atomic_load_explicit(&bench.sum, memory_order_relaxed) !=
        bench.n * (bench.n - 1) / 2)
        jd_abort(me, 1, "the sum is wrong");
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %.9f\n", bench.n,
           bench.waits, bench.latency, bench.w,
           jd_nworkers(me) - (waits && bench.is_virtual), bench.seconds);
    return 0;
}

static const jd_task_def tasks[] = {
    [MAP] = JD_TASK(map), [TIMER] = JD_TASK(timer_task), JD_TASK_END};

/* ---- the command line ---------------------------------------------------------------- */

static bool number(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    *out = value;
    return *text >= '0' && *text <= '9' && !*end && !errno;
}

static bool parse(int argc, char **argv)
{
    bool good = true;
    for (int o; good && (o = getopt(argc, argv, "n:u:l:w:bv")) != -1;) {
        bench.blocks = bench.blocks || o == 'b';
        bench.is_virtual = bench.is_virtual || o == 'v';
        if (o == 'b' || o == 'v')
            continue;
        uint64_t *where = o == 'n'   ? &bench.n
                          : o == 'u' ? &bench.waits
                          : o == 'l' ? &bench.latency
                                     : &bench.w;
        good = o != '?' && number(optarg, where);
    }
    if (bench.waits > bench.n)
        bench.waits = bench.n;
    return good && optind == argc && bench.n;
}

int main(int argc, char **argv)
{
    bench =
        (struct bench){.n = 5000, .waits = UINT64_MAX, .latency = 5000000, .w = 1000000};
    if (!parse(argc, argv)) {
        fprintf(
            stderr,
            "usage: latency [-n ELEMENTS] [-u THAT_WAIT] [-l NS] [-w NS] [-b] [-v]\n");
        return 2;
    }
    bench.queue = calloc(bench.waits + 1, sizeof *bench.queue);
    if (!bench.queue)
        return 1;
    int status = jd_launch(argc, argv, body, tasks);
    free(bench.queue);
    return status;
}
