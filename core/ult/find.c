/*
 * find.c - the engines that are built in.
 *
 * Role: finds an engine by its name, or the default; the table is constant.
 * Invariants: I1 a name that is not built in gives NULL, never another engine.
 * See: ult.h; configure's --with-ult.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "core/ult/ult.h"

#include <string.h>

#ifndef JDI_DEFAULT_ENGINE
#define JDI_DEFAULT_ENGINE "boost"
#endif

static const struct jdi_ult_ops *const engines[] = {
#ifdef JDI_HAVE_ARGOBOTS
    &jdi_ult_argobots,
#endif
    &jdi_ult_boost,
};

const struct jdi_ult_ops *jdi_ult_find(const char *name)
{
    if (!name)
        name = JDI_DEFAULT_ENGINE;
    for (size_t i = 0; i < JDI_ARRAY_LEN(engines); i++)
        if (!strcmp(engines[i]->name, name))
            return engines[i];
    return NULL;
}
