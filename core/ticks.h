/*
 * ticks.h - the counter of the processor, for who looks at the clock very often.
 *
 * Role: reads the counter; says whether it can stand for a clock; compares it with the clock.
 * Owner: holds no state.
 * Invariants: I1 where it is usable, the counter runs at one speed, never stops, and is the same on all processors of
 *                the host: the processor says the first two, and the kernel, which has compared them, the third.
 * See: doc/trace.md "Clocks"; core/tracer.h.
 */
#ifndef JDI_CORE_TICKS_H
#define JDI_CORE_TICKS_H

#include "core/base.h"

#if defined(__x86_64__)
static inline uint64_t jdi_ticks_read(void)
{
    return __builtin_ia32_rdtsc();
}
#elif defined(__aarch64__)
static inline uint64_t jdi_ticks_read(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}
#else
/* Never called: the counter is not usable. */
static inline uint64_t jdi_ticks_read(void)
{
    return 0;
}
#endif

/* The counter and the clock (jdi_time_ns) at one moment, which lies within `width` ticks. */
struct jdi_ticks {
    uint64_t ticks, ns, width;
};

/* Can the counter of this machine stand for its clock?  Opens a file.  Any thread. */
bool jdi_ticks_usable(void);
/* Compare the two, a few times, and return the best.  Any thread. */
struct jdi_ticks jdi_ticks_compare(void);

#endif
