/*
 * nested_for.c - loops inside of loops, all of them shared out.
 *
 * Role: an outer range, each of whose numbers is an inner range of leaves that compute for
 *       some microseconds.  The program does not say how ranges are split: the runtime splits a
 *       range when another worker or rank is idle.
 * Owner: each worker adds to its own sum.
 * Invariants: I1 only rank 0 prints. I2 every leaf runs once.
 * See: examples/README.md; jd_forasync in jackdaw.h.
 *
 *     nested_for [OUTER [INNER [USEC]]]     1000, 100 and 10
 */
#include "jackdaw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW, CELL };

struct sum {
    _Alignas(64) uint64_t cells, mix;
};

struct run {
    struct sum *sums;
    uint64_t ns;
    int64_t outer, inner;
};

static void cell(jd_self *me, void *arg)
{
    const jd_range *r = arg;
    int64_t row = *(const int64_t *)r->arg;
    struct run *run = jd_local(me);
    for (int64_t i = r->begin; i < r->end; i++) {
        jd_compute(me, run->ns);
        struct sum *s = &run->sums[jd_worker(me)];
        s->cells++;
        s->mix += (uint64_t)(row * run->inner + i);
    }
}

static void row(jd_self *me, void *arg)
{
    const jd_range *r = arg;
    struct run *run = jd_local(me);
    for (int64_t i = r->begin; i < r->end; i++)
        if (jd_forasync(me, CELL, 0, run->inner, 1, &i, sizeof i))
            jd_abort(me, 1, "nested_for: no memory for a range");
}

static const jd_task_def tasks[] = {
    [ROW] = JD_TASK(row), [CELL] = JD_TASK(cell), JD_TASK_END};

static void start(jd_self *me, void *arg)
{
    struct run *run = arg;
    if (jd_forasync(me, ROW, 0, run->outer, 1, NULL, 0))
        jd_abort(me, 1, "nested_for: no memory for a range");
}

/* Rank 0 prints how much of the time of all workers the leaves have taken. */
static int report(jd_self *me, const struct run *run, double seconds)
{
    uint64_t sum[3] = {0, 0, jd_nworkers(me)};
    for (unsigned w = 0; w < jd_nworkers(me); w++) {
        sum[0] += run->sums[w].cells;
        sum[1] += run->sums[w].mix;
    }
    if (jd_allreduce_u64(me, sum, 3, JD_SUM))
        return 1;
    uint64_t all = (uint64_t)(run->outer * run->inner);
    int wrong = sum[0] != all || sum[1] != all * (all - (all > 0)) / 2;
    if (jd_rank(me) == 0)
        printf("%llu leaves of %g us in %.6f s, %llu workers busy %.1f%%%s\n",
               (unsigned long long)sum[0], 1e-3 * (double)run->ns, seconds,
               (unsigned long long)sum[2],
               100e-9 * (double)all * (double)run->ns / seconds / (double)sum[2],
               wrong ? ": WRONG" : "");
    return wrong;
}

static int read_number(const char *text, int64_t *out)
{
    char *end;
    *out = strtoll(text, &end, 10);
    return end == text || *end || *out < 0 || *out > 1000000000 ? -1 : 0;
}

static int body(jd_self *me, int argc, char **argv)
{
    int64_t usec = 10;
    struct run run = {.outer = 1000, .inner = 100};
    int64_t *const number[] = {&run.outer, &run.inner, &usec};
    int bad = argc > 4;
    for (int i = 1; i < argc && !bad; i++)
        bad = read_number(argv[i], number[i - 1]);
    if (bad) {
        if (jd_rank(me) == 0)
            fprintf(stderr, "usage: nested_for [OUTER [INNER [USEC]]]\n");
        return 2;
    }
    run.ns = (uint64_t)usec * 1000;
    run.sums = aligned_alloc(64, jd_nworkers(me) * sizeof *run.sums);
    if (!run.sums)
        jd_abort(me, 1, "nested_for: out of memory");
    memset(run.sums, 0, jd_nworkers(me) * sizeof *run.sums);
    jd_set_local(me, &run);
    int error = jd_barrier(me);
    double began = jd_now(me);
    if (!error && jd_rank(me) == 0)
        error = jd_finish(me, start, &run);
    double seconds = jd_now(me) - began;
    if (!error)
        error = jd_barrier(me);
    if (error)
        jd_abort(me, 1, "nested_for: %s", jd_strerror(error));
    int status = report(me, &run, seconds);
    free(run.sums);
    return status;
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
