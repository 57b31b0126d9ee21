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
#include <string.h>

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

/* The parent numbers the lines of its jobs. */
static void begin_line(struct tdtest *t, bool passed)
{
    if (t->in_job)
        printf("%sok - ", passed ? "" : "not ");
    else
        printf("%sok %u - ", passed ? "" : "not ", ++t->count);
}

bool tdtest_ok(struct tdtest *t, bool passed, const char *format, ...)
{
    va_list args;
    tdtest_progress(t, "%s", "");
    begin_line(t, passed);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    fflush(stdout);
    t->failed += !passed;
    return passed;
}

void tdtest_undecided(struct tdtest *t, const char *why, const char *format, ...)
{
    va_list args;
    tdtest_progress(t, "%s", "");
    begin_line(t, false);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf(": not decided: %s\n", why);
    fflush(stdout);
    t->open++;
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

/* In single quotes, unless the shell takes it as it is. */
static void print_quoted(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-+=./,:@%";
    if (word[strspn(word, plain)] == '\0') {
        fputs(word, stdout);
        return;
    }
    putchar('\'');
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*word);
    putchar('\'');
}

/* What the schedule does not say itself, if it is not as usual. */
static void print_bounds(const struct tdtest *t)
{
    const struct jd_conform_subject *s = &t->subject;
    if (t->has_max_failed)
        printf(" --max-failed=%u", s->max_failed);
    if (s->max_hops)
        printf(" --max-hops=%llu", (unsigned long long)s->max_hops);
    if (s->max_sent)
        printf(" --max-sent=%llu", (unsigned long long)s->max_sent);
}

void tdtest_accuse(const struct tdtest *t, const struct jd_conform_run *run)
{
    if (!jd_conform_run_is_told(run)) {
        tdtest_explain(run);
        return;
    }
    printf("# again with\n# jackdaw-tdtest --detector=");
    print_quoted(t->argument);
    print_bounds(t);
    printf(" --replay='");
    jd_conform_run_write(run, stdout);
    printf("'\n");
    tdtest_explain(run);
}

void tdtest_explain(const struct jd_conform_run *run)
{
    jd_conform_run_explain(run, stdout, "# ");
    fflush(stdout);
}
