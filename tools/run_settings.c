/*
 * run_settings.c - settings of a job that are the same on every network.
 *
 * Role: variables of -E and -c, the shortcuts for JACKDAW_TRACE, JACKDAW_STATS and JACKDAW_PROGRESS, and the report.
 * Owner: as run.h says.
 * Invariants: I1 a shortcut wins over its variable; two numbers of workers are refused.
 * Order: none.
 * See: doc/jackdaw-run.1.md, jackdaw-env(7).
 */
#include "tools/run.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_name(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    return n > 0 && !isdigit((unsigned char)*text);
}

static void take_variables(struct run_line *l, const struct run_words *variables)
{
    for (size_t i = 0; i < variables->n; i++) {
        const char *word = variables->at[i];
        size_t n = strcspn(word, "=");
        if (!is_name(word, n))
            run_refuse(RUN_USAGE,
                       "-E %s: not the name of a variable: write NAME or NAME=VALUE",
                       word);
        if (word[n])
            run_words_add(&l->settings, "%s", word);
        else if (getenv(word))
            run_words_add(&l->settings, "%s=%s", word, getenv(word));
        else
            run_refuse(RUN_USAGE, "-E %s: that variable is not set: write %s=VALUE", word,
                       word);
    }
}

static void take_cpus(struct run_line *l, const struct run_wish *wish)
{
    const char *workers = getenv("JACKDAW_WORKERS");

    if (!wish->cpus)
        return;
    if (workers && run_words_number(workers, 0) != wish->cpus)
        run_refuse(RUN_USAGE, "-c %ld, but JACKDAW_WORKERS=%s: leave one of them out",
                   wish->cpus, workers);
    run_words_add(&l->settings, "JACKDAW_WORKERS=%ld", wish->cpus);
}

/* ---- traces, statistics, the report -------------------------------------------------- */

/* Several machines do not share a file. */
static const char *trace_of(const struct run_parts *p)
{
    if (!p->wish.trace || *p->wish.trace)
        return p->wish.trace;
    return p->hosts.n > 1 ? "jackdaw-%r.trace" : "jackdaw.trace";
}

/* "jackdaw-report" beside this program, or in PATH. */
static void find_report_tool(char *where)
{
    ssize_t n = readlink("/proc/self/exe", where, PATH_MAX - 32);
    char *slash;

    where[n > 0 ? n : 0] = 0;
    slash = strrchr(where, '/');
    if (slash)
        strcpy(slash + 1, "jackdaw-report");
    if (!slash || access(where, X_OK))
        if (!run_program_in_path("jackdaw-report", where))
            run_refuse(RUN_CANNOT,
                       "--report needs jackdaw-report, which is neither beside "
                       "jackdaw-run nor in PATH: install it, or take --stats");
}

/* The trace of each rank, or the one of all of them. */
static void add_traces(struct run_words *to, const char *pattern, long ranks)
{
    const char *rank = strstr(pattern, "%r");

    if (!rank)
        run_words_add(to, "%s", pattern);
    for (long i = 0; rank && i < ranks; i++)
        run_words_add(to, "%.*s%ld%s", (int)(rank - pattern), pattern, i, rank + 2);
}

static void take_report(struct run_line *l, const struct run_parts *p)
{
    const char *report = *p->wish.report ? p->wish.report : "jackdaw-report.html";
    const char *stats = p->wish.stats, *dot = strrchr(report, '.');
    char tool[PATH_MAX];
    size_t stem = dot && !strchr(dot, '/') ? (size_t)(dot - report) : strlen(report);

    if (strpbrk(report, ",%"))
        run_refuse(RUN_USAGE,
                   "--report=%s: a comma or %% cannot be in this name: take another one",
                   report);
    find_report_tool(tool);
    run_words_add(&l->settings, "JACKDAW_STATS=%s%sjson:%.*s.json",
                  !stats || !strcmp(stats, "0") ? ""
                  : *stats                      ? stats
                                                : "1",
                  !stats || !strcmp(stats, "0") ? "" : ",", (int)stem, report);
    run_words_add(&l->after, "%s", tool);
    run_words_add(&l->after, "%.*s.json", (int)stem, report);
    if (p->wish.trace)
        add_traces(&l->after, trace_of(p), p->ranks);
    run_words_add(&l->after, "-o");
    run_words_add(&l->after, "%s", report);
}

void run_settings_make(struct run_line *l, const struct run_parts *p)
{
    take_variables(l, &p->wish.variables);
    take_cpus(l, &p->wish);
    if (p->wish.trace)
        run_words_add(&l->settings, "JACKDAW_TRACE=%s", trace_of(p));
    if (p->wish.progress)
        run_words_add(&l->settings, "JACKDAW_PROGRESS=%s",
                      *p->wish.progress ? p->wish.progress : "1");
    if (p->wish.report)
        take_report(l, p);
    else if (p->wish.stats)
        run_words_add(&l->settings, "JACKDAW_STATS=%s",
                      *p->wish.stats ? p->wish.stats : "1");
}
