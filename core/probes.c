/*
 * probes.c - see probes.h.
 *
 * Role: the semaphores of the probes.
 * Owner: whoever looks at the program from outside.
 * See: probes.h.
 */
#include "core/probes.h"

#ifdef JDI_PROBES
#define JDI_EVENT(kind, name, row, a, b, text)                                           \
    volatile unsigned short jackdaw_##name##_semaphore                                   \
        __attribute__((visibility("hidden"), section(".probes")));
#include "core/trace.def"
#undef JDI_EVENT
#endif
