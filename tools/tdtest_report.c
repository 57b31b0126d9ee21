/*
 * tdtest_report.c - see tools/tdtest.h.
 *
 * Role: TAP lines, comments, the progress line, and charts.
 * Owner: one thread.
 * Invariants: I1 the progress line is wiped before anything else is written.
 * See: tools/tdtest.h.
 */
#include "tools/tdtest.h"

#include <stdarg.h>

void tdtest_progress(const struct tdtest *t, const char *format, ...)
{
    va_list args;
    if (!t->progress)
        return;
    fputs("\r\033[K", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fflush(stderr);
}

bool tdtest_ok(struct tdtest *t, bool passed, const char *format, ...)
{
    va_list args;
    tdtest_progress(t, "%s", "");
    printf("%sok %u - ", passed ? "" : "not ", ++t->count);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    fflush(stdout);
    t->failed += !passed;
    return passed;
}

void tdtest_skip(struct tdtest *t, const char *why, const char *format, ...)
{
    va_list args;
    tdtest_progress(t, "%s", "");
    printf("ok %u - ", ++t->count);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf(" # SKIP %s\n", why);
    fflush(stdout);
}

void tdtest_say(const char *format, ...)
{
    va_list args;
    printf("# ");
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

void tdtest_explain(const struct jd_conform_run *run)
{
    jd_conform_run_explain(run, stdout, "# ");
    fflush(stdout);
}
