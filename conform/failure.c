/*
 * failure.c - plays a script, and makes it shorter.
 *
 * Role: delta debugging over the items of a script, and its one line of text.
 * See: failure.h.
 */
#include "conform/failure.h"

#include "conform/child.h"
#include "conform/warm.h"

#include <stdlib.h>
#include <string.h>

enum { PLAY_SECONDS = 20, SHRINK_SECONDS = 600, MAX_PLAYS = 3000 };

struct jdi_failure *jdi_failure_new(void)
{
    return jdi_child_alloc(sizeof(struct jdi_failure));
}

void jdi_failure_free(struct jdi_failure *f)
{
    jdi_child_free(f, sizeof *f);
}

const char *jdi_failure_rule(const char *text)
{
    static const char *const rules[] = {"O1", "O2", "O4", "O5"};
    for (size_t i = 0; i < JDI_ARRAY_LEN(rules); i++)
        if (strncmp(text, rules[i], 2) == 0)
            return rules[i];
    return "O6"; /* what the detector's own checks say has no number */
}

static void play(void *arg)
{
    struct jdi_failure *f = arg;
    struct jdi_world *w = f->warm;
    if (!w) {
        w = aligned_alloc(16, sizeof *w);
        JD_CHECK(w != NULL);
        jdi_warm_init(w, &f->config, &f->trace);
    }
    for (uint32_t i = 0; i < f->script.count && !w->fault[0]; i++)
        jdi_script_do(w, f->script.item[i]);
    jdi_script_run_out(w);
    snprintf(f->text, sizeof f->text, "%s", w->fault);
    if (!f->warm)
        free(w);
}

bool jdi_failure_play(struct jdi_failure *f)
{
    char said[sizeof f->text];
    f->text[0] = '\0';
    if (f->script.count > JDI_SCRIPT_ITEMS)
        return false;
    if (jdi_child_run(play, f, PLAY_SECONDS, said, sizeof said) != JDI_CHILD_RETURNED)
        memcpy(f->text, said, sizeof f->text);
    return f->text[0] != '\0';
}

bool jdi_failure_of_walk(struct jdi_failure *f, const struct jdi_walk_config *c,
                         const char *text)
{
    struct jdi_walk_config once = *c;
    once.walks = 1;
    once.record = &f->script;
    f->script.count = 0;
    struct jdi_walk_result *again = jdi_walk_run(&once);
    f->config = again->world.c;
    bool same = again->end != JDI_WALK_PASSED && jdi_failure_play(f) &&
                strcmp(jdi_failure_rule(f->text), jdi_failure_rule(text)) == 0;
    if (!same) {
        f->script.count = 0;
        f->trace = again->trace;
        snprintf(f->text, sizeof f->text, "%s", text);
    }
    jdi_walk_free(again);
    return same;
}

/* Without the items [from, from + n). */
static bool fails_without(struct jdi_failure *f, const struct jdi_script *s,
                          uint32_t from, uint32_t n, const char *rule)
{
    memcpy(f->script.item, s->item, from * sizeof s->item[0]);
    memcpy(f->script.item + from, s->item + from + n,
           (s->count - from - n) * sizeof s->item[0]);
    f->script.count = s->count - n;
    return jdi_failure_play(f) && strcmp(jdi_failure_rule(f->text), rule) == 0;
}

static unsigned shrink(struct jdi_failure *f)
{
    struct jdi_script *best = malloc(sizeof *best);
    const char *rule = jdi_failure_rule(f->text);
    unsigned plays = 0;
    JD_CHECK(best != NULL);
    *best = f->script;
    for (uint32_t n = best->count / 2; n > 0; n /= 2) {
        bool again = true;
        while (again && plays < MAX_PLAYS) {
            again = false;
            for (uint32_t at = 0; at + n <= best->count && plays < MAX_PLAYS; plays++) {
                if (fails_without(f, best, at, n, rule)) {
                    *best = f->script;
                    again = n == 1;
                } else {
                    at += n;
                }
            }
        }
    }
    f->script = *best;
    free(best);
    jdi_failure_play(f);
    return plays + 1;
}

struct shrinking {
    struct jdi_failure *failure;
    unsigned plays;
};

/* Each child that plays gets a copy of the world as it is after its past. */
static void shrink_warm(void *arg)
{
    struct shrinking *s = arg;
    struct jdi_world *w = aligned_alloc(16, sizeof *w);
    JD_CHECK(w != NULL);
    jdi_warm_init(w, &s->failure->config, &s->failure->trace);
    s->failure->warm = w;
    s->plays = shrink(s->failure);
    free(w);
}

unsigned jdi_failure_shrink(struct jdi_failure *f)
{
    char said[sizeof f->text];
    if (!jdi_warm_is_asked(&f->config))
        return shrink(f);
    struct shrinking *s = jdi_child_alloc(sizeof *s);
    s->failure = f;
    jdi_child_run(shrink_warm, s, SHRINK_SECONDS, said, sizeof said);
    unsigned plays = s->plays;
    f->warm = NULL;
    jdi_child_free(s, sizeof *s);
    return plays;
}

/* ---- one line --------------------------------------------------------------------------- */

/* Phases, messages and waves of one run. */
enum { MOST = 10000000 };

struct field {
    const char *name;
    uint64_t value, low, high;
};

enum {
    RANKS,
    COLLS,
    ARITY,
    PHASES,
    SENDS,
    FAILED,
    PAUSE,
    PAUSES,
    HELD,
    ONE_BIT,
    SELDOM, /* these are left out where they are as usual */
    PHASE = SELDOM,
    WAVE,
    CLOCK,
    RAN,
    FAILING,
    IMPORTS,
    FIELDS
};

static void get_fields(const struct jdi_world_config *c, struct field field[FIELDS])
{
    const struct field all[FIELDS] = {
        [RANKS] = {"ranks", c->ranks, 1, JDI_WORLD_RANKS},
        [COLLS] = {"colls", c->colls ? c->colls : 1, 1, JDI_WORLD_COLLS},
        [ARITY] = {"arity", c->arity, 1, 64},
        [PHASES] = {"phases", c->phases, 1, MOST},
        [SENDS] = {"sends", c->sends, 0, MOST},
        [FAILED] = {"failed", c->max_failed, 0, UINT32_MAX},
        [PAUSE] = {"pause", c->pause_min, 0, UINT32_MAX},
        [PAUSES] = {"pauses", c->pause_max, 0, UINT32_MAX},
        [PHASE] = {"phase", c->first_phase ? c->first_phase : 1, 1, UINT32_MAX},
        [WAVE] = {"wave", c->first_wave, 0, UINT64_MAX},
        [CLOCK] = {"clock", c->first_time, 0, UINT64_MAX / 2},
        [RAN] = {"ran", c->past.phases, 0, MOST},
        [FAILING] = {"failing", c->past.waves, 0, MOST},
        [IMPORTS] = {"imports", c->past.imports, 0, MOST},
        [HELD] = {"held", c->held_blocks_idle, 0, 1},
        [ONE_BIT] = {"onebit", c->one_bit_live, 0, 1},
    };
    memcpy(field, all, sizeof all);
}

static void set_fields(struct jdi_world_config *c, const struct field field[FIELDS])
{
    c->ranks = (unsigned)field[RANKS].value;
    c->colls = (unsigned)field[COLLS].value;
    c->arity = (unsigned)field[ARITY].value;
    c->phases = (unsigned)field[PHASES].value;
    c->sends = (unsigned)field[SENDS].value;
    c->max_failed = (unsigned)field[FAILED].value;
    c->pause_min = field[PAUSE].value;
    c->pause_max = field[PAUSES].value;
    c->first_phase = (uint32_t)field[PHASE].value;
    c->first_wave = field[WAVE].value;
    c->first_time = field[CLOCK].value;
    c->past.phases = (uint32_t)field[RAN].value;
    c->past.waves = (uint32_t)field[FAILING].value;
    c->past.imports = (uint32_t)field[IMPORTS].value;
    c->held_blocks_idle = field[HELD].value;
    c->one_bit_live = field[ONE_BIT].value;
}

void jdi_failure_write(const struct jdi_failure *f, FILE *out)
{
    const struct jdi_world_config usual = {.ranks = 3};
    struct field field[FIELDS], without[FIELDS];
    get_fields(&f->config, field);
    get_fields(&usual, without);
    for (unsigned i = 0; i < FIELDS; i++)
        if (i < SELDOM || field[i].value != without[i].value)
            fprintf(out, "%s%s=%llu", i ? " " : "", field[i].name,
                    (unsigned long long)field[i].value);
    fprintf(out, ": ");
    jdi_script_write(&f->script, out);
}

static bool read_field(struct field field[FIELDS], const char *word, size_t len)
{
    for (unsigned i = 0; i < FIELDS; i++) {
        size_t n = strlen(field[i].name);
        char *end;
        if (n >= len || strncmp(word, field[i].name, n) != 0 || word[n] != '=')
            continue;
        field[i].value = strtoull(word + n + 1, &end, 10);
        return word[n + 1] >= '0' && word[n + 1] <= '9' && end == word + len &&
               field[i].value >= field[i].low && field[i].value <= field[i].high;
    }
    return false;
}

bool jdi_failure_read(struct jdi_failure *f, const char *line, char *error,
                      size_t errorlen)
{
    struct field field[FIELDS];
    const struct jdi_world_config standard = {.ops = f->config.ops,
                                              .lens = f->config.lens,
                                              .ranks = 3,
                                              .arity = 2,
                                              .phases = 1,
                                              .sends = 8,
                                              .max_seeds = 2,
                                              .max_failed = f->config.max_failed};
    const char *colon = strchr(line, ':'), *at = line;
    f->config = standard;
    get_fields(&f->config, field);
    for (at += strspn(at, " \n"); colon && at < colon;) {
        size_t len = strcspn(at, " :\n");
        if (!read_field(field, at, len)) {
            snprintf(error, errorlen, "no field or no good value: \"%.*s\"",
                     (int)(len < 32 ? len : 32), at);
            return false;
        }
        at += len;
        at += strspn(at, " \n");
    }
    set_fields(&f->config, field);
    if (f->config.pause_min > f->config.pause_max) {
        snprintf(error, errorlen, "pause is above pauses");
        return false;
    }
    bool starts = f->config.first_phase > 1 || f->config.first_wave > 0;
    if (starts && (!f->config.lens || !f->config.lens->start)) {
        snprintf(error, errorlen,
                 "phase and wave need a detector with jackdaw_detector_start");
        return false;
    }
    if (f->config.colls > 1 && jdi_warm_is_asked(&f->config)) {
        snprintf(error, errorlen, "ran, failing and imports are of one collection");
        return false;
    }
    if (f->config.ranks % f->config.colls) {
        snprintf(error, errorlen, "ranks counts both collections: an even number");
        return false;
    }
    return jdi_script_parse(&f->script, colon ? colon + 1 : line, f->config.ranks, error,
                            errorlen);
}
