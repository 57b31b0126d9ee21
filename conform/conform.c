/*
 * conform.c - the suite as a caller sees it.
 *
 * Role: translates subjects and requests into worlds, walks and searches, and results back.
 * Invariants: I1 the detector is only ever called by a child (child.h), but for its name.
 * See: conform.h.
 */
#include "conform/conform.h"

#include "conform/chart.h"
#include "conform/child.h"
#include "conform/codec_bytes.h"
#include "conform/counterexample.h"
#include "conform/known.h"
#include "conform/run.h"
#include "conform/trial.h"

#include <string.h>

enum { MOST_MESSAGES = 12, MOST_STATES = 1000000 };

_Static_assert((int)JD_CONFORM_STATE == JDI_WORLD_TD,
               "what is said of a detector's size");
_Static_assert((int)JD_CONFORM_RANKS == JDI_WORLD_RANKS, "what is said of walks");

/* ---- the detector -------------------------------------------------------------------- */

const char *jd_conform_unfit(const struct jdi_td_ops *ops)
{
    if (ops->version != JDI_TD_VERSION)
        return "built for another version of detector.h";
    if (ops->size == 0 || ops->size > JDI_WORLD_TD)
        return "its state has 0 bytes or more than 1024";
    if (!ops->name || !ops->init || !ops->enter || !ops->exported || !ops->imported ||
        !ops->message || !ops->step || !ops->figures || !ops->check)
        return "an operation is missing";
    return NULL;
}

const char *jd_conform_name(const struct jd_conform_subject *s)
{
    return s->ops->name;
}

const char *jd_conform_name_at(size_t i)
{
    const struct jdi_known *k = jdi_known_at(i);
    return k ? k->ops->name : NULL;
}

/* The subject of a trial that is walked, or loaded, as any other. */
static struct jd_conform_subject subject_of(const struct jdi_trial *t)
{
    return (struct jd_conform_subject){.ops = t->ops,
                                       .max_failed = t->max_failed,
                                       .start = t->lens ? t->lens->start : NULL};
}

bool jd_conform_find(const char *name, struct jd_conform_subject *out)
{
    const struct jdi_known *k = jdi_known_find(name);
    if (k) {
        *out = (struct jd_conform_subject){.ops = k->ops, .max_failed = k->max_failed};
        return true;
    }
    for (size_t i = 0; jdi_trial_at(i); i++)
        if (strcmp(jdi_trial_at(i)->ops->name, name) == 0) {
            *out = subject_of(jdi_trial_at(i));
            out->max_failed = JD_CONFORM_MAX_FAILED;
            return true;
        }
    return false;
}

/* Of somebody else's state only what `forget` knows can be seen. */
static struct jdi_world_lens lens_of(const struct jd_conform_subject *s)
{
    static const struct jdi_world_lens none;
    const struct jdi_known *k = jdi_known_of(s->ops);
    struct jdi_world_lens lens = k ? *k->lens : none;
    if (s->forget)
        lens.forget = s->forget;
    if (s->start)
        lens.start = s->start;
    return lens;
}

/* ---- a run --------------------------------------------------------------------------- */

/* Children write into it. */
static struct jd_conform_run *new_run(const struct jd_conform_subject *s)
{
    struct jd_conform_run *run = jdi_child_alloc(sizeof *run);
    run->lens = lens_of(s);
    run->failure.config.ops = s->ops;
    run->failure.config.lens = &run->lens;
    run->failure.config.max_failed = s->max_failed;
    return run;
}

void jd_conform_run_free(struct jd_conform_run *run)
{
    if (run)
        jdi_child_free(run, sizeof *run);
}

struct jd_conform_run *jd_conform_replay(const struct jd_conform_subject *s,
                                         const char *schedule, char *error,
                                         size_t errorlen)
{
    struct jd_conform_run *run = new_run(s);
    if (jdi_scale_is_schedule(schedule)) {
        if (jdi_scale_read(&run->load, schedule, error, errorlen)) {
            jdi_scale_play(s, run);
            return run;
        }
        jd_conform_run_free(run);
        return NULL;
    }
    if (!jdi_failure_read(&run->failure, schedule, error, errorlen)) {
        jd_conform_run_free(run);
        return NULL;
    }
    jdi_failure_play(&run->failure);
    run->is_told = true;
    return run;
}

const char *jd_conform_run_text(const struct jd_conform_run *run)
{
    return run->failure.text;
}

const char *jd_conform_run_rule(const struct jd_conform_run *run)
{
    const char *text = run->failure.text;
    return text[0] ? jdi_failure_rule(text) : "";
}

unsigned jd_conform_run_actions(const struct jd_conform_run *run)
{
    return run->failure.script.count;
}

bool jd_conform_run_is_told(const struct jd_conform_run *run)
{
    return run->is_told;
}

unsigned jd_conform_run_shrink(struct jd_conform_run *run)
{
    bool nothing = run->failure.script.count == 0 || !run->failure.text[0];
    return nothing ? 0 : jdi_failure_shrink(&run->failure);
}

void jd_conform_run_write(const struct jd_conform_run *run, FILE *out)
{
    if (run->is_timed)
        jdi_scale_write(&run->load, out);
    else
        jdi_failure_write(&run->failure, out);
}

static const char *meaning_of(const char *rule)
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

void jd_conform_run_explain(const struct jd_conform_run *run, FILE *out,
                            const char *prefix)
{
    const char *rule = jd_conform_run_rule(run);
    if (rule[0]) {
        fprintf(out, "%srule %s: %s\n", prefix, rule, meaning_of(rule));
        fprintf(out, "%s%s\n", prefix, run->failure.text);
    }
    jdi_chart_print(out, &run->failure.trace, run->failure.config.ranks,
                    run->is_timed ? run->column : NULL, prefix);
}

/* ---- every state --------------------------------------------------------------------- */

const struct jd_conform_world *jd_conform_world_at(size_t i)
{
    static const struct jd_conform_world worlds[] = {
        {1, 2, 4, 1, 3, 0}, {1, 2, 2, 3, 3, 0}, {2, 2, 4, 1, 3, 0}, {2, 2, 3, 3, 3, 0},
        {3, 2, 4, 1, 3, 0}, {3, 1, 4, 1, 3, 0}, {3, 2, 2, 2, 3, 0}, {4, 2, 3, 1, 3, 0}};
    return i < JDI_ARRAY_LEN(worlds) ? &worlds[i] : NULL;
}

/* What the codecs can write down. */
static bool is_small(const struct jd_conform_world *w)
{
    return w->ranks >= 1 && w->ranks <= 4 && w->arity >= 1 &&
           w->messages <= MOST_MESSAGES && w->phases >= 1 && w->phases <= 3;
}

/* The way of a search to its fault. */
static struct jd_conform_run *run_of(const struct jd_conform_subject *s,
                                     struct jdi_explore_result *r,
                                     const struct jdi_world_config *c,
                                     const struct jdi_explore_codec *codec)
{
    struct jd_conform_run *run = new_run(s);
    jdi_explore_trace(r, c, codec);
    run->failure.config = *c;
    run->failure.config.lens = &run->lens;
    run->failure.script = r->script;
    run->is_told = r->script.count > 0;
    run->failure.trace = r->trace;
    memcpy(run->failure.text, r->text, sizeof run->failure.text);
    return run;
}

enum jd_conform_verdict jd_conform_explore(const struct jd_conform_subject *s,
                                           const struct jd_conform_world *w,
                                           struct jd_conform_states *out)
{
    const struct jdi_known *known = jdi_known_of(s->ops);
    const struct jdi_world_lens lens = lens_of(s);
    const struct jdi_world_config c = {.ops = s->ops,
                                       .lens = &lens,
                                       .audit = lens.balance != NULL,
                                       .ranks = w->ranks,
                                       .arity = w->arity,
                                       .phases = w->phases,
                                       .sends = w->messages,
                                       .max_seeds = 1,
                                       .max_failed = s->max_failed,
                                       .one_bit_live = true,
                                       .no_stats = true};
    uint32_t limit = w->max_states ? w->max_states : MOST_STATES;
    struct jdi_codec_bytes bytes;
    memset(out, 0, sizeof *out);
    if (!is_small(w)) {
        snprintf(out->text, sizeof out->text,
                 "1 to 4 ranks, up to %d messages, 1 to 3 phases", MOST_MESSAGES);
        return JD_CONFORM_OPEN;
    }
    jdi_codec_bytes_init(&bytes, w->max_waves);
    const struct jdi_explore_codec *codec =
        known && known->codec ? known->codec : &bytes.codec;
    struct jdi_explore_result *r = jdi_explore_run(&c, codec, limit);
    out->states = r->states;
    out->steps = r->transitions;
    out->cut = r->cut;
    enum jd_conform_verdict verdict = r->end == JDI_EXPLORE_COMPLETE ? JD_CONFORM_RIGHT
                                      : r->end == JDI_EXPLORE_FULL   ? JD_CONFORM_OPEN
                                                                     : JD_CONFORM_WRONG;
    if (verdict == JD_CONFORM_OPEN)
        snprintf(out->text, sizeof out->text, "%s",
                 r->states == limit ? "too many states" : "no time");
    if (verdict == JD_CONFORM_WRONG) {
        memcpy(out->text, r->text, sizeof out->text);
        out->run = run_of(s, r, &c, codec);
    }
    jdi_explore_free(r);
    jdi_codec_bytes_fini(&bytes);
    return verdict;
}

/* ---- walks --------------------------------------------------------------------------- */

/* One chunk; every other is of the size at which the hardest wrong detectors are caught best. */
static struct jdi_walk_config chunk_of(const struct jd_conform_subject *s,
                                       const struct jdi_world_lens *lens, unsigned ranks,
                                       unsigned sends, uint64_t seed)
{
    struct jdi_walk_config c = {.ops = s->ops,
                                .lens = lens,
                                .audit = lens->balance != NULL,
                                .seed = seed,
                                .varied = true,
                                .ranks = ranks,
                                .sends = sends,
                                .max_failed = s->max_failed};
    if (ranks == 0 && seed / JD_CONFORM_CHUNK % 2) {
        c.colls = 1;
        c.ranks = 3;
        c.arity = 2;
        c.phases = 1;
        c.sends = sends ? sends : 6;
    }
    return c;
}

/* What a chunk adds to the walks before it. */
static void add_chunk(struct jd_conform_walked *out, uint64_t first,
                      const struct jdi_walk_result *r)
{
    out->chunk = first;
    out->seed = r->seed;
    out->walks += r->walks;
    out->actions += r->actions;
    if (r->worst_failed > out->worst_failed)
        out->worst_failed = r->worst_failed;
    if (r->end != JDI_WALK_PASSED)
        memcpy(out->text, r->text, sizeof out->text);
}

enum jd_conform_verdict jd_conform_walk(const struct jd_conform_subject *s,
                                        const struct jd_conform_walks *w,
                                        struct jd_conform_walked *out)
{
    const struct jdi_world_lens lens = lens_of(s);
    enum jd_conform_verdict verdict = JD_CONFORM_RIGHT;
    memset(out, 0, sizeof *out);
    if (w->ranks > JD_CONFORM_RANKS) {
        snprintf(out->text, sizeof out->text, "walks have up to 9 ranks");
        return JD_CONFORM_OPEN;
    }
    while (verdict == JD_CONFORM_RIGHT && out->walks < w->walks) {
        uint64_t left = w->walks - out->walks;
        struct jdi_walk_config c =
            chunk_of(s, &lens, w->ranks, w->sends, w->seed + out->walks);
        c.walks = left < JD_CONFORM_CHUNK ? left : JD_CONFORM_CHUNK;
        struct jdi_walk_result *r = jdi_walk_run(&c);
        add_chunk(out, c.seed, r);
        verdict = r->end == JDI_WALK_PASSED ? JD_CONFORM_RIGHT : JD_CONFORM_WRONG;
        jdi_walk_free(r);
    }
    return verdict;
}

struct jd_conform_run *jd_conform_walk_again(const struct jd_conform_subject *s,
                                             const struct jd_conform_walks *w,
                                             const struct jd_conform_walked *failed)
{
    struct jd_conform_run *run = new_run(s);
    struct jdi_walk_config c = chunk_of(s, &run->lens, w->ranks, w->sends, failed->chunk);
    c.seed = failed->seed;
    run->is_told = jdi_failure_of_walk(&run->failure, &c, failed->text);
    return run;
}

/* ---- virtual time -------------------------------------------------------------------- */

struct jd_conform_run *jd_conform_time_again(const struct jd_conform_subject *s,
                                             const struct jd_conform_load *load)
{
    struct jd_conform_run *run = new_run(s);
    run->load = *load;
    jdi_scale_play(s, run);
    return run;
}

/* ---- schedules and mutants ----------------------------------------------------------- */

const char *jd_conform_schedule_at(size_t i, const char **convicts)
{
    const struct jdi_counterexample *e = jdi_counterexample_at(i);
    if (!e)
        return NULL;
    *convicts = e->wrong->name;
    return e->script;
}

bool jd_conform_mutant_at(size_t i, struct jd_conform_mutant *out)
{
    const struct jdi_trial *t = jdi_trial_at(i);
    if (!t)
        return false;
    *out = (struct jd_conform_mutant){t->ops->name, t->what, t->number, t->walks};
    return true;
}

static enum jd_conform_verdict load_mutant(const struct jdi_trial *t, uint64_t seed,
                                           struct jd_conform_walked *out)
{
    const struct jd_conform_subject s = subject_of(t);
    struct jd_conform_timing timing;
    struct jd_conform_load load;
    enum jd_conform_verdict verdict = JD_CONFORM_RIGHT;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; verdict == JD_CONFORM_RIGHT && i < t->walks; i++) {
        if (!jd_conform_load_at(i, seed, &load))
            break;
        verdict = jd_conform_time(&s, &load, &timing);
        out->walks++;
        memcpy(out->text, timing.text, sizeof out->text);
    }
    return verdict;
}

enum jd_conform_verdict jd_conform_mutant_walk(size_t i, uint64_t seed,
                                               struct jd_conform_walked *out)
{
    const struct jdi_trial *t = jdi_trial_at(i);
    if (t->phases == 0)
        return load_mutant(t, seed, out);
    if (t->ranks == 0) {
        const struct jd_conform_subject s = subject_of(t);
        const struct jd_conform_walks walks = {.seed = seed, .walks = t->walks};
        return jd_conform_walk(&s, &walks, out);
    }
    struct jdi_walk_result *r = jdi_trial_run(t, seed);
    enum jd_conform_verdict verdict = jdi_trial_killed(r)         ? JD_CONFORM_WRONG
                                      : r->end == JDI_WALK_PASSED ? JD_CONFORM_RIGHT
                                                                  : JD_CONFORM_OPEN;
    memset(out, 0, sizeof *out);
    add_chunk(out, seed, r);
    jdi_walk_free(r);
    return verdict;
}
