/*
 * tdtest_layers.c - see tools/tdtest.h.
 *
 * Role: the layers that look at single worlds: scripts, every small state, a replay, and the
 *       known-wrong detectors.
 * Invariants: I1 of tools/tdtest.h.
 * See: conform/conform.h.
 */
#include "tools/tdtest.h"

enum { ERROR = 128 };

void tdtest_scripts(struct tdtest *t)
{
    const char *script, *convicted, *text;
    for (size_t i = 0; (script = jd_conform_schedule_at(i, &convicted)); i++) {
        char error[ERROR];
        struct jd_conform_run *run =
            jd_conform_replay(&t->subject, script, error, sizeof error);
        JD_CHECK(run != NULL);
        text = jd_conform_run_text(run);
        if (!tdtest_ok(t, !text[0], "%s survives what convicts %s", t->name, convicted))
            tdtest_explain(run);
        jd_conform_run_free(run);
    }
}

bool tdtest_replay(struct tdtest *t)
{
    char error[ERROR];
    struct jd_conform_run *run =
        jd_conform_replay(&t->subject, t->replay, error, sizeof error);
    if (!run) {
        fprintf(stderr, "jackdaw-tdtest: --replay: %s\n", error);
        return false;
    }
    tdtest_ok(t, !jd_conform_run_text(run)[0], "%s plays the schedule to its end",
              t->name);
    tdtest_explain(run);
    jd_conform_run_free(run);
    return true;
}

/* ---- every small state ------------------------------------------------------------------- */

static bool wanted(const struct tdtest *t, unsigned ranks)
{
    bool any = t->nranks == 0;
    for (unsigned i = 0; i < t->nranks; i++)
        any |= t->ranks[i] == ranks;
    return any;
}

static void explore(struct tdtest *t, const struct jd_conform_world *size)
{
    struct jd_conform_world w = *size;
    struct jd_conform_states found;
    char what[128], bound[48] = "";
    w.max_waves = (unsigned)t->max_waves;
    w.max_states = (uint32_t)t->max_states;
    tdtest_progress(t, "exploring %u ranks, %u messages", w.ranks, w.messages);
    enum jd_conform_verdict verdict = jd_conform_explore(&t->subject, &w, &found);
    snprintf(what, sizeof what,
             "%s: every state of %u ranks, arity %u, %u messages, %u phases", t->name,
             w.ranks, w.arity, w.messages, w.phases);
    if (found.cut > 0)
        snprintf(bound, sizeof bound, ", up to %u failed waves", w.max_waves);
    if (verdict == JD_CONFORM_OPEN)
        tdtest_skip(
            t, found.states == w.max_states ? "more states than --max-states" : "no time",
            "%s", what);
    else if (!tdtest_ok(t, verdict == JD_CONFORM_RIGHT, "%s: %u states, %llu steps%s",
                        what, (unsigned)found.states, (unsigned long long)found.steps,
                        bound))
        tdtest_explain(found.run);
    jd_conform_run_free(found.run);
}

void tdtest_exhaustive(struct tdtest *t)
{
    unsigned before = t->count;
    for (size_t i = 0; jd_conform_world_at(i); i++)
        if (wanted(t, jd_conform_world_at(i)->ranks))
            explore(t, jd_conform_world_at(i));
    if (t->count == before)
        tdtest_skip(t, "there are sizes for 1 to 4 ranks", "%s: every state", t->name);
}

/* ---- the known-wrong ones ------------------------------------------------------------------ */

static void try_one(struct tdtest *t, size_t i, const struct jd_conform_mutant *m)
{
    uint64_t sum = 0, most = 0, killed = 0;
    struct jd_conform_walked walked = {.text = ""};
    for (uint64_t seed = 0; seed < t->seeds; seed++) {
        tdtest_progress(t, "%s, seed %llu", m->name, (unsigned long long)seed);
        /* Far apart: a walk's seed is that of the first plus its number. */
        killed += jd_conform_mutant_walk(i, t->seed + (seed << 32), &walked) ==
                  JD_CONFORM_WRONG;
        sum += walked.walks;
        most = walked.walks > most ? walked.walks : most;
    }
    tdtest_ok(t, killed == t->seeds,
              "%s%s%s: killed %llu of %llu times within %llu walks", m->number,
              m->number[0] ? ". " : "", m->what, (unsigned long long)killed,
              (unsigned long long)t->seeds, (unsigned long long)m->walks);
    tdtest_say("%10.1f walks on average, %llu at most; %s",
               (double)sum / (double)t->seeds, (unsigned long long)most, walked.text);
}

void tdtest_mutants(struct tdtest *t)
{
    struct jd_conform_mutant mutant;
    for (size_t i = 0; jd_conform_mutant_at(i, &mutant); i++)
        try_one(t, i, &mutant);
}
