/*
 * latency.c - a map and reduce whose n elements have to be fetched, each with a latency.
 *
 * Role: a tree of tasks; each leaf sleeps for the latency, computes for w and adds to the sum.  With -u
 *       only so many of the leaves sleep.  JACKDAW_UNBLOCK and JACKDAW_LATENCY say how the runtime deals with
 *       that.  Prints one line: n, u, latency and w in ns, workers, seconds.
 * Owner: one rank.
 * See: bench/latency.sh; paper 004, "Results".
 */
#include "jackdaw.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAP };

struct range {
    uint64_t from, to;
};

static struct bench {
    uint64_t n, waits, latency, w; /* waits: how many of the n have a latency */
    _Atomic uint64_t sum;
    double seconds;
} bench;

/* ---- tasks --------------------------------------------------------------------------- */

static void must(jd_self *me, int error)
{
    if (error < 0)
        jd_abort(me, 1, "%s", jd_strerror(error));
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
        must(me, jd_sleep(me, bench.latency));
    jd_compute(me, bench.w);
    atomic_fetch_add_explicit(&bench.sum, r.from, memory_order_relaxed);
}

static int body(jd_self *me, int argc, char **argv)
{
    jd_coll *c;
    const struct range all = {0, bench.n};
    (void)argc, (void)argv;
    must(me, jd_coll_create(me, NULL, &c));
    must(me, jd_coll_add(me, c, MAP, &all, sizeof all));
    double began = jd_now(me);
    must(me, jd_coll_process(me, c));
    bench.seconds = jd_now(me) - began;
    must(me, jd_coll_destroy(me, c));
    if (atomic_load_explicit(&bench.sum, memory_order_relaxed) !=
        bench.n * (bench.n - 1) / 2)
        jd_abort(me, 1, "the sum is wrong");
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %.9f\n", bench.n,
           bench.waits, bench.latency, bench.w, jd_nworkers(me), bench.seconds);
    return 0;
}

static const jd_task_def tasks[] = {[MAP] = JD_TASK(map), JD_TASK_END};

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
    for (int o; good && (o = getopt(argc, argv, "n:u:l:w:")) != -1;) {
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
        fprintf(stderr, "usage: latency [-n ELEMENTS] [-u THAT_WAIT] [-l NS] [-w NS]\n");
        return 2;
    }
    return jd_launch(argc, argv, body, tasks);
}
