/*
 * jackdaw-trace.c - what a run with JACKDAW_TRACE has recorded.
 *
 * Role: the command line: which files, shown how, written where.
 * Owner: one thread.
 * Invariants: I1 status 0 only if all files were read and all output was written; 2 for usage.
 * See: doc/jackdaw-trace.1.md; tools/trace.h; test/dist/tools_trace_shows_what_ran.sh.
 */
#include "tools/trace.h"

#include "core/nearest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char trace_tool[] = "jackdaw-trace";

enum { FAILED = 1, USAGE = 2 };

static const char help[] =
    "usage: jackdaw-trace [--output=FILE] [WAY] FILE...\n"
    "Show what a run with JACKDAW_TRACE=FILE has recorded.  The job may still run.\n"
    "\n"
    "  summary        where the time went, in a page of text; without a WAY\n"
    "  perfetto       for ui.perfetto.dev and trace_processor\n"
    "  paje           for ViTE and other readers of Paje\n"
    "  csv            a line for each event\n"
    "\n"
    "  --output=FILE  instead of standard output\n"
    "  --help         this text\n"
    "  --version      the version alone\n"
    "\n"
    "Files of several ranks (JACKDAW_TRACE=FILE-%r) are given together.\n"
    "Exit status: 0; 1 if a file cannot be read or written; 2 for a wrong option.\n";

struct way {
    const char *name;
    void (*show)(const struct trace *t, FILE *to);
    bool pieces; /* needs them */
};

static const struct way ways[] = {{"summary", trace_summary, true},
                                  {"perfetto", trace_perfetto, true},
                                  {"paje", trace_paje, true},
                                  {"csv", trace_csv, false}};

static const char *const words[] = {"--output", "--help", "--version"};

static int wrong_option(const char *word)
{
    char name[32];
    size_t len = strcspn(word, "=");
    snprintf(name, sizeof name, "%.*s", (int)(len < 31 ? len : 31), word);
    int near = jdi_nearest(name, words, sizeof words / sizeof *words);
    fprintf(stderr, "jackdaw-trace: %s: no such option; ", word);
    if (near < 0)
        fputs("try --help\n", stderr);
    else
        fprintf(stderr, "did you mean %s%s?\n", words[near], near ? "" : "=FILE");
    return USAGE;
}

static const struct way *way_called(const char *word)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (!strcmp(word, ways[i].name))
            return &ways[i];
    return NULL;
}

static int show(const struct way *way, char *const *names, size_t n, const char *output)
{
    struct trace t;
    FILE *to = output ? fopen(output, "w") : stdout;
    if (!to) {
        fprintf(stderr, "jackdaw-trace: %s: %s\n", output, strerror(errno));
        return FAILED;
    }
    if (!trace_read(&t, names, n))
        return FAILED;
    if (way->pieces)
        trace_find_pieces(&t);
    way->show(&t, to);
    trace_free(&t);
    if (fflush(to) || ferror(to) || (output && fclose(to))) {
        fprintf(stderr, "jackdaw-trace: %s: %s\n", output ? output : "standard output",
                strerror(errno));
        return FAILED;
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct way *way = &ways[0];
    const char *output = NULL;
    int i = 1;
    for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
        if (!strcmp(argv[i], "--help"))
            return fputs(help, stdout) < 0 || fflush(stdout) ? FAILED : 0;
        if (!strcmp(argv[i], "--version"))
            return puts(JD_VERSION) < 0 || fflush(stdout) ? FAILED : 0;
        if (strncmp(argv[i], "--output=", 9) || !argv[i][9])
            return wrong_option(argv[i]);
        output = argv[i] + 9;
    }
    if (i < argc && way_called(argv[i]))
        way = way_called(argv[i++]);
    if (i == argc) {
        fputs("jackdaw-trace: no file; try --help\n", stderr);
        return USAGE;
    }
    return show(way, argv + i, (size_t)(argc - i), output);
}
