/*
 * adversary.c - laws of delay, and schedules: reading, using and writing decisions.
 *
 * Role: see adversary.h.
 * Owner: the simulation's thread.
 * Invariants: I1, I2 of adversary.h. I3 a line is in the file before its decision takes
 *             effect, so a run that crashes or hangs leaves all decisions up to there.
 * See: doc/sim.md "Schedules" has the format.
 */
#include "am/sim/adversary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TAIL_CAP = 1000, FIRST_SLOTS = 256, LINE_MAX_LEN = 128, NUMBERS_MAX = 4 };

static const char headline[] = "jackdaw-schedule 1";

enum row_kind {
    ROW_RANKS,
    ROW_SEED,
    ROW_SLOW,
    ROW_PAUSE,
    ROW_CRASH,
    REFUSE,
    DELAY,
    KEEP
};

/* The lines of a schedule, and how many numbers follow the word. */
static const struct {
    const char *word;
    int numbers;
} rows[] = {
    [ROW_RANKS] = {"ranks", 1}, [ROW_SEED] = {"seed", 1},   [ROW_SLOW] = {"slow", 2},
    [ROW_PAUSE] = {"pause", 3}, [ROW_CRASH] = {"crash", 2}, [REFUSE] = {"refuse", 3},
    [DELAY] = {"delay", 4},     [KEEP] = {"keep", 4},
};

/* ---- a table from (sender, receiver, number of the message, what) to a number -------- */

/* What is counted or decided under a key; 0: the slot is free. */
enum what { SENT = 1, REFUSALS, LATE, KEPT };

struct slot {
    uint32_t src, dst;
    uint64_t n; /* 0 for SENT */
    enum what what;
    uint64_t value;
};

struct table {
    struct slot *slot;
    size_t used, room; /* room: a power of two, or 0 */
};

static size_t table_slot(const struct table *t, const struct slot *key)
{
    uint64_t h = ((uint64_t)key->src << 32 | key->dst) * 0x9E3779B97F4A7C15ULL;
    h = (h ^ (h >> 29) ^ (key->n << 3 | key->what)) * 0xBF58476D1CE4E5B9ULL;
    size_t i = (h ^ (h >> 32)) & (t->room - 1);
    while (t->slot[i].what &&
           !(t->slot[i].src == key->src && t->slot[i].dst == key->dst &&
             t->slot[i].n == key->n && t->slot[i].what == key->what))
        i = (i + 1) & (t->room - 1);
    return i;
}

static int table_grow(struct table *t)
{
    struct table more = {.used = t->used, .room = t->room ? 2 * t->room : FIRST_SLOTS};
    more.slot = jdi_zalloc(NULL, more.room * sizeof *more.slot);
    if (!more.slot)
        return JD_ENOMEM;
    for (size_t i = 0; i < t->room; i++)
        if (t->slot[i].what)
            more.slot[table_slot(&more, &t->slot[i])] = t->slot[i];
    jdi_free(t->slot);
    *t = more;
    return 0;
}

/* The number under the key, 0 at first; NULL when out of memory. */
static uint64_t *table_at(struct table *t, struct slot key)
{
    if (2 * t->used >= t->room && table_grow(t))
        return NULL;
    struct slot *s = &t->slot[table_slot(t, &key)];
    if (!s->what) {
        *s = key;
        t->used++;
    }
    return &s->value;
}

/* Where the number under the key is, or NULL. */
static uint64_t *table_find(const struct table *t, struct slot key)
{
    struct slot *s = t->room ? &t->slot[table_slot(t, &key)] : NULL;
    return s && s->what ? &s->value : NULL;
}

/* ---- laws ----------------------------------------------------------------------------- */

struct jdi_sim_adversary {
    const struct jdi_sim_params *p;
    uint64_t rng;
    bool replays, numbers; /* numbers: messages are counted, to be named in a schedule */
    FILE *save;
    struct table sent, decided;
};

static uint64_t draw(struct jdi_sim_adversary *a)
{
    a->rng ^= a->rng >> 12;
    a->rng ^= a->rng << 25;
    a->rng ^= a->rng >> 27;
    return a->rng * 0x2545F4914F6CDD1DULL;
}

/* 0 .. n, evenly enough. */
static uint64_t draw_to(struct jdi_sim_adversary *a, uint64_t n)
{
    return n == UINT64_MAX ? draw(a) : draw(a) % (n + 1);
}

static uint64_t next_window(uint64_t t, uint64_t window)
{
    return (t / window + 1) * window;
}

static struct jdi_sim_fate by_law(struct jdi_sim_adversary *a, uint64_t at, bool tasks)
{
    uint64_t spread = a->p->spread, late = 0;
    switch (a->p->law) {
    case JDI_SIM_UNIFORM:
        late = draw_to(a, spread);
        break;
    case JDI_SIM_TAIL:
        late = spread * (TAIL_CAP / (1 + draw_to(a, TAIL_CAP - 1))) - spread;
        break;
    case JDI_SIM_BURST:
        late = next_window(at, spread) - at;
        break;
    case JDI_SIM_LIFO: /* mirrored at the window's end: the later it came, the sooner */
        late = 2 * (next_window(at, spread) - at);
        break;
    case JDI_SIM_HOLD:
        return (struct jdi_sim_fate){tasks ? spread : 0, tasks};
    case JDI_SIM_NONE:
    default:
        break;
    }
    return (struct jdi_sim_fate){late, false};
}

/* ---- decisions ------------------------------------------------------------------------ */

static void out_of_memory(void)
{
    struct jdi_log log = {.level = JDI_LOG_WARN};
    jdi_die(&log, JDI_EXIT_MEMORY, "out of memory for a schedule of the simulation");
}

/* Messages from src to dst until now. */
static uint64_t *sent(struct jdi_sim_adversary *a, uint32_t src, uint32_t dst)
{
    uint64_t *n = table_at(&a->sent, (struct slot){.src = src, .dst = dst, .what = SENT});
    if (!n)
        out_of_memory();
    return n;
}

bool jdi_sim_adversary_refuses(struct jdi_sim_adversary *a, uint32_t src, uint32_t dst)
{
    bool refused;
    uint64_t n = a->numbers ? *sent(a, src, dst) + 1 : 0;
    if (a->replays) {
        struct slot key = {.src = src, .dst = dst, .n = n, .what = REFUSALS};
        uint64_t *left = table_find(&a->decided, key);
        refused = left && *left > 0;
        if (refused)
            --*left;
    } else {
        refused = a->p->refuse && draw_to(a, 99) < a->p->refuse;
    }
    if (refused && a->save)
        fprintf(a->save, "%s %u %u %llu\n", rows[REFUSE].word, src, dst,
                (unsigned long long)n);
    return refused;
}

static struct jdi_sim_fate by_schedule(struct jdi_sim_adversary *a, uint32_t src,
                                       uint32_t dst, uint64_t n)
{
    struct slot key = {.src = src, .dst = dst, .n = n, .what = KEPT};
    const uint64_t *kept = table_find(&a->decided, key);
    key.what = LATE;
    const uint64_t *late = kept ? kept : table_find(&a->decided, key);
    return (struct jdi_sim_fate){late ? *late : 0, kept != NULL};
}

struct jdi_sim_fate jdi_sim_adversary_fate(struct jdi_sim_adversary *a, uint32_t src,
                                           uint32_t dst, uint64_t at, bool tasks)
{
    uint64_t n = a->numbers ? ++*sent(a, src, dst) : 0;
    struct jdi_sim_fate f =
        a->replays ? by_schedule(a, src, dst, n) : by_law(a, at, tasks);
    if (f.late && a->save)
        fprintf(a->save, "%s %u %u %llu %llu\n", rows[f.keep ? KEEP : DELAY].word, src,
                dst, (unsigned long long)n, (unsigned long long)f.late);
    return f;
}

/* ---- reading a schedule --------------------------------------------------------------- */

struct reader {
    struct jdi_sim_adversary *a;
    struct jdi_sim_params *p;
    char *err;
    size_t errlen;
    unsigned line;
    bool ranks, seed; /* these lines have been seen */
};

static int bad(struct reader *r, const char *what)
{
    snprintf(r->err, r->errlen, "JACKDAW_SIM_REPLAY=%s: line %u: %s", r->p->replay,
             r->line, what);
    return JD_EINVAL;
}

/* Split a line into its word and its numbers; returns the row, or -1. */
static int split(char *text, uint64_t v[NUMBERS_MAX])
{
    char *at = text + strcspn(text, " ");
    size_t word = (size_t)(at - text);
    for (int i = 0; i < (int)JDI_ARRAY_LEN(rows); i++) {
        if (strlen(rows[i].word) != word || strncmp(rows[i].word, text, word))
            continue;
        for (int k = 0; k < rows[i].numbers; k++) {
            if (*at++ != ' ' || *at < '0' || *at > '9')
                return -1;
            v[k] = strtoull(at, &at, 10);
        }
        return *at ? -1 : i;
    }
    return -1;
}

/* A decision about message v[2] from v[0] to v[1]. */
static int read_decision(struct reader *r, enum row_kind kind, const uint64_t *v)
{
    static const enum what whats[] = {[REFUSE] = REFUSALS, [DELAY] = LATE, [KEEP] = KEPT};
    if (v[0] >= r->p->nranks || v[1] >= r->p->nranks || !v[2] ||
        (kind != REFUSE && !v[3]))
        return bad(r, "no such message, or no delay");
    struct slot key = {
        .src = (uint32_t)v[0], .dst = (uint32_t)v[1], .n = v[2], .what = whats[kind]};
    uint64_t *at = table_at(&r->a->decided, key);
    if (!at)
        return bad(r, "out of memory");
    if (kind != REFUSE && *at)
        return bad(r, "decided twice");
    *at += kind == REFUSE ? 1 : v[3];
    return 0;
}

/* What happens to one rank. */
static int read_fate(struct jdi_sim_params *p, int kind, const uint64_t *v)
{
    uint32_t rank = (uint32_t)v[0];
    if (kind == ROW_SLOW) {
        p->slow_rank = rank;
        p->slow_factor = v[1];
    } else if (kind == ROW_PAUSE) {
        p->pause_rank = rank;
        p->pause_at = v[1];
        p->pause_for = v[2];
    } else {
        p->crash_rank = rank;
        p->crash_at = v[1];
    }
    return 0;
}

static int read_row(struct reader *r, char *text)
{
    uint64_t v[NUMBERS_MAX];
    struct jdi_sim_params *p = r->p;
    int kind = split(text, v);
    switch (kind) {
    case ROW_RANKS:
        r->ranks = true;
        return v[0] == p->nranks ? 0 : bad(r, "it was made with another JACKDAW_RANKS");
    case ROW_SEED:
        r->seed = true;
        return v[0] == p->seed ? 0 : bad(r, "it was made with another JACKDAW_SEED");
    case ROW_SLOW:
    case ROW_PAUSE:
    case ROW_CRASH:
        return v[0] < p->nranks ? read_fate(p, kind, v) : bad(r, "there is no such rank");
    case REFUSE:
    case DELAY:
    case KEEP:
        return read_decision(r, (enum row_kind)kind, v);
    default:
        return bad(r, "neither ranks, seed, slow, pause, crash, refuse, delay nor keep "
                      "with their numbers");
    }
}

static int read_lines(struct reader *r, FILE *f)
{
    char text[LINE_MAX_LEN];
    int error = 0;
    while (!error && fgets(text, sizeof text, f)) {
        r->line++;
        text[strcspn(text, "\n")] = '\0';
        if (r->line == 1)
            error = strcmp(text, headline) ? bad(r, "not \"jackdaw-schedule 1\"") : 0;
        else if (*text && *text != '#')
            error = read_row(r, text);
    }
    if (error)
        return error;
    return r->ranks && r->seed ? 0
                               : bad(r, "the lines \"ranks\" and \"seed\" are missing");
}

static int read_schedule(struct jdi_sim_adversary *a, struct jdi_sim_params *p, char *err,
                         size_t errlen)
{
    struct reader r = {.a = a, .p = p, .err = err, .errlen = errlen};
    FILE *f = fopen(p->replay, "r");
    if (!f) {
        snprintf(err, errlen, "JACKDAW_SIM_REPLAY=%s: %s", p->replay, strerror(errno));
        return JD_ESYS;
    }
    p->slow_factor = p->pause_for = p->crash_at = 0;
    int error = read_lines(&r, f);
    fclose(f);
    return error;
}

/* ---- writing one, start and end -------------------------------------------------------- */

static void save_head(const struct jdi_sim_adversary *a)
{
    const struct jdi_sim_params *p = a->p;
    fprintf(a->save, "%s\nranks %u\nseed %llu\n", headline, p->nranks,
            (unsigned long long)p->seed);
    if (p->slow_factor)
        fprintf(a->save, "slow %u %llu\n", p->slow_rank,
                (unsigned long long)p->slow_factor);
    if (p->pause_for)
        fprintf(a->save, "pause %u %llu %llu\n", p->pause_rank,
                (unsigned long long)p->pause_at, (unsigned long long)p->pause_for);
    if (p->crash_at)
        fprintf(a->save, "crash %u %llu\n", p->crash_rank,
                (unsigned long long)p->crash_at);
}

static int open_save(struct jdi_sim_adversary *a, char *err, size_t errlen)
{
    a->save = fopen(a->p->save, "w");
    if (!a->save) {
        snprintf(err, errlen, "JACKDAW_SIM_SAVE=%s: %s", a->p->save, strerror(errno));
        return JD_ESYS;
    }
    setvbuf(a->save, NULL, _IOLBF, 0); /* I3 */
    save_head(a);
    return 0;
}

int jdi_sim_adversary_new(struct jdi_sim_adversary **out, struct jdi_sim_params *p,
                          char *err, size_t errlen)
{
    struct jdi_sim_adversary *a = jdi_zalloc(NULL, sizeof *a);
    if (!a) {
        snprintf(err, errlen, "no memory for the simulation");
        return JD_ENOMEM;
    }
    a->p = p;
    a->rng = (p->seed + 1) * 0x9E3779B97F4A7C15ULL | 1;
    a->replays = *p->replay;
    a->numbers = *p->replay || *p->save;
    int error = a->replays ? read_schedule(a, p, err, errlen) : 0;
    if (!error && *p->save)
        error = open_save(a, err, errlen);
    if (error) {
        jdi_sim_adversary_free(a);
        return error;
    }
    *out = a;
    return 0;
}

void jdi_sim_adversary_free(struct jdi_sim_adversary *a)
{
    if (!a)
        return;
    if (a->save)
        fclose(a->save);
    jdi_free(a->sent.slot);
    jdi_free(a->decided.slot);
    jdi_free(a);
}
