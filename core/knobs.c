/*
 * knobs.c - the JACKDAW_* environment variables.
 *
 * Role: make a table of core/knobs.def, by which knobs are read, checked, shown and documented.
 * Owner: the table is constant; a struct jdi_knobs is its reader's.
 * Invariants: I1 of knobs.h.
 *             I2 defaults go through the same parser as values from outside.
 *             I3 a number is decimal digits and, for a size, one suffix: nothing else.
 * Order: none.
 * See: core/knobs.def, core/knobs.h, doc/jackdaw-env.7.md, test/unit/core_knobs_*.
 */
#include "core/knobs.h"
#include "core/bind.h"
#include "core/fault.h"
#include "core/idle.h"
#include "core/nearest.h"
#include "core/wanted.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PREFIX "JACKDAW_"

enum { MOST_IDLE_US = 1000000, MOST_TASKS = 65535, LONGEST_NAME = 127 };
enum { MOST_SECONDS = 86400, LEAST_PROGRESS_NS = 1000, LEAST_WATCHDOG_NS = 100000 };
static const uint64_t ns_of_s = 1000000000;

struct knob;

/*
 * What a kind of knob can do with the field of a struct jdi_knobs that belongs to `row`.
 *   parse   store `text`; returns NULL, or what is wrong ("" if the range says everything).
 *   show    the value in force, normalised.
 */
struct kind {
    const char *(*parse)(const struct knob *row, const char *text, void *field);
    void (*show)(const struct knob *row, const void *field, char *out, size_t outlen);
};

struct knob {
    struct jdi_knob_row doc;
    const struct kind *kind;
    size_t offset;       /* of the field */
    const char *lo, *hi; /* INT and SIZE: the inclusive range */
};

/* ---- numbers --------------------------------------------------------------------- */

static const char not_a_number[] = "not a number";
static const char out_of_range[] = "out of range";

/* Power of two that a suffix stands for, 0 for none. */
static unsigned suffix_shift(char c)
{
    static const char suffixes[] = "KkMmGg";
    const char *at = c ? strchr(suffixes, c) : NULL;
    return at ? 10 * ((unsigned)(at - suffixes) / 2 + 1) : 0;
}

/* I3.  Parse the n characters at `text`; returns NULL, or what is wrong.  A number below zero
 * or above 64 bits counts as a number, but is out of any range. */
static const char *parse_number(const char *text, size_t n, bool suffix, uint64_t *out)
{
    bool negative = n > 0 && *text == '-';
    unsigned shift = suffix && n > 0 ? suffix_shift(text[n - 1]) : 0;
    size_t i = negative, end = n - (shift > 0);
    bool fits = !negative;
    uint64_t value = 0;

    if (i >= end)
        return not_a_number;
    for (; i < end; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';
        if (digit > 9)
            return not_a_number;
        fits = fits && !__builtin_mul_overflow(value, (uint64_t)10, &value) &&
               !__builtin_add_overflow(value, (uint64_t)digit, &value);
    }
    if (!fits || value > UINT64_MAX >> shift)
        return out_of_range;
    *out = value << shift;
    return NULL;
}

static const char *parse_ranged(const struct knob *row, const char *text, bool suffix,
                                uint64_t *out)
{
    uint64_t lo = 0, hi = 0, value = 0;
    const char *wrong = parse_number(text, strlen(text), suffix, &value);

    if (wrong)
        return wrong;
    JD_CHECK(!parse_number(row->lo, strlen(row->lo), suffix, &lo));
    JD_CHECK(!parse_number(row->hi, strlen(row->hi), suffix, &hi));
    if (value < lo || value > hi)
        return out_of_range;
    *out = value;
    return NULL;
}

static const char *parse_int(const struct knob *row, const char *text, void *field)
{
    uint64_t value;
    const char *wrong = parse_ranged(row, text, false, &value);

    if (!wrong)
        *(int64_t *)field = (int64_t)value; /* every row's upper end fits */
    return wrong;
}

static void show_int(const struct knob *row, const void *field, char *out, size_t outlen)
{
    (void)row;
    snprintf(out, outlen, "%" PRId64, *(const int64_t *)field);
}

static const char *parse_size(const struct knob *row, const char *text, void *field)
{
    return parse_ranged(row, text, true, field);
}

/* The largest suffix that loses nothing. */
static void show_size(const struct knob *row, const void *field, char *out, size_t outlen)
{
    static const char *const suffix[] = {"", "K", "M", "G"};
    uint64_t value = *(const uint64_t *)field;
    size_t s = 0;

    (void)row;
    while (value > 0 && value % 1024 == 0 && s + 1 < JDI_ARRAY_LEN(suffix)) {
        value /= 1024;
        s++;
    }
    snprintf(out, outlen, "%" PRIu64 "%s", value, suffix[s]);
}

/* ---- words ----------------------------------------------------------------------- */

/* "auto, no or 0": the length of the word at `list`, where the next one begins (the end
 * of the string if there is none), and whether that one stands for another value. */
static size_t next_word(const char *list, const char **next, bool *other_value)
{
    static const char comma[] = ", ", synonym[] = " or ";
    size_t n = strcspn(list, ", ");

    *other_value = !strncmp(list + n, comma, strlen(comma));
    *next = list + n;
    if (*other_value)
        *next += strlen(comma);
    else if (list[n])
        *next += strlen(synonym);
    return n;
}

static const char *parse_enum(const struct knob *row, const char *text, void *field)
{
    int value = 0;
    bool other_value;

    for (const char *word = row->doc.range, *next; *word; word = next) {
        size_t n = next_word(word, &next, &other_value);
        if (strlen(text) == n && !memcmp(text, word, n)) {
            *(int *)field = value;
            return NULL;
        }
        value += other_value;
    }
    return "";
}

static void show_enum(const struct knob *row, const void *field, char *out, size_t outlen)
{
    int value = *(const int *)field;
    const char *word = row->doc.range, *next;
    bool other_value;

    while (value > 0 && *word) {
        next_word(word, &next, &other_value);
        value -= other_value;
        word = next;
    }
    snprintf(out, outlen, "%.*s", (int)next_word(word, &next, &other_value), word);
}

/* ---- texts ----------------------------------------------------------------------- */

/* "key:N" up to `end`; returns where it ends, or NULL. */
static const char *parse_stage(const char *text, const char *key, char end, uint64_t *us)
{
    size_t n = strlen(key);

    if (strncmp(text, key, n) != 0)
        return NULL;
    text += n;
    n = strcspn(text, ",");
    if (text[n] != end || parse_number(text, n, false, us) || *us > MOST_IDLE_US)
        return NULL;
    return end ? text + n + 1 : text + n;
}

int jdi_knobs_idle(const char *text, bool oversubscribed, struct jdi_idle_policy *out)
{
    uint64_t spin = oversubscribed ? 2 : 20;
    uint64_t yield = oversubscribed ? 20 : 100;
    uint64_t sleep = 150;

    if (strcmp(text, "auto") != 0) {
        const char *rest = parse_stage(text, "spin:", ',', &spin);
        rest = rest ? parse_stage(rest, "yield:", ',', &yield) : NULL;
        rest = rest ? parse_stage(rest, "sleep:", '\0', &sleep) : NULL;
        /* A sleep of nothing would be a spin in disguise. */
        if (!rest || sleep == 0)
            return JD_EINVAL;
    }
    *out = (struct jdi_idle_policy){
        .spin_ns = spin * 1000, .yield_ns = yield * 1000, .sleep_ns = sleep * 1000};
    return 0;
}

static const char *parse_idle(const struct knob *row, const char *text, void *field)
{
    struct jdi_idle_policy unused;

    (void)row;
    if (jdi_knobs_idle(text, false, &unused))
        return "";
    *(const char **)field = text;
    return NULL;
}

/* The meaning of auto is known only when the ranks of the host have met. */
static void show_idle(const struct knob *row, const void *field, char *out, size_t outlen)
{
    const char *text = *(const char *const *)field;
    struct jdi_idle_policy p = {0, 0, 0};

    (void)row;
    if (!strcmp(text, "auto") || jdi_knobs_idle(text, false, &p))
        snprintf(out, outlen, "%s", text);
    else
        snprintf(out, outlen, "spin:%" PRIu64 ",yield:%" PRIu64 ",sleep:%" PRIu64,
                 p.spin_ns / 1000, p.yield_ns / 1000, p.sleep_ns / 1000);
}

int jdi_knobs_amount(const char *text, unsigned *out)
{
    uint64_t n;

    if (!strcmp(text, "half"))
        n = JDI_AMOUNT_HALF;
    else if (!strcmp(text, "one"))
        n = 1;
    else if (parse_number(text, strlen(text), false, &n) || n < 1 || n > MOST_TASKS)
        return JD_EINVAL;
    *out = (unsigned)n;
    return 0;
}

int jdi_knobs_local_amount(const char *text, unsigned steal_amount, unsigned *out)
{
    if (strcmp(text, "same"))
        return jdi_knobs_amount(text, out);
    *out = steal_amount;
    return 0;
}

static const char *parse_amount(const struct knob *row, const char *text, void *field)
{
    unsigned unused;

    (void)row;
    if (jdi_knobs_amount(text, &unused))
        return "";
    *(const char **)field = text;
    return NULL;
}

static void show_amount(const struct knob *row, const void *field, char *out,
                        size_t outlen)
{
    unsigned n = 0;

    (void)row;
    if (jdi_knobs_amount(*(const char *const *)field, &n))
        snprintf(out, outlen, "?");
    else if (n <= 1)
        snprintf(out, outlen, "%s", n == 1 ? "one" : "half");
    else
        snprintf(out, outlen, "%u", n);
}

static const char *parse_local(const struct knob *row, const char *text, void *field)
{
    if (strcmp(text, "same"))
        return parse_amount(row, text, field);
    *(const char **)field = text;
    return NULL;
}

static void show_local(const struct knob *row, const void *field, char *out,
                       size_t outlen)
{
    if (strcmp(*(const char *const *)field, "same"))
        show_amount(row, field, out, outlen);
    else
        snprintf(out, outlen, "same");
}

/* Decimals of a factor. */
enum { MOST_DECIMALS = 6, MOST_FACTOR = 16 };

int jdi_knobs_factor(const char *text, double *out)
{
    static const double ten[MOST_DECIMALS + 1] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    size_t whole = strcspn(text, "."), decimals = 0;
    uint64_t value = 0, part = 0;

    if (parse_number(text, whole, false, &value) || value > MOST_FACTOR)
        return JD_EINVAL;
    if (text[whole]) {
        decimals = strlen(text + whole + 1);
        if (decimals > MOST_DECIMALS ||
            parse_number(text + whole + 1, decimals, false, &part))
            return JD_EINVAL;
    }
    double factor = (double)value + (double)part / ten[decimals];
    if (factor < 1 || factor > MOST_FACTOR)
        return JD_EINVAL;
    *out = factor;
    return 0;
}

static const char *parse_factor(const struct knob *row, const char *text, void *field)
{
    double unused;

    (void)row;
    if (jdi_knobs_factor(text, &unused))
        return "";
    *(const char **)field = text;
    return NULL;
}

static const char *parse_fault(const struct knob *row, const char *text, void *field)
{
    struct jdi_fault unused;
    char err[256];

    (void)row;
    if (jdi_fault_parse(&unused, text, err, sizeof err))
        return "";
    *(const char **)field = text;
    return NULL;
}

static void show_words(const struct knob *row, const void *field, char *out,
                       size_t outlen)
{
    (void)row;
    snprintf(out, outlen, "%s", *(const char *const *)field);
}

static const char *parse_bind(const struct knob *row, const char *text, void *field)
{
    enum jdi_bind kind;
    const char *rest;

    (void)row;
    if (jdi_bind_parse(text, &kind, &rest))
        return "";
    *(const char **)field = text;
    return NULL;
}

static JDI_NOINLINE bool is_wanted(const char *text)
{
    struct jdi_wanted unused;

    return !jdi_wanted_parse(text, &unused);
}

static const char *parse_stats(const struct knob *row, const char *text, void *field)
{
    (void)row;
    if (!jdi_wanted_nothing(text) && !is_wanted(text))
        return "";
    *(const char **)field = text;
    return NULL;
}

/* The n characters are seconds, up to a day: decimal digits with up to one point; no sign, no exponent, no locale. */
static int parse_seconds(const char *text, size_t n, uint64_t *ns)
{
    uint64_t whole, part = 0, unit = ns_of_s;
    const char *point = memchr(text, '.', n), *end = text + n;
    const char *digit = point ? point + 1 : end;

    if (parse_number(text, (size_t)((point ? point : end) - text), false, &whole) ||
        whole > MOST_SECONDS || (point && digit == end))
        return JD_EINVAL;
    for (; digit < end; digit++) {
        if (*digit < '0' || *digit > '9')
            return JD_EINVAL;
        unit /= 10;
        part += (uint64_t)(*digit - '0') * unit;
    }
    *ns = whole * ns_of_s + part;
    return *ns > MOST_SECONDS * ns_of_s ? JD_EINVAL : 0;
}

int jdi_knobs_progress(const char *text, uint64_t *ns)
{
    if (parse_seconds(text, strlen(text), ns))
        return JD_EINVAL;
    return *ns < LEAST_PROGRESS_NS && strcmp(text, "0") != 0 ? JD_EINVAL : 0;
}

static const char *parse_progress(const struct knob *row, const char *text, void *field)
{
    uint64_t unused;

    (void)row;
    if (jdi_knobs_progress(text, &unused))
        return "";
    *(const char **)field = text;
    return NULL;
}

int jdi_knobs_watchdog(const char *text, uint64_t *ns, bool *aborts)
{
    size_t n = strcspn(text, ",");
    uint64_t value;

    if (parse_seconds(text, n, &value) || (value && value < LEAST_WATCHDOG_NS))
        return JD_EINVAL;
    bool abort_too = !strcmp(text + n, ",abort");
    if (text[n] && strcmp(text + n, ",report") != 0 && !abort_too)
        return JD_EINVAL;
    *ns = value;
    *aborts = abort_too;
    return 0;
}

static const char *parse_watchdog(const struct knob *row, const char *text, void *field)
{
    uint64_t ns;
    bool aborts;
    (void)row;
    if (jdi_knobs_watchdog(text, &ns, &aborts))
        return "";
    *(const char **)field = text;
    return NULL;
}

/* The part of the runtime that uses the text checks it: most programs have no simulator. */
static const char *parse_free(const struct knob *row, const char *text, void *field)
{
    (void)row;
    *(const char **)field = text;
    return NULL;
}

/* ---- the table ------------------------------------------------------------------- */

static const struct kind kind_int = {.parse = parse_int, .show = show_int};
static const struct kind kind_size = {.parse = parse_size, .show = show_size};
static const struct kind kind_enum = {.parse = parse_enum, .show = show_enum};
static const struct kind kind_idle = {.parse = parse_idle, .show = show_idle};
static const struct kind kind_steal_amount = {.parse = parse_amount, .show = show_amount};
static const struct kind kind_local_amount = {.parse = parse_local, .show = show_local};
static const struct kind kind_balance_donate = {.parse = parse_factor,
                                                .show = show_words};
static const struct kind kind_balance_accept = {.parse = parse_factor,
                                                .show = show_words};
static const struct kind kind_fault = {.parse = parse_fault, .show = show_words};
static const struct kind kind_bind = {.parse = parse_bind, .show = show_words};
static const struct kind kind_stats = {.parse = parse_stats, .show = show_words};
static const struct kind kind_progress = {.parse = parse_progress, .show = show_words};
static const struct kind kind_watchdog = {.parse = parse_watchdog, .show = show_words};
static const struct kind kind_free = {.parse = parse_free, .show = show_words};

#define ROW(kind, field, name, range, def, text, lo, hi)                                 \
    {{PREFIX name, range, def, text}, &kind, offsetof(struct jdi_knobs, field), lo, hi},

static const struct knob rows[] = {
#define JDI_KNOB_INT(field, name, def, lo, hi, text)                                     \
    ROW(kind_int, field, name, #lo " to " #hi, #def, text, #lo, #hi)
#define JDI_KNOB_SIZE(field, name, def, lo, hi, text)                                    \
    ROW(kind_size, field, name, lo " to " hi, def, text, lo, hi)
#define JDI_KNOB_ENUM(field, name, def, words, text)                                     \
    ROW(kind_enum, field, name, words, def, text, NULL, NULL)
#define JDI_KNOB_TEXT(field, name, def, range, text)                                     \
    ROW(kind_##field, field, name, range, def, text, NULL, NULL)
#define JDI_KNOB_FREE(field, name, def, range, text)                                     \
    ROW(kind_free, field, name, range, def, text, NULL, NULL)
#include "core/knobs.def"
};

/* The same without the prefix, which would make every two names alike. */
static const char *const short_names[] = {
#define JDI_KNOB_INT(field, name, def, lo, hi, text)  name,
#define JDI_KNOB_SIZE(field, name, def, lo, hi, text) name,
#define JDI_KNOB_ENUM(field, name, def, words, text)  name,
#define JDI_KNOB_TEXT(field, name, def, range, text)  name,
#define JDI_KNOB_FREE(field, name, def, range, text)  name,
#include "core/knobs.def"
};

_Static_assert(JDI_ARRAY_LEN(rows) <= 64, "jdi_knobs.given has a bit for every row");

static void *field_of(struct jdi_knobs *k, const struct knob *row)
{
    return (char *)k + row->offset;
}

int jdi_knobs_read(struct jdi_knobs *k, jdi_getenv_fn *lookup, void *ctx, char *err,
                   size_t errlen)
{
    struct jdi_knobs read = {0};

    for (size_t i = 0; i < JDI_ARRAY_LEN(rows); i++) {
        const struct knob *row = &rows[i];
        const char *value = lookup(ctx, row->doc.name);
        const char *text = value ? value : row->doc.def;
        const char *wrong = row->kind->parse(row, text, field_of(&read, row));

        if (wrong) {
            snprintf(err, errlen, "%s=%s: %s%sallowed: %s", row->doc.name, text,
                     *text ? wrong : "empty", *text && !*wrong ? "" : "; ",
                     row->doc.range);
            return JD_EINVAL;
        }
        if (value)
            read.given |= (uint64_t)1 << i;
    }
    *k = read;
    return 0;
}

void jdi_knobs_unknown(char *const *environ_list,
                       void (*warn)(void *ctx, const char *name, const char *nearest),
                       void *ctx)
{
    for (; *environ_list; environ_list++) {
        char name[LONGEST_NAME + 1];
        const char *word = name + strlen(PREFIX);
        bool known = false;
        int near;

        if (strncmp(*environ_list, PREFIX, strlen(PREFIX)) != 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(*environ_list, "="),
                 *environ_list);
        for (size_t i = 0; i < JDI_ARRAY_LEN(rows) && !known; i++)
            known = !strcmp(word, short_names[i]);
        if (known)
            continue;
        near = jdi_nearest(word, short_names, JDI_ARRAY_LEN(short_names));
        warn(ctx, name, near < 0 ? NULL : rows[near].doc.name);
    }
}

const struct jdi_knob_row *jdi_knobs_row(size_t i)
{
    return i < JDI_ARRAY_LEN(rows) ? &rows[i].doc : NULL;
}

void jdi_knobs_show(const struct jdi_knobs *k, size_t i, char *out, size_t outlen)
{
    JD_CHECK(i < JDI_ARRAY_LEN(rows));
    rows[i].kind->show(&rows[i], (const char *)k + rows[i].offset, out, outlen);
}

const char *jdi_knobs_origin(const struct jdi_knobs *k, size_t i)
{
    JD_CHECK(i < JDI_ARRAY_LEN(rows));
    return k->given >> i & 1 ? "environment" : "default";
}
