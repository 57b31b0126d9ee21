/*
 * jackdaw-report.c - a page about a run, or about several.
 *
 * Role: the command line: which files are figures and which are traces, what the page is called, where it goes.
 * Owner: one thread.
 * Invariants: I1 status 0 only if all files were read and the whole page was written; 2 for usage.
 *             I2 a file with the page's name is whole, or it is what it was before.
 * See: doc/jackdaw-report.1.md; tools/report.h; test/sim/tools_report_shows_the_figures.sh.
 */
#include "core/nearest.h"
#include "core/outfile.h"
#include "tools/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char trace_tool[] = "jackdaw-report";

enum { FAILED = 1, USAGE = 2 };

static const char help[] =
    "usage: jackdaw-report [--output=FILE] [--title=TEXT] RUN.json... [TRACE...]\n"
    "Make a page of HTML about a run with JACKDAW_STATS=json:RUN.json and, if there is "
    "one, JACKDAW_TRACE=TRACE.\n"
    "\n"
    "  -o FILE, --output=FILE  instead of standard output\n"
    "  --title=TEXT            instead of the program's name\n"
    "  --help                  this text\n"
    "  --version               the version alone\n"
    "\n"
    "The page is about the first run, and so are the traces.  With further runs it shows "
    "efficiency\n"
    "against the number of ranks.  Files of several ranks (%r in their names) are given "
    "together.\n"
    "Exit status: 0; 1 if a file cannot be read or written; 2 for a wrong option.\n";

static const char *const words[] = {"--output", "--title", "--help", "--version"};

struct options {
    const char *output, *title;
    char **name; /* of files */
    size_t n;
};

static int wrong_option(const char *word)
{
    char name[32];
    size_t len = strcspn(word, "=");
    snprintf(name, sizeof name, "%.*s", (int)(len < 31 ? len : 31), word);
    int near = jdi_nearest(name, words, JDI_ARRAY_LEN(words));
    fprintf(stderr, "jackdaw-report: %s: no such option; ", word);
    if (near < 0)
        fputs("try --help\n", stderr);
    else
        fprintf(stderr, "did you mean %s%s?\n", words[near],
                near == 0   ? "=FILE"
                : near == 1 ? "=TEXT"
                            : "");
    return USAGE;
}

/* ---- reading ---------------------------------------------------------------------------- */

static bool say_errno(const char *name)
{
    fprintf(stderr, "jackdaw-report: %s: %s\n", name, strerror(errno));
    return false;
}

/* 1: a trace; 0: something else; -1: it cannot be read, which was said. */
static int is_trace(const char *name)
{
    char magic[sizeof JDI_TRACE_MAGIC];
    FILE *f = fopen(name, "r");
    size_t n = f ? fread(magic, 1, sizeof magic, f) : 0;
    if (!f || ferror(f)) {
        say_errno(name);
        n = 0;
    }
    int is = !f || ferror(f)
                 ? -1
                 : n == sizeof magic && !memcmp(magic, JDI_TRACE_MAGIC, sizeof magic);
    if (f)
        fclose(f);
    return is;
}

/* The whole file, and a 0 behind it. */
static char *read_whole(const char *name, size_t *n)
{
    FILE *f = fopen(name, "r");
    char *text = NULL;
    size_t room = 0, got = 1;
    for (*n = 0; f && got; *n += got) {
        if (room - *n < 2)
            text = trace_grow(text, room = room * 2 + 65536, 1);
        got = fread(text + *n, 1, room - *n - 1, f);
    }
    bool bad = !f || ferror(f);
    if (bad)
        say_errno(name);
    if (f)
        fclose(f);
    if (bad) {
        free(text);
        return NULL;
    }
    text[*n] = 0;
    return text;
}

/* Is the trace one of that run, as far as can be seen? */
static bool trace_fits(const struct trace *t, const struct report_run *run,
                       const char *name)
{
    if (t->cut) {
        fprintf(stderr,
                "jackdaw-report: %s: it is cut off: it ends after %" PRIu64
                " bytes, inside of a chunk\n",
                t->cut, t->cut_bytes);
        return false;
    }
    if (*t->run && strcmp(t->run, run->f.id)) {
        fprintf(stderr,
                "jackdaw-report: %s is not of the run %s: its run is %s, and that of the "
                "figures %s\n",
                name, run->file, t->run, run->f.id);
        return false;
    }
    if (t->nranks && t->rank[t->nranks - 1].rank >= run->f.nranks) {
        fprintf(stderr,
                "jackdaw-report: %s is not of the run %s: it has a rank %" PRIu32
                ", and the run has %" PRIu32 " ranks\n",
                name, run->file, t->rank[t->nranks - 1].rank, run->f.nranks);
        return false;
    }
    if (*t->network && strcmp(t->network, run->f.network)) {
        fprintf(stderr,
                "jackdaw-report: %s is not of the run %s: its network is %s, and that of "
                "the run is %s\n",
                name, run->file, t->network, run->f.network);
        return false;
    }
    return true;
}

/* Was the file given before, perhaps under another name?  One that is not there was not. */
static bool stands_before(const struct options *o, size_t i)
{
    struct stat is, before;
    bool found = false;
    for (size_t k = 0; k < i && !found && !stat(o->name[i], &is); k++)
        found = !stat(o->name[k], &before) && before.st_dev == is.st_dev &&
                before.st_ino == is.st_ino && S_ISREG(is.st_mode);
    return found;
}

static bool read_files(struct report *r, const struct options *o)
{
    char **traces = trace_grow(NULL, o->n, sizeof *traces);
    size_t n = 0;
    bool good = true;
    for (size_t i = 0; good && i < o->n; i++) {
        if (stands_before(o, i))
            continue;
        int trace = is_trace(o->name[i]);
        size_t bytes = 0;
        char *text = trace == 0 ? read_whole(o->name[i], &bytes) : NULL;
        if (trace > 0)
            traces[n++] = o->name[i];
        else
            good = text && report_read(r, o->name[i], text, bytes);
    }
    good = good && report_read_end(r);
    if (good && !r->nruns) {
        fputs("jackdaw-report: traces alone: give the file of JACKDAW_STATS=json:FILE, "
              "too\n",
              stderr);
        good = false;
    }
    if (good && n) {
        r->trace = trace_grow(NULL, 1, sizeof *r->trace);
        good = trace_read(r->trace, traces, n) &&
               trace_fits(r->trace, &r->run[0], traces[0]);
    }
    if (good && n)
        trace_find_pieces(r->trace);
    free(traces);
    return good;
}

/* ---- writing ---------------------------------------------------------------------------- */

static int write_page(struct report *r, const char *output)
{
    struct jdi_outfile f = {.to = stdout};
    int error = output ? jdi_outfile_try(&f, output) : 0;
    if (!error && output)
        error = jdi_outfile_open(&f);
    if (!error) {
        r->to = f.to;
        report_page(r);
        if (output)
            error = jdi_outfile_done(&f);
        else if (fflush(stdout) || ferror(stdout))
            error = errno ? errno : EIO;
    }
    if (!error)
        return 0;
    if (*f.part)
        unlink(f.part);
    fprintf(stderr, "jackdaw-report: %s: %s\n", output ? output : "standard output",
            strerror(error));
    return FAILED;
}

static int make_report(const struct options *o)
{
    struct report r = {.title = o->title};
    if (!o->output && isatty(STDOUT_FILENO)) {
        fputs("jackdaw-report: the page is HTML, and standard output is a terminal: give "
              "--output=FILE\n",
              stderr);
        return USAGE;
    }
    int status = read_files(&r, o) ? write_page(&r, o->output) : FAILED;
    report_free(&r);
    return status;
}

/* 0: go on; else the status, plus 1. */
static int read_option(struct options *o, char **argv, int *i)
{
    const char *word = argv[*i];
    if (!strcmp(word, "--help"))
        return 1 + (fputs(help, stdout) < 0 || fflush(stdout) ? FAILED : 0);
    if (!strcmp(word, "--version"))
        return 1 + (puts(JD_VERSION) < 0 || fflush(stdout) ? FAILED : 0);
    if (!strcmp(word, "-o") && argv[*i + 1])
        o->output = argv[++*i];
    else if (!strncmp(word, "--output=", 9) && word[9])
        o->output = word + 9;
    else if (!strncmp(word, "--title=", 8))
        o->title = word + 8;
    else
        return 1 + wrong_option(word);
    return 0;
}

int main(int argc, char **argv)
{
    struct options o = {.name = trace_grow(NULL, (size_t)argc, sizeof *o.name)};
    bool options = true;
    int status = 0;
    for (int i = 1; i < argc && !status; i++) {
        if (options && !strcmp(argv[i], "--"))
            options = false;
        else if (options && argv[i][0] == '-' && argv[i][1])
            status = read_option(&o, argv, &i);
        else
            o.name[o.n++] = argv[i];
    }
    if (!status && !o.n) {
        fputs("jackdaw-report: no file; try --help\n", stderr);
        status = 1 + USAGE;
    }
    if (!status)
        status = 1 + make_report(&o);
    free(o.name);
    return status - 1;
}
