/*
 * uts_params.c - see uts_params.h.
 *
 * Role: one table of options drives parser, ranges, suggestions and pre-scan.
 * Owner: the caller; no state.
 * Invariants: I1 and I2 of uts_params.h.
 * See: uts_params.h.
 */
#include "examples/uts_params.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { INT, REAL, SWITCH, TREE, STYLE, HELP, VERSION };

struct option {
    const char *name;
    enum kind kind;
    size_t field; /* in struct uts_params */
    double lo, hi;
    const char *variable; /* of the runtime, when it needs to know before the start */
};

#define AT(member) offsetof(struct uts_params, member)

static const struct option options[] = {
    {"-t", INT, AT(is.type), UTS_BIN, UTS_BALANCED, NULL},
    {"-a", INT, AT(is.shape), UTS_LINEAR, UTS_FIXED, NULL},
    {"-d", INT, AT(is.depth), 1, 1000000000, NULL},
    {"-b", REAL, AT(is.b0), 0, 1e9, NULL},
    {"-r", INT, AT(is.seed), 0, 2147483647, NULL},
    {"-q", REAL, AT(is.q), 0, 1, NULL},
    {"-m", INT, AT(is.m), 0, 1000000000, NULL},
    {"-f", REAL, AT(is.shift), 0, 1000, NULL},
    {"-g", INT, AT(is.granularity), 1, 1000000000, NULL},
    {"-v", INT, AT(verbose), 0, 2147483647, NULL},
    {"-x", INT, AT(debug), 0, 2147483647, NULL},
    {"-c", INT, AT(chunk), 1, 65535, "JACKDAW_STEAL_AMOUNT"},
    {"-i", INT, AT(interval), 1, 2147483647, NULL},
    {"-s", INT, AT(steal), 0, 1, NULL},
    {"-T", INT, AT(workers), 1, 1024, "JACKDAW_WORKERS"},
    {"-h", HELP, 0, 0, 0, NULL},
    {"--tree", TREE, 0, 0, 0, NULL},
    {"--check", SWITCH, AT(check), 0, 0, NULL},
    {"--serial", SWITCH, AT(serial), 0, 0, NULL},
    {"--parents", SWITCH, AT(parents), 0, 0, NULL},
    {"--style", STYLE, AT(async), 0, 0, NULL},
    {"--repeat", INT, AT(repeat), 1, 1000000000, NULL},
    {"--stats", SWITCH, AT(stats), 0, 0, "JACKDAW_STATS"},
    {"--help", HELP, 0, 0, 0, NULL},
    {"--version", VERSION, 0, 0, 0, NULL},
};
enum { OPTIONS = sizeof options / sizeof options[0] };

/* The option whose name is the first `length` bytes of `word`. */
static const struct option *find(const char *word, size_t length)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if (strlen(options[i].name) == length && !strncmp(options[i].name, word, length))
            return &options[i];
    return NULL;
}

/* ---- the nearest name --------------------------------------------------------------- */

enum { LONGEST = 31 };

static int least(int a, int b, int c)
{
    int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Edits between two words, case ignored, without leading dashes; by Levenshtein. */
static int distance(const char *a, const char *b)
{
    int row[LONGEST + 1];
    a += strspn(a, "-");
    b += strspn(b, "-");
    int columns = (int)strlen(b);
    for (int j = 0; j <= columns; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= columns; j++) {
            int change =
                tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]);
            int cell = least(row[j] + 1, row[j - 1] + 1, diagonal + change);
            diagonal = row[j];
            row[j] = cell;
        }
    }
    return row[columns];
}

/* A name that is nearer than replacing half of it, or NULL. */
static const char *nearest(const char *word)
{
    const char *best = NULL;
    int least_edits = LONGEST;
    for (size_t i = 0; i < OPTIONS; i++) {
        int edits = distance(word, options[i].name);
        int letters = (int)strlen(options[i].name + strspn(options[i].name, "-"));
        if (edits < least_edits && 2 * edits <= letters) {
            best = options[i].name;
            least_edits = edits;
        }
    }
    return best;
}

static enum uts_parsed unknown(const char *word, size_t length, char *error, size_t size)
{
    char name[LONGEST + 1];
    if (length > LONGEST)
        length = LONGEST;
    memcpy(name, word, length);
    name[length] = '\0';
    const char *near = word[0] == '-' ? nearest(name) : NULL;
    if (near)
        snprintf(error, size, "unknown option %s; the nearest is %s", name, near);
    else
        snprintf(error, size, "unknown option %s; -h lists them", name);
    return UTS_BAD;
}

/* ---- values ------------------------------------------------------------------------- */

static int in_range(const struct option *o, double value)
{
    return value >= o->lo && value <= o->hi;
}

/* The whole text must be a number in the option's range. */
static int read_number(const struct option *o, const char *text, void *field)
{
    char *end = NULL;
    errno = 0;
    if (o->kind == REAL) {
        double value = strtod(text, &end);
        if (end == text || *end || errno || !in_range(o, value))
            return -1;
        *(double *)field = value;
        return 0;
    }
    long value = strtol(text, &end, 10);
    if (end == text || *end || errno || !in_range(o, (double)value))
        return -1;
    *(int *)field = (int)value;
    return 0;
}

static enum uts_parsed bad_value(const struct option *o, const char *value, char *error,
                                 size_t size)
{
    int used = snprintf(error, size, "option %s: '%s' is not ", o->name, value);
    if (used < 0 || (size_t)used >= size)
        return UTS_BAD;
    error += used;
    size -= (size_t)used;
    if (o->kind == TREE) {
        used = snprintf(error, size, "one of");
        for (size_t i = 0; uts_sample_row(i) && used > 0 && (size_t)used < size; i++)
            used += snprintf(error + used, size - (size_t)used, "%s %s", i ? "," : "",
                             uts_sample_row(i)->name);
    } else if (o->kind == STYLE) {
        snprintf(error, size, "collection or async");
    } else {
        snprintf(error, size, "%s from %.10g to %.10g",
                 o->kind == INT ? "an integer" : "a number", o->lo, o->hi);
    }
    return UTS_BAD;
}

static enum uts_parsed set_value(struct uts_params *p, const struct option *o,
                                 const char *value, char *error, size_t size)
{
    if (o->kind == TREE) {
        const struct uts_sample *sample = uts_sample_by_name(value);
        if (!sample)
            return bad_value(o, value, error, size);
        int granularity = p->is.granularity;
        p->is = sample->is;
        p->is.granularity = granularity;
        return UTS_RUN;
    }
    if (o->kind == STYLE) {
        p->async = !strcmp(value, "async");
        return p->async || !strcmp(value, "collection")
                   ? UTS_RUN
                   : bad_value(o, value, error, size);
    }
    if (read_number(o, value, (char *)p + o->field))
        return bad_value(o, value, error, size);
    return UTS_RUN;
}

/* ---- the parser --------------------------------------------------------------------- */

/* "--name=value" has its value inside; returns it, or NULL. */
static const char *inline_value(const char *word)
{
    const char *equals = strncmp(word, "--", 2) ? NULL : strchr(word, '=');
    return equals ? equals + 1 : NULL;
}

/* Reads the option at argv[*i] and moves *i to the last word that belongs to it. */
static enum uts_parsed parse_one(struct uts_params *p, int argc, char **argv, int *i,
                                 char *error, size_t size)
{
    const char *word = argv[*i], *value = inline_value(word);
    size_t length = value ? (size_t)(value - word) - 1 : strlen(word);
    const struct option *o = find(word, length);
    if (!o)
        return unknown(word, length, error, size);
    if (o->kind >= HELP || o->kind == SWITCH) {
        if (value) {
            snprintf(error, size, "option %s: takes no value, got '%s'", o->name, value);
            return UTS_BAD;
        }
        if (o->kind == SWITCH)
            *(int *)((char *)p + o->field) = 1;
        return o->kind == HELP ? UTS_HELP : o->kind == VERSION ? UTS_VERSION : UTS_RUN;
    }
    if (!value && *i + 1 < argc)
        value = argv[++*i];
    if (!value)
        return bad_value(o, "[none]", error, size);
    return set_value(p, o, value, error, size);
}

enum uts_parsed uts_params_parse(struct uts_params *p, int argc, char **argv, char *error,
                                 size_t size)
{
    *p = (struct uts_params){
        .is = {.type = UTS_GEO,
               .shape = UTS_LINEAR,
               .depth = 6,
               .b0 = 4,
               .q = 15.0 / 64.0,
               .m = 4,
               .shift = 0.5,
               .granularity = 1},
        .verbose = 1,
        .steal = 1,
        .repeat = 1,
    };
    for (int i = 1; i < argc; i++) {
        enum uts_parsed result = parse_one(p, argc, argv, &i, error, size);
        if (result != UTS_RUN)
            return result;
    }
    p->expected = uts_sample_by_shape(&p->is);
    if (p->async && (p->parents || !p->steal)) {
        snprintf(error, size,
                 "option --style: async makes a task of every node, which --parents and "
                 "-s 0 do not");
        return UTS_BAD;
    }
    if (p->check && !p->expected) {
        snprintf(error, size,
                 "option --check: nobody has published the size of this tree; "
                 "--tree=NAME chooses one that is known");
        return UTS_BAD;
    }
    return UTS_RUN;
}

void uts_params_export(int argc, char **argv,
                       void (*set)(const char *variable, const char *value))
{
    for (int i = 1; i < argc; i++) {
        const struct option *o = find(argv[i], strlen(argv[i]));
        int ignored;
        if (!o || !o->variable)
            continue;
        if (o->kind == SWITCH)
            set(o->variable, "1");
        else if (i + 1 < argc && !read_number(o, argv[i + 1], &ignored))
            set(o->variable, argv[i + 1]);
    }
}

/* ---- words -------------------------------------------------------------------------- */

/* As snprintf at out + used, and returns the new `used`; a full buffer stays full. */
#define APPEND(...)                                                                      \
    do {                                                                                 \
        if (used < size)                                                                 \
            used += (size_t)snprintf(out + used, size - used, __VA_ARGS__);              \
    } while (0)

void uts_params_describe(const struct uts_params *p, char *out, size_t size)
{
    static const char *const types[] = {"Binomial", "Geometric", "Hybrid", "Balanced"};
    static const char *const shapes[] = {"Linear decrease", "Exponential decrease",
                                         "Cyclic", "Fixed branching factor"};
    const struct uts_shape_params *is = &p->is;
    size_t used = 0;
    APPEND("Tree type:  %d (%s)\nTree shape parameters:\n", is->type, types[is->type]);
    APPEND("  root branching factor b_0 = %.1f, root seed = %d\n", is->b0, is->seed);
    if (is->type == UTS_GEO || is->type == UTS_HYBRID)
        APPEND("  GEO parameters: gen_mx = %d, shape function = %d (%s)\n", is->depth,
               is->shape, shapes[is->shape]);
    if (is->type == UTS_BIN || is->type == UTS_HYBRID)
        APPEND("  BIN parameters:  q = %f, m = %d, E(n) = %f, E(s) = %.2f\n", is->q,
               is->m, is->q * is->m, 1.0 / (1.0 - is->q * is->m));
    if (is->type == UTS_HYBRID)
        APPEND("  HYBRID:  GEO from root to depth %d, then BIN\n",
               (int)ceil(is->shift * is->depth));
    if (is->type == UTS_BALANCED)
        APPEND("  BALANCED parameters: gen_mx = %d\n"
               "        Expected size: %.0f nodes, %.0f leaves\n",
               is->depth, (pow(is->b0, is->depth + 1) - 1.0) / (is->b0 - 1.0),
               pow(is->b0, is->depth));
    APPEND("Random number generator: SHA-1 (state size = 20B)\n"
           "Compute granularity: %d\n",
           is->granularity);
}

const char *uts_help(void)
{
    return "Usage: uts [-FLAG VALUE]... [--OPTION]...\n"
           "Count the nodes of an unbalanced tree, one task per node.\n"
           "\n"
           "The tree, as in the UTS benchmark:\n"
           "  -t INT   type: 0 BIN, 1 GEO, 2 HYBRID, 3 BALANCED (1)\n"
           "  -b REAL  branching factor of the root (4)\n"
           "  -r INT   seed of the root (0)\n"
           "  -a INT   GEO: shape: 0 linear, 1 expdec, 2 cyclic, 3 fixed (0)\n"
           "  -d INT   GEO, BALANCED: depth (6)\n"
           "  -q REAL  BIN: chance that a node has children (0.234375)\n"
           "  -m INT   BIN: children of such a node (4)\n"
           "  -f REAL  HYBRID: share of the depth that is GEO (0.5)\n"
           "  -g INT   hashes per child (1)\n"
           "  -v INT   0: one line of figures; else text (1)\n"
           "  -x INT   1: print the root's state (0)\n"
           "The search:\n"
           "  -c INT   tasks per steal; sets JACKDAW_STEAL_AMOUNT if unset\n"
           "  -T INT   workers per rank; sets JACKDAW_WORKERS if unset\n"
           "  -s INT   0: no work stealing, the tree is one task (1)\n"
           "  -i INT   accepted for old scripts, without effect\n"
           "Ours:\n"
           "  --tree=NAME   T1 T2 T3 T4 T5 T1L T2L T3L T1XL T1XXL T2XXL T3XXL T1WL T2WL\n"
           "                T3WL, or default\n"
           "  --check       exit with 1 unless the count is the known one\n"
           "  --serial      rank 0 searches alone, without tasks\n"
           "  --parents     make tasks of parents only; leaves are counted by them\n"
           "  --style=STYLE collection, or async: tasks of one finish instead "
           "(collection)\n"
           "  --repeat=N    search N times\n"
           "  --stats       print the runtime's counters; sets JACKDAW_STATS\n"
           "  -h, --help    this text\n"
           "  --version     the version\n";
}
