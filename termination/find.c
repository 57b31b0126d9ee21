/*
 * find.c - the table of detectors.
 *
 * Role: a new detector of collections gets its row here.
 * Owner: nobody; constant.
 * Invariants: I1 and I2 of find.h.
 * See: termination/find.h; core/knobs.def (DETECTOR).
 */
#include "termination/find.h"

#include "core/base.h"

#include <string.h>

static const struct jdi_td_ops *const detectors[] = {
    &jdi_td_francez, &jdi_td_safra, &jdi_td_fourcounter, &jdi_td_diffuse, &jdi_td_credit};

const struct jdi_td_ops *jdi_td_find_at(size_t i)
{
    return i < JDI_ARRAY_LEN(detectors) ? detectors[i] : NULL;
}

const struct jdi_td_ops *jdi_td_find(const char *name)
{
    for (size_t i = 0; i < JDI_ARRAY_LEN(detectors); i++)
        if (strcmp(detectors[i]->name, name) == 0)
            return detectors[i];
    return NULL;
}
