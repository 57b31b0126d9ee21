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

/* How far a search has come: so many messages, so many waves that fail. */
struct effort {
    struct jd_conform_world w;
    struct jd_conform_states found;
    enum jd_conform_verdict verdict;
    double growth; /* of the states, from the effort before to this one */
};

/* A world is searched with more and more, as far as the states will fit. */
enum { FIRST_WAVES = 1, LEAST_GROWTH = 3 };

static bool wanted(const struct tdtest *t, uint64_t ranks)
{
    bool any = t->nranks == 0;
    for (unsigned i = 0; i < t->nranks; i++)
        any |= t->ranks[i] == ranks;
    return any;
}

static void search(const struct tdtest *t, struct effort *e)
{
    uint32_t before = e->found.states;
    jd_conform_run_free(e->found.run);
    e->verdict = jd_conform_explore(&t->subject, &e->w, &e->found);
    double growth = before > 0 ? (double)e->found.states / before : LEAST_GROWTH;
    e->growth = growth > LEAST_GROWTH ? growth : LEAST_GROWTH;
}

/* More of one thing, if there is room for what it will lead to; false if there is not. */
static bool go_on(const struct tdtest *t, struct effort *e, unsigned *what)
{
    if (e->verdict != JD_CONFORM_RIGHT)
        return false;
    if (e->found.states * e->growth > (double)t->max_states)
        return false;
    struct effort more = *e;
    more.found.run = NULL;
    ++*what;
    more.w = e->w;
    search(t, &more);
    if (more.verdict == JD_CONFORM_OPEN)
        return false;
    *e = more;
    return true;
}

/* Two messages less at first, then one; the same with waves, if it needs to be told. */
static void search_by_steps(const struct tdtest *t, struct effort *e, unsigned messages)
{
    bool more = true;
    e->w.messages = messages > 2 ? messages - 2 : 1;
    e->w.max_waves = t->has_max_waves ? (unsigned)t->max_waves : FIRST_WAVES;
    search(t, e);
    while (more && e->w.messages < messages) {
        unsigned before = e->w.messages;
        more = go_on(t, e, &e->w.messages);
        if (!more)
            e->w.messages = before;
    }
    while (more && e->found.cut > 0 && e->w.max_waves < t->max_waves) {
        unsigned before = e->w.max_waves;
        more = go_on(t, e, &e->w.max_waves);
        if (!more)
            e->w.max_waves = before;
    }
}

static void explore(struct tdtest *t, const struct jd_conform_world *size)
{
    struct effort e = {.w = *size};
    char what[128], bound[48] = "";
    e.w.max_states = (uint32_t)t->max_states;
    e.w.max_waves = (unsigned)t->max_waves;
    if (t->sends > 0) {
        e.w.messages = (unsigned)t->sends;
        search(t, &e);
    } else {
        search_by_steps(t, &e, size->messages);
    }
    snprintf(what, sizeof what,
             "%s: every state of %u ranks, arity %u, %u messages, %u phases", t->name,
             e.w.ranks, e.w.arity, e.w.messages, e.w.phases);
    if (e.found.cut > 0)
        snprintf(bound, sizeof bound, ", up to %u failed waves", e.w.max_waves);
    if (e.verdict == JD_CONFORM_OPEN)
        tdtest_undecided(t,
                         e.found.states == e.w.max_states
                             ? "more states than --max-states"
                             : e.found.text,
                         "%s", what);
    else if (!tdtest_ok(t, e.verdict == JD_CONFORM_RIGHT, "%s: %u states, %llu steps%s",
                        what, (unsigned)e.found.states, (unsigned long long)e.found.steps,
                        bound))
        tdtest_accuse(t, e.found.run);
    jd_conform_run_free(e.found.run);
}

static void explore_job(struct tdtest *t, unsigned job)
{
    for (size_t i = 0; jd_conform_world_at(i); i++)
        if (wanted(t, jd_conform_world_at(i)->ranks) && job-- == 0)
            explore(t, jd_conform_world_at(i));
}

void tdtest_exhaustive(struct tdtest *t)
{
    unsigned jobs = 0;
    for (size_t i = 0; jd_conform_world_at(i); i++)
        jobs += wanted(t, jd_conform_world_at(i)->ranks);
    if (jobs == 0)
        tdtest_undecided(t, "there are sizes for 1 to 4 ranks", "%s: every state",
                         t->name);
    /* The last ones take longest. */
    tdtest_each(t, jobs, true, explore_job);
}

/* ---- the known-wrong ones ------------------------------------------------------------------ */

static void try_one(struct tdtest *t, unsigned i)
{
    struct jd_conform_mutant mutant, *m = &mutant;
    jd_conform_mutant_at(i, m);
    uint64_t sum = 0, most = 0, killed = 0;
    struct jd_conform_walked walked = {.text = ""};
    for (uint64_t seed = 0; seed < t->seeds; seed++) {
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
    unsigned jobs = 0;
    while (jd_conform_mutant_at(jobs, &mutant))
        jobs++;
    tdtest_each(t, jobs, false, try_one);
}
