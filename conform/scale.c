/*
 * scale.c - virtual time as a caller sees it.
 *
 * Role: the loads and their names, the bounds that a subject has, and a run that is told again.
 * Invariants: I1 the detector is only ever called by a child (child.h).
 * See: conform.h, timed.h.
 */
#include "conform/child.h"
#include "conform/run.h"
#include "conform/timed.h"

#include <stdlib.h>
#include <string.h>

enum { TIME_SECONDS = 3600, MOST_ARITY = 64, MOST_PHASES = 63, MOST_RANKS = 1 << 22 };
/* The slowest detector of the project needs four messages in a row for each rank: safra.  Its
 * messages are also read, which takes a while. */
enum { HOPS_PER_RANK = 5, HOPS_MORE = 50 };

const char *jd_conform_law_name(enum jd_conform_law law)
{
    static const char *const name[JD_CONFORM_LAWS] = {[JD_CONFORM_CONSTANT] = "constant",
                                                      [JD_CONFORM_UNIFORM] = "uniform",
                                                      [JD_CONFORM_HEAVY] = "heavy"};
    return name[law];
}

const char *jd_conform_work_name(enum jd_conform_work work)
{
    static const char *const name[JD_CONFORM_WORKS] = {
        [JD_CONFORM_IDLE] = "idle",         [JD_CONFORM_DIFFUSE] = "diffuse",
        [JD_CONFORM_BUSY] = "busy",         [JD_CONFORM_BURST] = "burst",
        [JD_CONFORM_PINGPONG] = "pingpong", [JD_CONFORM_LATE] = "late",
        [JD_CONFORM_CHASE] = "chase",       [JD_CONFORM_FLOOD] = "flood",
        [JD_CONFORM_LONG] = "long"};
    return name[work];
}

/* A rank may tell its children, or one rank for each bit of its number, or both, in each wave. */
static struct jdi_timed_bounds bounds_of(const struct jd_conform_subject *s,
                                         const struct jd_conform_load *load)
{
    unsigned arity = load->arity ? load->arity : JDI_TIMED_ARITY, bits = 0;
    uint64_t n = load->ranks, pause = load->pause_max;
    while (n >> bits)
        bits++;
    uint32_t waves = s->max_failed + 2;
    struct jdi_timed_bounds b = {.waves = waves,
                                 .hops = HOPS_PER_RANK * n + HOPS_MORE,
                                 .sent = waves * (arity + 2ull * bits)};
    b.hops = s->hops_per_rank * n > b.hops ? s->hops_per_rank * n : b.hops;
    b.sent = s->sent_per_rank * n > b.sent ? s->sent_per_rank * n : b.sent;
    b.hops = s->max_hops ? s->max_hops : b.hops;
    b.sent = s->max_sent ? s->max_sent : b.sent;
    b.pause = waves * (pause > JDI_TIMED_HOP ? pause : JDI_TIMED_HOP);
    return b;
}

/* ---- one load ------------------------------------------------------------------------- */

struct timing {
    const struct jdi_td_ops *ops;
    struct jd_conform_load load;
    struct jdi_timed_bounds bounds;
    struct jd_conform_timing result;
    struct jdi_timed_trace trace;
};

static void time_in_child(void *arg)
{
    struct timing *t = arg;
    jdi_timed_run(t->ops, &t->load, &t->bounds, &t->result, &t->trace);
}

/* Shared with the child; to be freed with jdi_child_free. */
static struct timing *time_load(const struct jd_conform_subject *s,
                                const struct jd_conform_load *load)
{
    struct timing *t = jdi_child_alloc(sizeof *t);
    char said[JD_CONFORM_TEXT];
    t->ops = s->ops;
    t->load = *load;
    t->bounds = bounds_of(s, load);
    if (jdi_child_run(time_in_child, t, TIME_SECONDS, said, sizeof said) !=
        JDI_CHILD_RETURNED)
        memcpy(t->result.text, said, sizeof said);
    else if (!t->result.text[0] && t->result.failed_after > s->max_failed)
        snprintf(t->result.text, sizeof t->result.text,
                 "O4: %llu waves failed after quiescence",
                 (unsigned long long)t->result.failed_after);
    return t;
}

static bool is_sound(const struct jd_conform_load *c)
{
    return c->ranks > 0 && c->law < JD_CONFORM_LAWS && c->work < JD_CONFORM_WORKS &&
           c->arity <= MOST_ARITY && c->phases <= MOST_PHASES &&
           c->pause_min <= c->pause_max;
}

enum jd_conform_verdict jd_conform_time(const struct jd_conform_subject *s,
                                        const struct jd_conform_load *load,
                                        struct jd_conform_timing *out)
{
    memset(out, 0, sizeof *out);
    if (!is_sound(load)) {
        snprintf(out->text, sizeof out->text, "no ranks, or no such law, work or size");
        return JD_CONFORM_OPEN;
    }
    struct timing *t = time_load(s, load);
    *out = t->result;
    jdi_child_free(t, sizeof *t);
    return out->text[0] ? JD_CONFORM_WRONG : JD_CONFORM_RIGHT;
}

/* ---- the loads of a campaign ---------------------------------------------------------- */

/* Sizes that are no powers, above 2^8, 10^3, 2^12 and 2^16 too; and what each of them does. */
const struct jd_conform_load *jd_conform_load_at(size_t i, uint64_t seed,
                                                 struct jd_conform_load *out)
{
    static const struct {
        uint32_t ranks, times;
    } sizes[] = {{2, 24},    {3, 24},    {5, 24},     {8, 24},     {16, 24},
                 {100, 24},  {257, 24},  {600, 24},   {1030, 120}, {1500, 36},
                 {4100, 96}, {5000, 12}, {20000, 12}, {70000, 6}};
    static const enum jd_conform_work works[] = {
        JD_CONFORM_CHASE, JD_CONFORM_DIFFUSE, JD_CONFORM_FLOOD, JD_CONFORM_CHASE,
        JD_CONFORM_BUSY,  JD_CONFORM_LONG,    JD_CONFORM_CHASE, JD_CONFORM_BURST,
        JD_CONFORM_FLOOD, JD_CONFORM_CHASE,   JD_CONFORM_LATE,  JD_CONFORM_IDLE};
    static const unsigned arities[] = {4, 2, 3, 8, 16, 64};
    for (size_t size = 0; size < JDI_ARRAY_LEN(sizes); i -= sizes[size++].times) {
        if (i >= sizes[size].times)
            continue;
        enum jd_conform_work work = works[i % JDI_ARRAY_LEN(works)];
        bool chase = work == JD_CONFORM_CHASE, is_long = work == JD_CONFORM_LONG;
        *out = (struct jd_conform_load){
            .ranks = sizes[size].ranks,
            .law = (enum jd_conform_law)((i + i / 12) % JD_CONFORM_LAWS),
            .work = work,
            .seed = seed + i,
            .arity = arities[i % JDI_ARRAY_LEN(arities)],
            .phases = chase ? 16 : 1 + (i / 6 + i / 12) % 2,
            .pause_min = is_long ? 5000 : 0,
            .pause_max = is_long ? 200000 : 0};
        return out;
    }
    return NULL;
}

/* ---- again, as text and as a chart ------------------------------------------------------ */

static const char timed_word[] = "timed";

bool jdi_scale_is_schedule(const char *text)
{
    text += strspn(text, " \n");
    return strncmp(text, timed_word, sizeof timed_word - 1) == 0;
}

void jdi_scale_write(const struct jd_conform_load *c, FILE *out)
{
    fprintf(out, "%s ranks=%u law=%s work=%s seed=%llu arity=%u phases=%u", timed_word,
            (unsigned)c->ranks, jd_conform_law_name(c->law),
            jd_conform_work_name(c->work), (unsigned long long)c->seed,
            c->arity ? c->arity : JDI_TIMED_ARITY, c->phases ? c->phases : 1);
    if (c->pause_max > 0)
        fprintf(out, " pause=%llu pauses=%llu", (unsigned long long)c->pause_min,
                (unsigned long long)c->pause_max);
}

static int law_of(const char *word)
{
    for (int i = 0; i < JD_CONFORM_LAWS; i++)
        if (strcmp(word, jd_conform_law_name((enum jd_conform_law)i)) == 0)
            return i;
    return -1;
}

static int work_of(const char *word)
{
    for (int i = 0; i < JD_CONFORM_WORKS; i++)
        if (strcmp(word, jd_conform_work_name((enum jd_conform_work)i)) == 0)
            return i;
    return -1;
}

/* name=value; false if there is none of that name or value. */
static bool take_field(struct jd_conform_load *c, const char *word)
{
    const char *value = strchr(word, '=');
    size_t len = value ? (size_t)(value - word) : 0;
    char *end;
    if (!value++)
        return false;
    if (strncmp(word, "law=", 4) == 0)
        return (c->law = (enum jd_conform_law)law_of(value)) < JD_CONFORM_LAWS;
    if (strncmp(word, "work=", 5) == 0)
        return (c->work = (enum jd_conform_work)work_of(value)) < JD_CONFORM_WORKS;
    uint64_t number = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end)
        return false;
    const struct {
        const char *name;
        uint64_t most;
        uint32_t *small;
        uint64_t *large;
    } field[] = {{"ranks", MOST_RANKS, &c->ranks, NULL},
                 {"seed", UINT64_MAX, NULL, &c->seed},
                 {"arity", MOST_ARITY, &c->arity, NULL},
                 {"phases", MOST_PHASES, &c->phases, NULL},
                 {"pause", UINT32_MAX, NULL, &c->pause_min},
                 {"pauses", UINT32_MAX, NULL, &c->pause_max}};
    for (size_t i = 0; i < JDI_ARRAY_LEN(field); i++) {
        if (strlen(field[i].name) != len || strncmp(word, field[i].name, len) != 0)
            continue;
        if (field[i].small)
            *field[i].small = (uint32_t)number;
        else
            *field[i].large = number;
        return number <= field[i].most;
    }
    return false;
}

bool jdi_scale_read(struct jd_conform_load *load, const char *text, char *error,
                    size_t errorlen)
{
    *load = (struct jd_conform_load){.ranks = 16};
    text += strspn(text, " \n") + sizeof timed_word - 1;
    for (text += strspn(text, " :\n"); *text; text += strspn(text, " :\n")) {
        char word[64];
        size_t len = strcspn(text, " :\n");
        snprintf(word, sizeof word, "%.*s", (int)len, text);
        if (!take_field(load, word)) {
            snprintf(error, errorlen, "no field or no good value: \"%s\"", word);
            return false;
        }
        text += len;
    }
    if (!is_sound(load)) {
        snprintf(error, errorlen, "no ranks, or pause is above pauses");
        return false;
    }
    return true;
}

/* The column of a rank, made if there is room; -1 if not. */
static int find_column(struct jd_conform_run *run, unsigned *columns, uint32_t rank)
{
    for (unsigned i = 0; i < *columns; i++)
        if (run->column[i] == rank)
            return (int)i;
    if (*columns == JDI_WORLD_RANKS)
        return -1;
    run->column[*columns] = rank;
    return (int)(*columns)++;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The ranks of the last actions, and of those before as long as there are columns. */
static unsigned choose_columns(struct jd_conform_run *run,
                               const struct jdi_timed_trace *t)
{
    unsigned columns = 0;
    uint64_t kept = t->count < JDI_WORLD_TRACE ? t->count : JDI_WORLD_TRACE;
    for (uint64_t i = 0; i < kept; i++) {
        const struct jdi_timed_event *e = &t->event[(t->count - 1 - i) % JDI_WORLD_TRACE];
        find_column(run, &columns, e->rank);
        find_column(run, &columns, e->peer);
    }
    qsort(run->column, columns, sizeof run->column[0], by_number);
    return columns ? columns : 1;
}

/* What these ranks did, but for steps that led to nothing. */
static void draw_run(struct jd_conform_run *run, const struct jdi_timed_trace *t)
{
    unsigned columns = choose_columns(run, t);
    uint64_t first = t->count > JDI_WORLD_TRACE ? t->count - JDI_WORLD_TRACE : 0;
    struct jdi_world_trace *to = &run->failure.trace;
    to->count = 0;
    for (uint64_t i = first; i < t->count; i++) {
        const struct jdi_timed_event *e = &t->event[i % JDI_WORLD_TRACE];
        unsigned same = columns;
        int rank = find_column(run, &same, e->rank),
            peer = find_column(run, &same, e->peer);
        bool nothing = e->kind == JDI_WORLD_STEP && !e->said && !e->ended;
        if (rank < 0 || peer < 0 || same > columns || (nothing && i + 1 < t->count))
            continue;
        to->event[to->count++ % JDI_WORLD_TRACE] = (struct jdi_world_event){
            .kind = e->kind,
            .rank = (uint8_t)rank,
            .peer = e->kind == JDI_WORLD_ENTER ? 0 : (uint8_t)peer,
            .flag = e->flag,
            .said = e->said,
            .ended = e->ended,
            .phase = e->phase - (e->kind == JDI_WORLD_ENTER),
            .sum = e->sum};
    }
    run->failure.config.ranks = columns;
}

void jdi_scale_play(const struct jd_conform_subject *s, struct jd_conform_run *run)
{
    struct timing *t = time_load(s, &run->load);
    memcpy(run->failure.text, t->result.text, sizeof run->failure.text);
    run->is_timed = run->is_told = true;
    draw_run(run, &t->trace);
    jdi_child_free(t, sizeof *t);
}
