/*
 * fib.c - Fibonacci numbers by a tree of tasks.
 *
 * Role: the smallest task program with a result: fib(n) is the number of ones at the
 *       leaves of its call tree; every task adds its two calls as tasks.
 * Owner: each worker adds to its own sum; the body reads them after jd_coll_process.
 * Invariants: I1 only rank 0 prints.
 * See: examples/README.md.
 *
 *     fib [N [CUTOFF]]       N from 0 to 90 (30), below CUTOFF calls are plain (15)
 */
#include "jackdaw.h"

#include <stdio.h>
#include <stdlib.h>

struct sum {
    _Alignas(64) uint64_t value; /* a cache line for each worker */
};

struct run {
    struct sum *sums;
    int cutoff;
};

enum { FIB };

static uint64_t plain_fib(int n)
{
    return n < 2 ? (uint64_t)n : plain_fib(n - 1) + plain_fib(n - 2);
}

static void add_call(jd_self *me, jd_coll *coll, int n)
{
    int error = jd_coll_add(me, coll, FIB, &n, sizeof n);
    if (error)
        jd_abort(me, 1, "fib: %s", jd_strerror(error));
}

static void fib(jd_self *me, void *arg)
{
    int n = *(const int *)arg;
    jd_coll *coll = jd_coll_mine(me);
    struct run *run = jd_coll_local(coll);
    if (n < 2 || n < run->cutoff) {
        run->sums[jd_worker(me)].value += plain_fib(n);
        return;
    }
    add_call(me, coll, n - 1);
    add_call(me, coll, n - 2);
}

static const jd_task_def tasks[] = {[FIB] = JD_TASK(fib), JD_TASK_END};

/* The sum over all workers of all ranks, and the number of tasks that made it. */
static int compute(jd_self *me, struct run *run, int n, uint64_t *value, uint64_t *ran)
{
    jd_coll_props props = {.name = "fib", .arg_size = 16, .uniform = 1, .local = run};
    jd_coll_info info;
    jd_coll *coll;
    int error = jd_coll_create(me, &props, &coll);
    if (error)
        return error;
    if (jd_rank(me) == 0)
        add_call(me, coll, n);
    error = jd_coll_process(me, coll);
    if (!error)
        error = jd_coll_get_info(me, coll, &info);
    if (error)
        return error;
    *ran = info.all_executed;
    *value = 0;
    for (unsigned w = 0; w < jd_nworkers(me); w++)
        *value += run->sums[w].value;
    error = jd_allreduce_u64(me, value, 1, JD_SUM);
    return error ? error : jd_coll_destroy(me, coll);
}

/* argv[at] as a number in [0, most], `otherwise` without one, -1 if it is wrong. */
static int number(int argc, char **argv, int at, int otherwise, int most)
{
    char *end;
    if (argc <= at)
        return otherwise;
    long value = strtol(argv[at], &end, 10);
    return end == argv[at] || *end || value < 0 || value > most ? -1 : (int)value;
}

static uint64_t loop_fib(int n)
{
    uint64_t a = 0, b = 1;
    for (; n > 0; n--) {
        uint64_t next = a + b;
        a = b;
        b = next;
    }
    return a;
}

static int body(jd_self *me, int argc, char **argv)
{
    int n = number(argc, argv, 1, 30, 90);
    struct run run = {.cutoff = number(argc, argv, 2, 15, 90)};
    uint64_t value = 0, ran = 0;
    if (n < 0 || run.cutoff < 0 || argc > 3) {
        if (jd_rank(me) == 0)
            fprintf(stderr, "usage: fib [N [CUTOFF]], both from 0 to 90\n");
        return 2;
    }
    run.sums = aligned_alloc(64, jd_nworkers(me) * sizeof *run.sums);
    if (!run.sums)
        jd_abort(me, 1, "fib: out of memory");
    for (unsigned w = 0; w < jd_nworkers(me); w++)
        run.sums[w].value = 0;

    double start = jd_now(me);
    int error = compute(me, &run, n, &value, &ran);
    double seconds = jd_now(me) - start;
    free(run.sums);
    if (error)
        jd_abort(me, 1, "fib: %s", jd_strerror(error));
    if (jd_rank(me) == 0)
        printf("fib(%d) = %llu, %llu tasks in %.3f s%s\n", n, (unsigned long long)value,
               (unsigned long long)ran, seconds, value == loop_fib(n) ? "" : ": WRONG");
    return value == loop_fib(n) ? 0 : 1;
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
