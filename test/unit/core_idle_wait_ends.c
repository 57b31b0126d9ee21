/*
 * core_idle_wait_ends.c
 *
 * Role: when a wait ends without a second thread: at its time-out, not before, and at once
 *       after a wake since prepare; a wake before prepare is not kept.
 * Owner: one thread.
 * Invariants: I1 and I2 of core/idle.h.
 * See: core/idle.c.
 */
#include "core/idle.h"
#include "core/time.h"
#include "test/kit/tap.h"

#include <sys/prctl.h>
#include <time.h>

#define MS      UINT64_C(1000000)
#define PATIENT (10000 * MS)

/* The length of one wait, in ns. */
static uint64_t wait_for(struct jdi_idle *i, bool wake_before, bool wake_after,
                         uint64_t timeout_ns)
{
    uint64_t start = jdi_time_ns();
    uint32_t key;

    if (wake_before)
        jdi_idle_wake(i);
    key = jdi_idle_prepare(i);
    if (wake_after)
        jdi_idle_wake(i);
    jdi_idle_wait(i, key, timeout_ns);
    return jdi_time_ns() - start;
}

static uint64_t cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int main(void)
{
    struct jdi_idle i;
    uint64_t cpu;

    jdi_idle_init(&i);
    jdi_idle_thread_init();
    ok(prctl(PR_GET_TIMERSLACK) == 1000, "the thread's timers are exact to 1 us");
    ok(wait_for(&i, false, true, PATIENT) < PATIENT,
       "a wake after prepare ends the wait");
    ok(wait_for(&i, false, false, 0) < PATIENT, "a time-out of zero returns");
    cpu = cpu_ns();
    ok(wait_for(&i, true, false, 100 * MS) >= 100 * MS,
       "a wake before prepare is not kept: the wait lasts to its time-out");
    cpu = cpu_ns() - cpu;
    ok(cpu < 20 * MS, "sleeping takes no CPU time: %llu us in 100 ms",
       (unsigned long long)(cpu / 1000));
    jdi_idle_cancel(&i);
    jdi_idle_wake(&i);
    is_u64(atomic_load_explicit(&i.seq, memory_order_relaxed), 1,
           "wakes with nobody waiting change nothing");
    return done_testing();
}
