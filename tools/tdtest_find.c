/*
 * tdtest_find.c - see tools/tdtest.h.
 *
 * Role: a detector by name, or out of a shared object that somebody else has built.
 * Owner: one thread.
 * Invariants: I1 a loaded object is never unloaded: the process ends with it.
 * See: doc/jackdaw-tdtest.1.md; examples/detector.c.
 */
#include "tools/tdtest.h"

#include "conform/known.h"
#include "conform/trial.h"
#include "core/nearest.h"
#include "termination/find.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 64 };

static bool refuse(const char *name, const char *why)
{
    fprintf(stderr, "jackdaw-tdtest: %s: %s\n", name, why);
    return false;
}

static const char *what_is_missing(const struct jdi_td_ops *ops)
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

static bool load(struct tdtest *t, const char *path)
{
    void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!so)
        return refuse(path, dlerror());
    t->ops = dlsym(so, "jackdaw_detector");
    if (!t->ops)
        return refuse(path, "no object jackdaw_detector in it");
    const char *missing = what_is_missing(t->ops);
    if (missing)
        return refuse(path, missing);
    void *forget = dlsym(so, "jackdaw_detector_forget");
    if (forget)
        memcpy(&t->lens.forget, &forget, sizeof forget);
    return true;
}

/* Known-wrong ones can be asked for too: to see how a failure looks. */
static const struct jdi_trial *trial_of(const char *name)
{
    for (size_t i = 0; jdi_trial_at(i); i++)
        if (strcmp(jdi_trial_at(i)->ops->name, name) == 0)
            return jdi_trial_at(i);
    return NULL;
}

static bool unknown(const char *name)
{
    const char *list[MOST_NAMES];
    size_t n = 0;
    for (size_t i = 0; jdi_known_at(i); i++)
        list[n++] = jdi_known_at(i)->ops->name;
    for (size_t i = 0; jdi_trial_at(i) && n < MOST_NAMES; i++)
        list[n++] = jdi_trial_at(i)->ops->name;
    int near = jdi_nearest(name, list, n);
    fprintf(stderr, "jackdaw-tdtest: %s: no such detector; ", name);
    if (near >= 0)
        fprintf(stderr, "did you mean %s?\n", list[near]);
    else
        fprintf(stderr, "try --list; a file needs a slash in its name\n");
    return false;
}

bool tdtest_find(struct tdtest *t, const char *name)
{
    if (strchr(name, '/'))
        return load(t, name);
    const struct jdi_known *k = jdi_known_find(name);
    if (k) {
        t->ops = k->ops;
        t->lens = *k->lens;
        t->codec = k->codec;
        t->max_failed = k->max_failed;
        return true;
    }
    const struct jdi_trial *wrong = trial_of(name);
    if (!wrong)
        return unknown(name);
    t->ops = wrong->ops;
    return true;
}

void tdtest_list(FILE *out)
{
    const struct jdi_td_ops *last = NULL;
    fprintf(out, "detectors:\n");
    for (size_t i = 0; jdi_known_at(i); i++)
        fprintf(out, "  %s\n", jdi_known_at(i)->ops->name);
    fprintf(out, "known to be wrong:\n");
    for (size_t i = 0; jdi_trial_at(i); last = jdi_trial_at(i++)->ops)
        if (!jdi_td_find(jdi_trial_at(i)->ops->name) && jdi_trial_at(i)->ops != last)
            fprintf(out, "  %-24s %s\n", jdi_trial_at(i)->ops->name,
                    jdi_trial_at(i)->what);
}
