/*
 * tdtest_report.c - see tools/tdtest.h.
 *
 * Role: TAP lines, comments, the progress line, and explanations of faults.
 * Owner: one thread.
 * Invariants: I1 the progress line is wiped before anything else is written.
 * See: tools/tdtest.h.
 */
#include "tools/tdtest.h"

#include "conform/chart.h"
#include "conform/failure.h"

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

static const char *meaning(const char *rule)
{
    static const char *const text[][2] = {
        {"O1", "safety: announced while a task exists or a rank has not entered"},
        {"O2", "the words of the reports do not add up"},
        {"O4", "liveness: never announced, or too many failed waves after quiescence"},
        {"O5", "a message is left over or comes after the end"},
        {"O6", "an invariant (I1-I9) or the contract of detector.h is broken"}};
    for (size_t i = 0; i < JDI_ARRAY_LEN(text); i++)
        if (strcmp(text[i][0], rule) == 0)
            return text[i][1];
    return "";
}

void tdtest_explain(const char *text, const struct jdi_world_trace *trace, unsigned ranks)
{
    if (text) {
        tdtest_say("rule %s: %s", jdi_failure_rule(text),
                   meaning(jdi_failure_rule(text)));
        tdtest_say("%s", text);
    }
    jdi_chart_print(stdout, trace, ranks, "# ");
    fflush(stdout);
}
