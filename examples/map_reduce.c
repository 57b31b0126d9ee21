/*
 * map_reduce.c - fetch many values that come late, compute with each, and add up the results.
 *
 * Role: the workload of "Latency-Hiding Work Stealing" (Muller, Acar): divide and conquer over n elements; each
 *       is fetched with a latency, and then computed with.  While one is fetched its task waits and the
 *       worker goes on with others.  Every rank has its share of the elements.
 * Owner: each rank its elements; a join belongs to whichever of its two parts ends last.
 * Invariants: I1 only rank 0 prints. I2 every element is counted once.
 * See: examples/README.md; jd_sleep_until and jd_get in jackdaw.h.
 */
#include "jackdaw.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP, HALF };
enum how { BY_TIMER, BY_GET };

static const char usage[] = "usage: map_reduce [OPTION VALUE]...\n"
                            "  -n N       elements (5000)\n"
                            "  -l USEC    latency of an element (1000)\n"
                            "  -w USEC    work with an element (10)\n"
                            "  -U WIDTH   only so many of the elements are fetched, "
                            "spread evenly; the others are at hand (all)\n"
                            "  -s SOURCE  timer, or get: from the memory of the next "
                            "rank, as late as the network is (timer)\n"
                            "  -j JOIN    counter: who ends last goes on with the sum; "
                            "or finish: a task waits for its\n"
                            "             two halves (counter)\n"
                            "  -h         this text\n";

struct options {
    int64_t n, latency, work, width;
    enum how how;
    int finish;
};

/* Two parts of the elements; the one that ends last has the sum of both. */
struct join {
    _Atomic uint64_t sum;
    _Atomic int missing;
};

/* Elements first .. end-1 of this rank; the join above is node / 2. */
struct part {
    int64_t first, end;
    uint64_t node;
};

/* One half, and where its sum goes. */
struct half {
    int64_t first, end;
    uint64_t *sum;
};

struct run { /* of one rank */
    struct options o;
    int64_t first, end; /* its elements */
    struct join *joins;
    jd_mem values; /* the elements of the rank before, by number from its first one on */
    _Atomic uint64_t total, mapped;
};

static void must(jd_self *me, int error)
{
    if (error)
        jd_abort(me, 1, "map_reduce: %s", jd_strerror(error));
}

/* ---- elements ----------------------------------------------------------------------- */

static uint64_t value_of(int64_t i)
{
    return 3 * (uint64_t)i + 1;
}

static uint64_t mapped(uint64_t value)
{
    return value * value + 1;
}

/* Exactly `width` of the n elements are. */
static int is_fetched(const struct options *o, int64_t i)
{
    return i * o->width / o->n != (i + 1) * o->width / o->n;
}

static uint64_t fetch(jd_self *me, const struct run *run, int64_t i)
{
    uint64_t value = value_of(i);
    if (!is_fetched(&run->o, i))
        return value;
    if (run->o.how == BY_TIMER) {
        must(me, jd_sleep(me, 1000 * (uint64_t)run->o.latency));
        return value;
    }
    uint32_t next = (jd_rank(me) + 1) % jd_nranks(me);
    must(me, jd_get(me, run->values, next, 8 * (uint64_t)(i - run->first), &value,
                    sizeof value));
    return value;
}

static uint64_t element(jd_self *me, struct run *run, int64_t i)
{
    uint64_t value = fetch(me, run, i);
    jd_compute(me, 1000 * (uint64_t)run->o.work);
    atomic_fetch_add_explicit(&run->mapped, 1, memory_order_relaxed);
    return mapped(value);
}

/* ---- joins by counters --------------------------------------------------------------- */

/* A part has ended with this sum: go on upwards as long as it is the last. */
static void join(struct run *run, uint64_t node, uint64_t sum)
{
    for (; node > 1; node /= 2) {
        struct join *j = &run->joins[node / 2];
        atomic_fetch_add_explicit(&j->sum, sum, memory_order_relaxed);
        /* Release: this part's sum.  Acquire: that of the other part, which has ended before. */
        if (atomic_fetch_sub_explicit(&j->missing, 1, memory_order_acq_rel) > 1)
            return;
        sum = atomic_load_explicit(&j->sum, memory_order_relaxed);
    }
    atomic_store_explicit(&run->total, sum, memory_order_relaxed);
}

static void map(jd_self *me, void *arg)
{
    struct part p = *(struct part *)arg;
    struct run *run = jd_local(me);
    while (p.end - p.first > 1) {
        int64_t middle = p.first + (p.end - p.first) / 2;
        struct part right = {middle, p.end, 2 * p.node + 1};
        atomic_store_explicit(&run->joins[p.node].missing, 2, memory_order_relaxed);
        must(me, jd_async_local(me, MAP, &right, sizeof right));
        p = (struct part){p.first, middle, 2 * p.node};
    }
    join(run, p.node, element(me, run, p.first));
}

/* ---- joins by finishes --------------------------------------------------------------- */

static uint64_t sum_of_part(jd_self *me, struct run *run, int64_t first, int64_t end)
{
    if (end - first == 1)
        return element(me, run, first);
    uint64_t right_sum = 0, sum;
    struct half right = {first + (end - first) / 2, end, &right_sum};
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async_local(me, HALF, &right, sizeof right));
    sum = sum_of_part(me, run, first, right.first);
    must(me, jd_finish_end(me, &s));
    return sum + right_sum;
}

static void half(jd_self *me, void *arg)
{
    struct half h = *(struct half *)arg;
    *h.sum = sum_of_part(me, jd_local(me), h.first, h.end);
}

static const jd_task_def tasks[] = {
    [MAP] = JD_TASK(map), [HALF] = JD_TASK(half), JD_TASK_END};

/* ---- the body ----------------------------------------------------------------------- */

static void start(jd_self *me, void *arg)
{
    struct run *run = arg;
    uint64_t sum = 0;
    if (run->o.finish) {
        struct half all = {run->first, run->end, &sum};
        half(me, &all);
        atomic_store_explicit(&run->total, sum, memory_order_relaxed);
        return;
    }
    struct part all = {run->first, run->end, 1};
    must(me, jd_async_local(me, MAP, &all, sizeof all));
}

/* The elements of a rank. */
static int64_t first_of(const struct options *o, uint64_t rank, uint64_t nranks)
{
    return (int64_t)((uint64_t)o->n * rank / nranks);
}

/* This rank's part of the values: those that the rank before fetches. */
static void put_values(jd_self *me, struct run *run)
{
    uint64_t ranks = jd_nranks(me), before = (jd_rank(me) + ranks - 1) % ranks;
    int64_t first = first_of(&run->o, before, ranks),
            end = first_of(&run->o, before + 1, ranks);
    must(me, jd_mem_create(me, NULL, 8 * (size_t)(end - first), &run->values));
    uint64_t *value = jd_mem_local(me, run->values, NULL);
    for (int64_t i = first; i < end; i++)
        value[i - first] = value_of(i);
}

/* Returns the seconds that all ranks took. */
static double map_all(jd_self *me, struct run *run)
{
    jd_set_local(me, run);
    must(me, jd_barrier(me));
    double begin = jd_now(me);
    if (run->end > run->first)
        must(me, jd_finish(me, start, run));
    must(me, jd_barrier(me));
    return jd_now(me) - begin;
}

static int report(jd_self *me, const struct run *run, double seconds)
{
    const struct options *o = &run->o;
    uint64_t sum[] = {run->total, run->mapped, jd_nworkers(me)}, want = 0;
    must(me, jd_allreduce_u64(me, sum, 3, JD_SUM));
    for (int64_t i = 0; i < o->n; i++)
        want += mapped(value_of(i));
    int wrong = sum[0] != want || sum[1] != (uint64_t)o->n;
    double latency = o->how == BY_TIMER && o->width ? (double)o->latency : 0;
    double work = 1e-6 * (double)o->n * (double)o->work / (double)sum[2];
    double span = 1e-6 * (latency + (double)o->work);
    double bound = work > span ? work : span;
    if (jd_rank(me) == 0)
        printf(
            "%lld elements, %lld fetched in %g us, work %lld us, %llu workers: %.6f s; "
            "max(W/P, span) %.6f s, ratio %.3f%s\n",
            (long long)o->n, (long long)o->width, latency, (long long)o->work,
            (unsigned long long)sum[2], seconds, bound, seconds / bound,
            wrong ? ": WRONG" : "");
    return wrong;
}

static int run_all(jd_self *me, const struct options *o)
{
    struct run run = {.o = *o};
    run.first = first_of(o, jd_rank(me), jd_nranks(me));
    run.end = first_of(o, jd_rank(me) + 1, jd_nranks(me));
    /* Numbers of nodes are below four times that of the leaves. */
    run.joins = calloc(4 * (size_t)(run.end - run.first) + 1, sizeof *run.joins);
    must(me, run.joins ? 0 : JD_ENOMEM);
    put_values(me, &run);
    int wrong = report(me, &run, map_all(me, &run));
    must(me, jd_mem_destroy(me, run.values));
    free(run.joins);
    return wrong;
}

static int read_number(const char *text, int64_t least, int64_t most, int64_t *out)
{
    char *end;
    *out = strtoll(text, &end, 10);
    return end != text && !*end && *out >= least && *out <= most;
}

/* One of two words. */
static int read_word(const char *text, const char *zero, const char *one, int *out)
{
    *out = !strcmp(text, one);
    return *out || !strcmp(text, zero);
}

/* 0, or the argument that is wrong; -1: the user wants the text. */
static int read_options(int argc, char **argv, struct options *o)
{
    int source = 0;
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        int right = 0;
        if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
            return -1;
        if (!strcmp(argv[i], "-n"))
            right = read_number(value, 1, 100000000, &o->n);
        else if (!strcmp(argv[i], "-l"))
            right = read_number(value, 0, 1000000000, &o->latency);
        else if (!strcmp(argv[i], "-w"))
            right = read_number(value, 0, 1000000000, &o->work);
        else if (!strcmp(argv[i], "-U"))
            right = read_number(value, 0, INT64_MAX, &o->width);
        else if (!strcmp(argv[i], "-s"))
            right = read_word(value, "timer", "get", &source);
        else if (!strcmp(argv[i], "-j"))
            right = read_word(value, "counter", "finish", &o->finish);
        if (!right)
            return i;
    }
    o->how = source ? BY_GET : BY_TIMER;
    o->width = o->width < o->n ? o->width : o->n;
    return 0;
}

static int body(jd_self *me, int argc, char **argv)
{
    struct options o = {.n = 5000, .latency = 1000, .work = 10, .width = INT64_MAX};
    int bad = read_options(argc, argv, &o);
    if (bad) {
        if (jd_rank(me) == 0 && bad > 0)
            fprintf(stderr, "map_reduce: bad option '%s'\n%s", argv[bad], usage);
        else if (jd_rank(me) == 0)
            fputs(usage, stdout);
        return bad > 0 ? 2 : 0;
    }
    return run_all(me, &o);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
