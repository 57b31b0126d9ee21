/*
 * jackdaw-tdtest.c - does this termination detector keep its promises?
 *
 * Role: the command line; runs the layers of the conformance suite over one detector.
 * Owner: one thread; children run what may abort.
 * Invariants: I1 status 0 only if every result is "ok", 1 if one is not, 3 if only some were not
 *                decided, 2 for usage, 128 + its number if a signal came while it walked.
 * Order: none.
 * See: doc/jackdaw-tdtest.1.md; tools/tdtest.h; test/conform/tools_tdtest_*.
 */
#include "tools/tdtest.h"

#include "core/nearest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WRONG = 1, USAGE = 2, UNDECIDED = 3 };

static const char help[] =
    "usage: jackdaw-tdtest [options]\n"
    "Run a termination detector through the conformance suite; TAP on standard output.\n"
    "\n"
    "  --detector=NAME     one of --list, or a shared object (with a slash); francez\n"
    "  --scripts           runs that convict known-wrong detectors\n"
    "  --exhaustive        every state of small worlds\n"
    "  --walks=N           N random walks; 300000 if no layer is named\n"
    "  --timed             latency and messages in virtual time\n"
    "  --mutants           the suite itself: every known-wrong detector must be "
    "rejected\n"
    "  --replay=SCHEDULE   play one schedule and draw it\n"
    "  --ranks=N,N,...     only these numbers of ranks\n"
    "  --seed=N            the first seed; 1\n"
    "  --seeds=N           seeds per work load or wrong detector, 1 to 256; 5\n"
    "  --sends=N           task messages of each walk, up to 1000, or of each world\n"
    "  --jobs=N            processes at a time; one for each processor\n"
    "  --max-failed=N      waves that may fail after quiescence; 2 if not known\n"
    "  --max-hops=N        messages in a row after quiescence, in virtual time\n"
    "  --max-sent=N        messages of one rank after quiescence, in virtual time\n"
    "  --max-waves=N       how many failed waves are explored if they are numbered; 3\n"
    "  --max-states=N      of --exhaustive, for each size; 3000000\n"
    "  --pause=MIN,MAX     of the root, ns in virtual time (a hop is 1000); 0,0\n"
    "  --save=FILE         go on with an interrupted --walks, and note how far it is\n"
    "  --data=FILE         append the figures of --timed for gnuplot\n"
    "  --list              the detectors, right and wrong\n"
    "  --help              this text\n"
    "  --version           the version alone\n"
    "\n"
    "Without a layer: scripts, exhaustive, walks and timed.  Exit status: 0; 1 if the\n"
    "detector is wrong; 2 for a wrong option; 3 if something was not decided.\n";

enum option {
    HELP,
    VERSION,
    LIST,
    SCRIPTS,
    EXHAUSTIVE,
    TIMED,
    JDI_MUTANTS,
    FLAGS, /* those before take no value */
    DETECTOR = FLAGS,
    WALKS,
    REPLAY,
    RANKS,
    SEED,
    SEEDS,
    SENDS,
    JOBS,
    MAX_FAILED,
    MAX_HOPS,
    MAX_SENT,
    MAX_WAVES,
    MAX_STATES,
    PAUSE,
    SAVE,
    DATA,
    OPTIONS
};

static const char *const names[OPTIONS] = {[HELP] = "--help",
                                           [VERSION] = "--version",
                                           [LIST] = "--list",
                                           [SCRIPTS] = "--scripts",
                                           [EXHAUSTIVE] = "--exhaustive",
                                           [TIMED] = "--timed",
                                           [JDI_MUTANTS] = "--mutants",
                                           [DETECTOR] = "--detector",
                                           [WALKS] = "--walks",
                                           [REPLAY] = "--replay",
                                           [RANKS] = "--ranks",
                                           [SEED] = "--seed",
                                           [SEEDS] = "--seeds",
                                           [SENDS] = "--sends",
                                           [JOBS] = "--jobs",
                                           [MAX_FAILED] = "--max-failed",
                                           [MAX_HOPS] = "--max-hops",
                                           [MAX_SENT] = "--max-sent",
                                           [MAX_WAVES] = "--max-waves",
                                           [MAX_STATES] = "--max-states",
                                           [PAUSE] = "--pause",
                                           [SAVE] = "--save",
                                           [DATA] = "--data"};

/* The option of a word, OPTIONS after a message. */
static enum option option_of(const char *word)
{
    char name[32];
    size_t len = strcspn(word, "=");
    snprintf(name, sizeof name, "%.*s", (int)(len < 31 ? len : 31), word);
    for (unsigned i = 0; i < OPTIONS; i++)
        if (strcmp(name, names[i]) == 0 && (word[len] == '=') == (i >= FLAGS))
            return (enum option)i;
    int near = jdi_nearest(name, names, OPTIONS);
    fprintf(stderr, "jackdaw-tdtest: %s: no such option; ", word);
    if (near < 0)
        fprintf(stderr, "try --help\n");
    else
        fprintf(stderr, "did you mean %s%s?\n", names[near],
                near >= (int)FLAGS ? "=..." : "");
    return OPTIONS;
}

/* One number of a list; at moves behind it. */
static bool number(const char **at, uint64_t low, uint64_t high, uint64_t *out)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    errno = 0;
    *out = strtoull(*at, &end, 10);
    *at = end;
    return errno == 0 && *out >= low && *out <= high;
}

static bool one_number(const char *text, uint64_t low, uint64_t high, uint64_t *out)
{
    return number(&text, low, high, out) && *text == '\0';
}

static bool ranks(struct tdtest *t, const char *text)
{
    for (t->nranks = 0; t->nranks < TDTEST_RANKS; text++) {
        if (!number(&text, 1, 1 << 22, &t->ranks[t->nranks++]))
            return false;
        if (*text == '\0')
            return true;
        if (*text != ',')
            return false;
    }
    return false;
}

static bool pause_of(struct tdtest *t, const char *text)
{
    return number(&text, 0, 1000000000, &t->pause_min) && *text++ == ',' &&
           one_number(text, t->pause_min, 1000000000, &t->pause_max);
}

struct asked {
    bool help, version, list;
    const char *detector;
    uint64_t max_failed, max_hops, max_sent;
};

/* False if the value is not one. */
static bool take(struct tdtest *t, struct asked *a, enum option o, const char *value)
{
    switch (o) {
    case DETECTOR:
        a->detector = value;
        return value[0] != '\0';
    case WALKS:
        t->walk = true;
        return one_number(value, 1, UINT64_C(1) << 40, &t->walks);
    case REPLAY:
        t->replay = value;
        return true;
    case RANKS:
        return ranks(t, value);
    case SEED:
        return one_number(value, 0, UINT64_MAX, &t->seed);
    case SEEDS:
        return one_number(value, 1, 256, &t->seeds);
    case JOBS:
        return one_number(value, 1, 256, &t->jobs);
    case MAX_FAILED:
        t->has_max_failed = true;
        return one_number(value, 0, 1000000, &a->max_failed);
    case MAX_HOPS:
        return one_number(value, 1, UINT32_MAX, &a->max_hops);
    case MAX_SENT:
        return one_number(value, 1, UINT32_MAX, &a->max_sent);
    case SENDS:
        return one_number(value, 1, JD_CONFORM_SENDS, &t->sends);
    case MAX_WAVES:
        t->has_max_waves = true;
        return one_number(value, 0, 200, &t->max_waves);
    case MAX_STATES:
        return one_number(value, 1000, 1 << 30, &t->max_states);
    case PAUSE:
        return pause_of(t, value);
    case SAVE:
        t->save = value;
        return value[0] != '\0';
    case DATA:
        t->data = value;
        return value[0] != '\0';
    default:
        return false;
    }
}

static void set_flag(struct tdtest *t, struct asked *a, enum option o)
{
    a->help |= o == HELP;
    a->version |= o == VERSION;
    a->list |= o == LIST;
    t->scripts |= o == SCRIPTS;
    t->exhaustive |= o == EXHAUSTIVE;
    t->timed |= o == TIMED;
    t->mutants |= o == JDI_MUTANTS;
}

/* 0, or USAGE after a message. */
static int parse(struct tdtest *t, struct asked *a, char **words)
{
    for (; *words; words++) {
        enum option o = option_of(*words);
        if (o == OPTIONS)
            return USAGE;
        if (o < FLAGS) {
            set_flag(t, a, o);
        } else if (!take(t, a, o, strchr(*words, '=') + 1)) {
            fprintf(stderr, "jackdaw-tdtest: %s: no good value; see --help\n", *words);
            return USAGE;
        }
    }
    if (!tdtest_find(t, a->detector))
        return USAGE;
    if (t->has_max_failed)
        t->subject.max_failed = (unsigned)a->max_failed;
    t->subject.max_hops = a->max_hops;
    t->subject.max_sent = a->max_sent;
    if (!t->scripts && !t->exhaustive && !t->walk && !t->timed && !t->mutants)
        t->scripts = t->exhaustive = t->walk = t->timed = true;
    return 0;
}

/* The status, unless what was printed did not arrive. */
static int end_output(int status)
{
    if (fflush(stdout) || ferror(stdout)) {
        perror("jackdaw-tdtest: standard output");
        return 1;
    }
    return status;
}

static int run(struct tdtest *t)
{
    if (t->replay) {
        if (!tdtest_replay(t))
            return USAGE;
    } else {
        if (t->scripts)
            tdtest_scripts(t);
        if (t->exhaustive)
            tdtest_exhaustive(t);
        if (t->walk && !tdtest_walks(t))
            return USAGE;
        if (t->interrupted)
            return end_output(128 + t->interrupted);
        if (t->timed)
            tdtest_timed(t);
        if (t->mutants)
            tdtest_mutants(t);
    }
    printf("1..%u\n", t->count);
    return end_output(t->failed > 0 ? WRONG : t->open > 0 ? UNDECIDED : 0);
}

int main(int argc, char **argv)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct tdtest t = {.walks = 300000,
                       .seed = 1,
                       .seeds = 5,
                       .max_waves = 3,
                       .max_states = 3000000,
                       .jobs =
                           processors > 0 && processors < 256 ? (uint64_t)processors : 1,
                       .progress = isatty(STDERR_FILENO)};
    struct asked asked = {.detector = "francez"};
    int status = parse(&t, &asked, argc > 0 ? argv + 1 : argv);
    if (status)
        return status;
    if (asked.help || asked.version || asked.list) {
        if (asked.help)
            fputs(help, stdout);
        else if (asked.version)
            puts("jackdaw " JD_VERSION);
        else
            tdtest_list(stdout);
        return end_output(0);
    }
    return run(&t);
}
