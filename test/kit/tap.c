/*
 * tap.c - the test kit: Test Anything Protocol with libtap's call names.
 *
 * Role: has the only file-scope state of the tests, the number of the next result.
 * Owner: the thread that reports.
 * Invariants: I1 of tap.h.
 * See: tap.h.
 */
#include "test/kit/tap.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int planned = -1, run, failed;

void plan(int tests)
{
    planned = tests;
    printf("1..%d\n", tests);
    fflush(stdout);
}

void skip_all(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("1..0 # SKIP ");
    vprintf(format, args);
    puts("");
    va_end(args);
    exit(0);
}

void bail_out(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("Bail out! ");
    vprintf(format, args);
    puts("");
    va_end(args);
    exit(255);
}

static void vdiag(const char *format, va_list args)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    fflush(stdout);
    for (char *save = NULL, *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save))
        fprintf(stderr, "# %s\n", line);
}

void diag(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vdiag(format, args);
    va_end(args);
}

static int result(int passed, const char *file, int line, const char *format,
                  va_list args)
{
    printf("%sok %d - ", passed ? "" : "not ", ++run);
    vprintf(format, args);
    puts("");
    fflush(stdout);
    if (!passed) {
        failed++;
        diag("failed at %s line %d", file, line);
    }
    return passed;
}

int tap_ok(int passed, const char *file, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    result(passed, file, line, format, args);
    va_end(args);
    return passed;
}

int tap_is_u64(uint64_t got, uint64_t want, const char *file, int line,
               const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!result(got == want, file, line, format, args))
        diag("     got %llu\nexpected %llu", (unsigned long long)got,
             (unsigned long long)want);
    va_end(args);
    return got == want;
}

int tap_is_str(const char *got, const char *want, const char *file, int line,
               const char *format, ...)
{
    int same = got && want ? !strcmp(got, want) : got == want;
    va_list args;
    va_start(args, format);
    if (!result(same, file, line, format, args))
        diag("     got '%s'\nexpected '%s'", got ? got : "(null)",
             want ? want : "(null)");
    va_end(args);
    return same;
}

int done_testing(void)
{
    if (planned < 0)
        printf("1..%d\n", planned = run);
    if (run == 0 || run != planned) {
        diag("planned %d tests but ran %d", planned, run);
        return 1;
    }
    fflush(stdout);
    return failed ? 1 : 0;
}

bool tap_sanitized(void)
{
    const char *kind = getenv("JD_TEST_SANITIZER");
    return kind && strcmp(kind, "none") != 0;
}

double tap_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void tap_breathe(void)
{
    sched_yield();
}
