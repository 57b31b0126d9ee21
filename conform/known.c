/*
 * known.c - the table of detectors.
 *
 * Role: also `credit` with exponents so small that every small world contains its step on
 *       underflow.
 * See: known.h, lens.h.
 */
#include "conform/known.h"

#include "conform/borrow.h"
#include "conform/codec_francez.h"
#include "conform/lens.h"
#include "termination/credit_td.h"
#include "termination/find.h"

#include <string.h>

/* With exponents up to 1 and 0 nearly every export is an underflow, or every one. */
#define PASS_ON(name, exponent)                                                          \
    static void name##_init(void *td, const struct jdi_td_config *c,                     \
                            const struct jdi_td_env *env)                                \
    {                                                                                    \
        jdi_credit_td_init(td, c, env, exponent);                                        \
    }
PASS_ON(credit1, 1)
PASS_ON(credit0, 0)

JDI_BORROW(small, jdi_td_credit)

#define SMALL(variant)                                                                   \
    static const struct jdi_td_ops variant = {.name = #variant,                          \
                                              .size = sizeof(struct jdi_rooted_td),      \
                                              .version = JDI_TD_VERSION,                 \
                                              .init = variant##_init,                    \
                                              .enter = small_enter,                      \
                                              .exported = small_exported,                \
                                              .imported = small_imported,                \
                                              .message = small_message,                  \
                                              .step = small_step,                        \
                                              .figures = small_figures,                  \
                                              .check = small_check};
SMALL(credit1)
SMALL(credit0)

static const struct jdi_known table[] = {
    {&jdi_td_francez, &jdi_lens_francez, 1, &jdi_codec_francez},
    {&jdi_td_safra, &jdi_lens_safra, 2, NULL},
    {&jdi_td_fourcounter, &jdi_lens_fourcounter, 2, NULL},
    {&jdi_td_diffuse, &jdi_lens_diffuse, 0, NULL},
    {&jdi_td_credit, &jdi_lens_credit, 0, NULL},
    {&credit1, &jdi_lens_credit, 0, NULL},
    {&credit0, &jdi_lens_credit, 0, NULL},
};

const struct jdi_known *jdi_known_at(size_t i)
{
    return i < JDI_ARRAY_LEN(table) ? &table[i] : NULL;
}

const struct jdi_known *jdi_known_of(const struct jdi_td_ops *ops)
{
    for (size_t i = 0; i < JDI_ARRAY_LEN(table); i++)
        if (table[i].ops == ops)
            return &table[i];
    return NULL;
}

const struct jdi_known *jdi_known_find(const char *name)
{
    for (size_t i = 0; i < JDI_ARRAY_LEN(table); i++)
        if (strcmp(table[i].ops->name, name) == 0)
            return &table[i];
    return NULL;
}
