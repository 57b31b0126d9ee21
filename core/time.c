/*
 * time.c - the machine's clock.
 *
 * Role: what jdi_time_now reads where no network is simulated.
 * See: core/time.h.
 */
#include "core/time.h"

#include <time.h>

enum { NS_PER_SECOND = 1000000000 };

uint64_t jdi_time_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_SECOND + (uint64_t)t.tv_nsec;
}
