/*
 * async_omp.c - the side of OpenMP.
 *
 * Role: tasks of a team of one thread.
 * Owner: as bench/async.h.
 * Invariants: I1 of bench/async.h.
 * See: bench/README.md: libgomp keeps 64 tasks of such a team and runs the others at once.
 */
#include "bench/async.h"

#include <stdlib.h>

enum { KEPT = 50 };

static unsigned long sink; /* what the compiler must not see through */

static void spawn(int n)
{
    for (int k = 0; k < n; k++) {
#pragma omp task
        __asm__ volatile("" : : "r"(&sink) : "memory");
    }
}

static double flat(int batch)
{
    int batches = BENCH_BATCH * BENCH_BATCHES / batch;
    double start = bench_now();
#pragma omp parallel num_threads(1)
#pragma omp single
    for (int i = 0; i < batches; i++) {
        spawn(batch);
#pragma omp taskwait
    }
    return (bench_now() - start) / batches / batch;
}

static double flat_large(void)
{
    return flat(BENCH_BATCH);
}
static double flat_kept(void)
{
    return flat(KEPT);
}

static void tree(unsigned depth)
{
    if (!depth--)
        return;
#pragma omp task
    tree(depth);
#pragma omp task
    tree(depth);
}

static double in_tree(void)
{
    double start = bench_now();
#pragma omp parallel num_threads(1)
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task
            tree(BENCH_DEPTH);
        }
    }
    return (bench_now() - start) / BENCH_NODES;
}

static unsigned long fib(unsigned n)
{
    if (n < 2)
        return n;
    unsigned long a, b;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static double wait_each(void)
{
    unsigned long sum = 0;
    double start = bench_now();
#pragma omp parallel num_threads(1)
#pragma omp single
    sum = fib(BENCH_FIB);
    double ns = bench_now() - start;
    if (sum != BENCH_FIB_IS)
        abort();
    return ns / BENCH_FIB_CALLS;
}

static int open_nothing(void)
{
    return 0;
}
static void close_nothing(void) {}

static const struct bench_row rows[] = {
    {"OpenMP task, batches of 1000", flat_large},
    {"OpenMP task, batches of 50", flat_kept},
    {"OpenMP task, binary tree", in_tree},
    {"OpenMP fib, taskwait in every call", wait_each},
    {0},
};

const struct bench_side bench_omp = {open_nothing, close_nothing, rows};
