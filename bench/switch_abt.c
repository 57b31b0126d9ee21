/*
 * switch_abt.c - two ULTs of Argobots that suspend themselves and resume each other, and one that yields.
 *
 * Role: the peer of bench/switch.c.
 * Owner: one execution stream, the caller's.
 * Invariants: I1 a ULT resumes the other one only when that has stopped.
 * See: bench/switch.c.
 */
#include "bench/switch.h"

#include "jackdaw.h"

#include <abt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static struct {
    ABT_thread ult[2];
    long times;
} bench;

static void must(int error)
{
    if (error != ABT_SUCCESS)
        abort();
}

static bool wake_other(long i)
{
    ABT_thread_state state;
    must(ABT_thread_get_state(bench.ult[1 - i], &state));
    if (state == ABT_THREAD_STATE_BLOCKED)
        must(ABT_thread_resume(bench.ult[1 - i]));
    return state == ABT_THREAD_STATE_BLOCKED;
}

static void ping(void *arg)
{
    long i = (long)(intptr_t)arg;
    while (bench.times < SWITCH_TIMES) {
        bench.times++;
        (void)wake_other(i);
        must(ABT_self_suspend());
    }
    (void)wake_other(i);
}

static void yield(void *arg)
{
    (void)arg;
    for (long i = 0; i < SWITCH_TIMES; i++)
        must(ABT_self_yield());
}

struct switch_times bench_switch_argobots(void)
{
    struct switch_times t;
    ABT_xstream self;
    ABT_pool pool;
    ABT_thread yielder;
    must(ABT_init(0, NULL));
    must(ABT_self_get_xstream(&self));
    must(ABT_xstream_get_main_pools(self, 1, &pool));
    bench.times = 0;
    double begin = jd_now(NULL);
    for (intptr_t i = 0; i < 2; i++)
        must(ABT_thread_create(pool, ping, (void *)i, ABT_THREAD_ATTR_NULL,
                               &bench.ult[i]));
    for (int i = 0; i < 2; i++)
        must(ABT_thread_join(bench.ult[i])); /* each may look at the other until then */
    for (int i = 0; i < 2; i++)
        must(ABT_thread_free(&bench.ult[i]));
    t.resume = 1e9 * (jd_now(NULL) - begin) / SWITCH_TIMES;
    begin = jd_now(NULL);
    must(ABT_thread_create(pool, yield, NULL, ABT_THREAD_ATTR_NULL, &yielder));
    must(ABT_thread_free(&yielder));
    t.yield = 1e9 * (jd_now(NULL) - begin) / SWITCH_TIMES;
    must(ABT_finalize());
    return t;
}
