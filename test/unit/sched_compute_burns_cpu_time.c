/*
 * sched_compute_burns_cpu_time.c
 *
 * Role: jd_compute takes as much CPU time of its thread as it is told, also where another thread
 *       has the core for half of the time.
 * Owner: the body; the rival is a thread of its own.
 * Invariants: I1 both threads may use one core only.
 * See: include/jackdaw.h, sched/launch/calls.c.
 */
#include "jackdaw.h"
#include "test/kit/tap.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

enum { COMPUTE_NS = 100000000 };

static _Atomic bool over;

static void *rival(void *unused)
{
    while (!atomic_load_explicit(&over, memory_order_relaxed))
        ;
    return unused;
}

static uint64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool share_a_core(pthread_t *other)
{
    int cpu = sched_getcpu();
    if (cpu < 0 || cpu >= CPU_SETSIZE)
        return false;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return !sched_setaffinity(0, sizeof one, &one) &&
           !pthread_create(other, NULL, rival, NULL);
}

static int body(jd_self *me, int argc, char **argv)
{
    pthread_t other;
    (void)argc, (void)argv;
    ok(share_a_core(&other), "another thread wants the same core");
    uint64_t start = cpu_ns();
    jd_compute(me, COMPUTE_NS);
    ok(cpu_ns() - start >= COMPUTE_NS, "jd_compute has burnt the CPU time");
    atomic_store_explicit(&over, true, memory_order_relaxed);
    pthread_join(other, NULL);
    return done_testing();
}

int main(int argc, char **argv)
{
    static const jd_task_def none[] = {JD_TASK_END};
    setenv("JACKDAW_WORKERS", "1", 1);
    setenv("JACKDAW_BIND", "none", 1);
    return jd_launch(argc, argv, body, none);
}
