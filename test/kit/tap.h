/*
 * tap.h - the test kit: Test Anything Protocol with libtap's call names.
 *
 * Role: prints numbered results that automake's tap-driver and prove understand.
 * Owner: one thread of one process; a program with several ranks reports from rank 0.
 * Invariants: I1 a test without a plan, or with fewer results than planned, fails.
 * See: test/README.md.
 */
#ifndef JDI_TEST_KIT_TAP_H
#define JDI_TEST_KIT_TAP_H

#include <stdbool.h>
#include <stdint.h>

#define TAP_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

void plan(int tests);
void skip_all(const char *format, ...) TAP_PRINTF(1, 2) __attribute__((noreturn));
void bail_out(const char *format, ...) TAP_PRINTF(1, 2) __attribute__((noreturn));
void diag(const char *format, ...) TAP_PRINTF(1, 2);
/* End of the test; without plan() prints it now.  Returns the status for main. */
int done_testing(void);

int tap_ok(int passed, const char *file, int line, const char *format, ...)
    TAP_PRINTF(4, 5);
int tap_is_u64(uint64_t got, uint64_t want, const char *file, int line,
               const char *format, ...) TAP_PRINTF(5, 6);
int tap_is_str(const char *got, const char *want, const char *file, int line,
               const char *format, ...) TAP_PRINTF(5, 6);

#define ok(condition, ...)     tap_ok(!!(condition), __FILE__, __LINE__, __VA_ARGS__)
#define is_u64(got, want, ...) tap_is_u64(got, want, __FILE__, __LINE__, __VA_ARGS__)
#define is_str(got, want, ...) tap_is_str(got, want, __FILE__, __LINE__, __VA_ARGS__)
#define pass(...)              tap_ok(1, __FILE__, __LINE__, __VA_ARGS__)
#define fail(...)              tap_ok(0, __FILE__, __LINE__, __VA_ARGS__)

/* Poll `condition` for up to `seconds`; false if it never came true. */
#define tap_wait_for(condition, seconds)                                                 \
    ({                                                                                   \
        double tap_end = tap_seconds() + (seconds);                                      \
        while (!(condition) && tap_seconds() < tap_end)                                  \
            tap_breathe();                                                               \
        !!(condition);                                                                   \
    })
double tap_seconds(void);
/* Is this a build with a sanitizer?  Then a search need not be as large. */
bool tap_sanitized(void);
void tap_breathe(void);

#endif
