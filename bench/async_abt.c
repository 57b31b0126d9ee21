/*
 * async_abt.c - the side of Argobots; built if configure has found it.
 *
 * Role: tasklets of one execution stream.
 * Owner: as bench/async.h; the thread becomes the primary ULT.
 * Invariants: I1 of bench/async.h. I2 created tasklets are run newest first, before the
 *                primary ULT, which yields to the other end of the pool.
 * See: bench/README.md.  Tasklets cannot wait, so there is no fib.
 */
#include "bench/async.h"

#include <abt.h>
#include <stdint.h>
#include <stdlib.h>

static ABT_pool pool; /* a measurement has no ranks: one of each */

static void must(int error)
{
    if (error != ABT_SUCCESS)
        abort();
}

static int open_argobots(void)
{
    ABT_sched sched;
    ABT_xstream self;
    if (ABT_initialized() == ABT_SUCCESS)
        return -1; /* it is Jackdaw's engine, and this thread no stream of it */
    must(ABT_init(0, NULL));
    must(ABT_pool_create_basic(ABT_POOL_RANDWS, ABT_POOL_ACCESS_PRIV, ABT_TRUE, &pool));
    must(
        ABT_sched_create_basic(ABT_SCHED_BASIC, 1, &pool, ABT_SCHED_CONFIG_NULL, &sched));
    must(ABT_xstream_self(&self));
    must(ABT_xstream_set_main_sched(self, sched));
    return 0;
}

static void close_argobots(void)
{
    must(ABT_finalize());
}

static void run_all(void)
{
    size_t left;
    do {
        must(ABT_thread_yield());
        must(ABT_pool_get_size(pool, &left));
    } while (left);
}

static void empty(void *arg)
{
    (void)arg;
}

static double flat(void)
{
    double start = bench_now();
    for (int i = 0; i < BENCH_BATCHES; i++) {
        for (int k = 0; k < BENCH_BATCH; k++)
            must(ABT_task_create(pool, empty, NULL, NULL));
        run_all();
    }
    return (bench_now() - start) / BENCH_BATCH / BENCH_BATCHES;
}

static void tree(void *arg)
{
    uintptr_t depth = (uintptr_t)arg;
    if (!depth--)
        return;
    must(ABT_task_create(pool, tree, (void *)depth, NULL));
    must(ABT_task_create(pool, tree, (void *)depth, NULL));
}

static double in_tree(void)
{
    double start = bench_now();
    must(ABT_task_create(pool, tree, (void *)(uintptr_t)BENCH_DEPTH, NULL));
    run_all();
    return (bench_now() - start) / BENCH_NODES;
}

static const struct bench_row rows[] = {
    {"Argobots tasklet, batches of 1000", flat},
    {"Argobots tasklet, binary tree", in_tree},
    {0},
};

const struct bench_side bench_abt = {open_argobots, close_argobots, rows};
