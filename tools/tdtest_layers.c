/*
 * tdtest_layers.c - see tools/tdtest.h.
 *
 * Role: the layers that look at single worlds: scripts, every small state, a replay, and the
 *       known-wrong detectors.
 * Owner: one thread; whatever may abort runs in a child.
 * Invariants: I1 of tools/tdtest.h.
 * See: conform/script.h, explore.h, trial.h there.
 */
#include "tools/tdtest.h"

#include "conform/codec_bytes.h"
#include "conform/counterexample.h"
#include "conform/failure.h"
#include "conform/trial.h"
#include "termination/find.h"

#include <stdlib.h>
#include <string.h>

enum { ERROR = 128 };

static struct jdi_failure *failure_for(const struct tdtest *t)
{
    struct jdi_failure *f = jdi_failure_new();
    f->config.ops = t->ops;
    f->config.lens = &t->lens;
    f->config.max_failed = t->max_failed;
    return f;
}

void tdtest_scripts(struct tdtest *t)
{
    for (size_t i = 0; jdi_counterexample_at(i); i++) {
        const struct jdi_counterexample *e = jdi_counterexample_at(i);
        struct jdi_failure *f = failure_for(t);
        char error[ERROR];
        bool good = jdi_failure_read(f, e->script, error, sizeof error);
        JD_CHECK(good);
        bool wrong = jdi_failure_play(f);
        tdtest_ok(t, !wrong, "%s survives what convicts %s", t->ops->name,
                  e->wrong->name);
        if (wrong)
            tdtest_explain(f->text, &f->trace, f->config.ranks);
        jdi_failure_free(f);
    }
}

bool tdtest_replay(struct tdtest *t)
{
    struct jdi_failure *f = failure_for(t);
    char error[ERROR];
    bool good = jdi_failure_read(f, t->replay, error, sizeof error);
    if (!good) {
        fprintf(stderr, "jackdaw-tdtest: --replay: %s\n", error);
    } else {
        bool wrong = jdi_failure_play(f);
        tdtest_ok(t, !wrong, "%s plays the schedule to its end", t->ops->name);
        tdtest_explain(wrong ? f->text : NULL, &f->trace, f->config.ranks);
    }
    jdi_failure_free(f);
    return good;
}

/* ---- every small state ------------------------------------------------------------------- */

struct size {
    unsigned ranks, arity, sends, phases;
};

static const struct size sizes[] = {{1, 2, 4, 1}, {1, 2, 2, 3}, {2, 2, 4, 1},
                                    {2, 2, 3, 3}, {3, 2, 4, 1}, {3, 1, 4, 1},
                                    {3, 2, 2, 2}, {4, 2, 3, 1}};

static bool wanted(const struct tdtest *t, unsigned ranks)
{
    bool any = t->nranks == 0;
    for (unsigned i = 0; i < t->nranks; i++)
        any |= t->ranks[i] == ranks;
    return any;
}

static void explore(struct tdtest *t, const struct size *s)
{
    const struct jdi_world_config c = {.ops = t->ops,
                                       .lens = &t->lens,
                                       .audit = t->lens.balance != NULL,
                                       .ranks = s->ranks,
                                       .arity = s->arity,
                                       .phases = s->phases,
                                       .sends = s->sends,
                                       .max_seeds = 1,
                                       .max_failed = t->max_failed,
                                       .one_bit_live = true,
                                       .no_stats = true};
    struct jdi_codec_bytes bytes;
    jdi_codec_bytes_init(&bytes, (unsigned)t->max_waves);
    const struct jdi_explore_codec *codec = t->codec ? t->codec : &bytes.codec;
    tdtest_progress(t, "exploring %u ranks, %u messages", s->ranks, s->sends);
    struct jdi_explore_result *r = jdi_explore_run(&c, codec, (uint32_t)t->max_states);
    char bound[48] = "";
    if (r->cut > 0)
        snprintf(bound, sizeof bound, ", up to %u failed waves", (unsigned)t->max_waves);
    if (r->end == JDI_EXPLORE_FULL)
        tdtest_skip(t,
                    r->states == r->limit ? "more states than --max-states" : "no time",
                    "%s: every state of %u ranks, arity %u, %u messages, %u phases",
                    t->ops->name, s->ranks, s->arity, s->sends, s->phases);
    else if (!tdtest_ok(
                 t, r->end == JDI_EXPLORE_COMPLETE,
                 "%s: every state of %u ranks, arity %u, %u messages, %u phases: %u "
                 "states, %llu steps%s",
                 t->ops->name, s->ranks, s->arity, s->sends, s->phases,
                 (unsigned)r->states, (unsigned long long)r->transitions, bound)) {
        jdi_explore_trace(r, &c, codec);
        tdtest_explain(r->text, &r->trace, s->ranks);
    }
    jdi_explore_free(r);
    jdi_codec_bytes_fini(&bytes);
}

void tdtest_exhaustive(struct tdtest *t)
{
    unsigned before = t->count;
    for (size_t i = 0; i < JDI_ARRAY_LEN(sizes); i++)
        if (wanted(t, sizes[i].ranks))
            explore(t, &sizes[i]);
    if (t->count == before)
        tdtest_skip(t, "there are sizes for 1 to 4 ranks", "%s: every state",
                    t->ops->name);
}

/* ---- the known-wrong ones ------------------------------------------------------------------ */

static void try_one(struct tdtest *t, const struct jdi_trial *trial)
{
    uint64_t sum = 0, most = 0, killed = 0;
    char text[sizeof((struct jdi_walk_result *)NULL)->text] = "";
    for (uint64_t i = 0; i < t->seeds; i++) {
        tdtest_progress(t, "%s, seed %llu", trial->ops->name, (unsigned long long)i);
        /* Far apart: a walk's seed is that of the first plus its number. */
        struct jdi_walk_result *r = jdi_trial_run(trial, t->seed + (i << 32));
        sum += r->walks;
        most = r->walks > most ? r->walks : most;
        killed += jdi_trial_killed(r);
        memcpy(text, r->text, sizeof text);
        jdi_walk_free(r);
    }
    tdtest_ok(t, killed == t->seeds,
              "%s%s%s: killed %llu of %llu times within %llu walks", trial->number,
              trial->number[0] ? ". " : "", trial->what, (unsigned long long)killed,
              (unsigned long long)t->seeds, (unsigned long long)trial->walks);
    tdtest_say("%10.1f walks on average, %llu at most; %s",
               (double)sum / (double)t->seeds, (unsigned long long)most, text);
}

void tdtest_mutants(struct tdtest *t)
{
    for (size_t i = 0; jdi_trial_at(i); i++)
        try_one(t, jdi_trial_at(i));
}
