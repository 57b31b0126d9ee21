/*
 * base.h - what every file of the runtime includes first.
 *
 * Role: attributes, assertions, alignment and the error codes of the public header.
 * Owner: nobody; holds no state.
 * See: STYLE in CONTRIBUTING.md; core/log.h for the classes of errors.
 */
#ifndef JDI_CORE_BASE_H
#define JDI_CORE_BASE_H

#include "jackdaw.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JDI_CACHE_LINE  64
#define JDI_ALIGNED     _Alignas(JDI_CACHE_LINE)
#define JDI_LIKELY(x)   __builtin_expect(!!(x), 1)
#define JDI_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define JDI_NOINLINE    __attribute__((noinline))
/* Reads words that another thread writes without an order: see sched/inspect.c. */
#define JDI_UNORDERED         __attribute__((noinline, no_sanitize("thread")))
#define JDI_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define JDI_ARRAY_LEN(a)      (sizeof(a) / sizeof((a)[0]))

/* Round n up to a multiple of `to`, a power of two. */
static inline size_t jdi_round_up(size_t n, size_t to)
{
    return (n + to - 1) & ~(to - 1);
}

/* Print "file:line: text" and abort: the last resort where there is no rank to end the job. */
void jdi_panic(const char *file, int line, const char *format, ...) JD_NORETURN
    JDI_PRINTF(3, 4);

/* Our own broken invariant, in every build.  Cheap expressions only. */
#define JD_CHECK(x)                                                                      \
    (JDI_LIKELY(x) ? (void)0 : jdi_panic(__FILE__, __LINE__, "broken invariant: %s", #x))
/* The same with both operands printed, for unsigned numbers. */
#define JD_CHECK_EQ(a, b)                                                                \
    do {                                                                                 \
        uint64_t check_a = (uint64_t)(a), check_b = (uint64_t)(b);                       \
        if (JDI_UNLIKELY(check_a != check_b))                                            \
            jdi_panic(__FILE__, __LINE__, "broken invariant: %s == %s (%llu, %llu)", #a, \
                      #b, (unsigned long long)check_a, (unsigned long long)check_b);     \
    } while (0)
/* Debug builds only; the expression is compiled in both. */
#ifdef JDI_DEBUG
#define JD_ASSERT(x) JD_CHECK(x)
/* A call that walks a structure and asserts what it finds. */
#define JD_AUDIT(call) (call)
#else
#define JD_ASSERT(x)   (0 ? (void)(x) : (void)0)
#define JD_AUDIT(call) (0 ? (void)(call) : (void)0)
#endif

#endif
