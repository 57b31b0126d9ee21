/*
 * time.c - the machine's clock.
 *
 * Role: what jdi_time_now and jdi_time_cpu read where no network is simulated.
 * See: core/time.h.
 */
#include "core/time.h"

#include <time.h>

enum { NS_PER_SECOND = 1000000000 };

static uint64_t read_clock(clockid_t which)
{
    struct timespec t;

    clock_gettime(which, &t);
    return (uint64_t)t.tv_sec * NS_PER_SECOND + (uint64_t)t.tv_nsec;
}

uint64_t jdi_time_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t jdi_time_thread_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}
