/*
 * tdtest_find.c - see tools/tdtest.h.
 *
 * Role: a detector by name, or out of a shared object that somebody else has built.
 * Owner: one thread.
 * Invariants: I1 a loaded object is never unloaded: the process ends with it.
 * See: doc/jackdaw-tdtest.1.md; examples/detector.c.
 */
#include "tools/tdtest.h"

#include "core/nearest.h"
#include "termination/detector.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 64 };

static bool refuse(const char *name, const char *why)
{
    fprintf(stderr, "jackdaw-tdtest: %s: %s\n", name, why);
    return false;
}

static bool load(struct jd_conform_subject *out, const char *path)
{
    void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!so)
        return refuse(path, dlerror());
    const struct jdi_td_ops *ops = dlsym(so, "jackdaw_detector");
    if (!ops)
        return refuse(path, "no object jackdaw_detector in it");
    const char *missing = jd_conform_unfit(ops);
    if (missing)
        return refuse(path, missing);
    *out = (struct jd_conform_subject){.ops = ops, .max_failed = JD_CONFORM_MAX_FAILED};
    void *forget = dlsym(so, "jackdaw_detector_forget");
    if (forget)
        memcpy(&out->forget, &forget, sizeof forget);
    void *start = dlsym(so, "jackdaw_detector_start");
    if (start)
        memcpy(&out->start, &start, sizeof start);
    const struct jdi_td_limits *limits = dlsym(so, "jackdaw_detector_limits");
    if (limits) {
        out->max_failed = limits->failed;
        out->hops_per_rank = limits->hops;
        out->sent_per_rank = limits->sent;
    }
    return true;
}

static bool unknown(const char *name)
{
    const char *list[MOST_NAMES];
    struct jd_conform_mutant wrong;
    size_t n = 0;
    for (size_t i = 0; jd_conform_name_at(i); i++)
        list[n++] = jd_conform_name_at(i);
    for (size_t i = 0; n < MOST_NAMES && jd_conform_mutant_at(i, &wrong); i++)
        list[n++] = wrong.name;
    int near = jdi_nearest(name, list, n);
    fprintf(stderr, "jackdaw-tdtest: %s: no such detector; ", name);
    if (near >= 0)
        fprintf(stderr, "did you mean %s?\n", list[near]);
    else
        fprintf(stderr, "try --list; a file needs a slash in its name\n");
    return false;
}

/* Known-wrong ones can be asked for too: to see how a failure looks. */
bool tdtest_find(struct tdtest *t, const char *name)
{
    bool found = strchr(name, '/') ? load(&t->subject, name)
                                   : jd_conform_find(name, &t->subject) || unknown(name);
    if (found)
        t->name = jd_conform_name(&t->subject);
    t->argument = name;
    return found;
}

static bool is_right(const char *name)
{
    for (size_t i = 0; jd_conform_name_at(i); i++)
        if (strcmp(jd_conform_name_at(i), name) == 0)
            return true;
    return false;
}

void tdtest_list(FILE *out)
{
    struct jd_conform_mutant wrong;
    const char *last = "";
    fprintf(out, "detectors:\n");
    for (size_t i = 0; jd_conform_name_at(i); i++)
        fprintf(out, "  %s\n", jd_conform_name_at(i));
    fprintf(out, "known to be wrong:\n");
    for (size_t i = 0; jd_conform_mutant_at(i, &wrong); last = wrong.name, i++)
        if (!is_right(wrong.name) && strcmp(wrong.name, last) != 0)
            fprintf(out, "  %-24s %s\n", wrong.name, wrong.what);
}
