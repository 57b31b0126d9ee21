/*
 * probes.h - places in a program where bpftrace, perf, SystemTap and gdb can look (USDT).
 *
 * Role: a probe jackdaw:NAME for each event of core/trace.def, where the header sys/sdt.h was there to build with.
 * Owner: whoever looks at a program counts itself in a probe's semaphore; the program only reads these.
 * Invariants: I1 a probe at which nobody looks is a comparison of its semaphore with 0.
 *             I2 a probe has five numbers: the rank, the thread, and row, a and b of the event; times are in ns.
 * See: doc/trace.md "Probes"; sched/traces.h, which has the places; core/trace.def.
 */
#ifndef JDI_CORE_PROBES_H
#define JDI_CORE_PROBES_H

#include "core/trace.h"

/* The kind has to be a constant where this is inlined, so that one probe is left of all. */
#define JDI_PROBES_INLINE static inline __attribute__((always_inline))

#ifdef JDI_PROBES
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

#define JDI_EVENT(kind, name, row, a, b, text)                                           \
    extern volatile unsigned short jackdaw_##name##_semaphore                            \
        __attribute__((visibility("hidden"), section(".probes")));
#include "core/trace.def"
#undef JDI_EVENT

/* Does anybody look at the probe of that event? */
JDI_PROBES_INLINE bool jdi_probes_on(enum jdi_trace_kind of)
{
    switch (of) {
#define JDI_EVENT(kind, name, row, a, b, text)                                           \
    case JDI_TRACE_##kind:                                                               \
        return JDI_UNLIKELY(jackdaw_##name##_semaphore);
#include "core/trace.def"
#undef JDI_EVENT
    default:
        return false;
    }
}

JDI_PROBES_INLINE void jdi_probes_fire(enum jdi_trace_kind of, uint32_t rank,
                                       unsigned thread, uint64_t row, uint64_t a,
                                       uint64_t b)
{
    switch (of) {
#define JDI_EVENT(kind, name, unused_row, unused_a, unused_b, text)                      \
    case JDI_TRACE_##kind:                                                               \
        STAP_PROBE5(jackdaw, name, rank, thread, row, a, b);                             \
        break;
#include "core/trace.def"
#undef JDI_EVENT
    default:
        break;
    }
}

#else

JDI_PROBES_INLINE bool jdi_probes_on(enum jdi_trace_kind of)
{
    (void)of;
    return false;
}

JDI_PROBES_INLINE void jdi_probes_fire(enum jdi_trace_kind of, uint32_t rank,
                                       unsigned thread, uint64_t row, uint64_t a,
                                       uint64_t b)
{
    (void)of, (void)rank, (void)thread, (void)row, (void)a, (void)b;
}

#endif
#endif
