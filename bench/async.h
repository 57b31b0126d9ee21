/*
 * async.h - what the sides of bench/async.c have in common.
 *
 * Role: how many tasks are measured, the clock, and what each library brings along.
 * Owner: one thread runs all rows of the other libraries, the one that opened them.
 * Invariants: I1 a row returns ns per task; it has one thread and runs every task in it.
 * See: bench/async.c; bench/async_omp.c, bench/async_abt.c, bench/async_tbb.cc.
 */
#ifndef BENCH_ASYNC_H
#define BENCH_ASYNC_H

#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BENCH_BATCH = 1000,
    BENCH_BATCHES = 1000,
    BENCH_DEPTH = 19, /* of the binary tree */
    BENCH_NODES = (2 << BENCH_DEPTH) - 1,
    BENCH_FIB = 25,
    BENCH_FIB_IS = 75025,
    BENCH_FIB_CALLS = 242785
};

struct bench_row {
    const char *name;
    double (*run)(void);
};

struct bench_side {
    int (*open)(void); /* 0, or -1: it cannot run in this process */
    void (*close)(void);
    const struct bench_row *row; /* up to one without a name */
};

extern const struct bench_side bench_omp, bench_abt, bench_tbb;

/* ns of this thread: what others take of its core does not count. */
static inline double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

#ifdef __cplusplus
}
#endif
#endif
