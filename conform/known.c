/*
 * known.c - see known.h.
 *
 * Role: the table, accessors to the states of all but francez, and `credit` with exponents so
 *       small that every small world contains its step on underflow.
 * Owner: nobody.
 * Invariants: I1 of known.h.
 * See: known.h; lens_francez.c for francez.
 */
#include "conform/known.h"

#include "conform/borrow.h"
#include "conform/codec_francez.h"
#include "conform/lens_francez.h"
#include "termination/credit_td.h"
#include "termination/diffuse_td.h"
#include "termination/find.h"
#include "termination/fourcounter.h"
#include "termination/safra.h"

#include <string.h>

/* ---- safra: only the difference of the counters matters ------------------------------- */

static int64_t safra_balance(const void *td, uint32_t phase)
{
    const struct jdi_safra *f = td;
    return f->slot[phase & 1].sent - f->slot[phase & 1].recv;
}

static void safra_forget(void *td)
{
    struct jdi_safra *f = td;
    memset(&f->figures, 0, sizeof f->figures);
    f->futile = 0;
    struct jdi_safra_slot *s = &f->slot[f->phase & 1];
    /* recv > 0 is checked of a black rank, and equals held before the phase is entered. */
    if (f->open) {
        int64_t balance = s->sent - s->recv;
        s->recv = balance > 0 ? 1 : 1 - balance;
        s->sent = s->recv + balance;
    }
    if (!s->token) {
        s->token_sum = 0;
        s->token_black = false;
    }
}

static const struct jdi_world_lens lens_safra = {.balance = safra_balance,
                                                 .forget = safra_forget};

/* ---- fourcounter ------------------------------------------------------------------------ */

static int64_t fourcounter_balance(const void *td, uint32_t phase)
{
    const struct jdi_fourcounter *f = td;
    return (int64_t)(f->slot[phase & 1].sent - f->slot[phase & 1].recv);
}

static void fourcounter_forget(void *td)
{
    struct jdi_fourcounter *f = td;
    memset(&f->figures, 0, sizeof f->figures);
    f->futile = 0;
}

static const struct jdi_world_lens lens_fourcounter = {.balance = fourcounter_balance,
                                                       .forget = fourcounter_forget};

/* ---- diffuse ---------------------------------------------------------------------------- */

static void diffuse_forget(void *td)
{
    struct jdi_diffuse_td *f = td;
    memset(&f->figures, 0, sizeof f->figures);
    f->scope.sent = 0;
    if (!f->scope.engaged)
        f->scope.home = 0;
}

static const struct jdi_world_lens lens_diffuse = {.forget = diffuse_forget};

/* ---- credit ----------------------------------------------------------------------------- */

static void credit_forget(void *td)
{
    struct jdi_credit_td *f = td;
    memset(&f->figures, 0, sizeof f->figures);
    f->scope.sent = f->scope.steps = 0;
    if (!f->scope.engaged)
        f->scope.home = 0;
}

static const struct jdi_world_lens lens_credit = {.forget = credit_forget};

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
                                              .size = sizeof(struct jdi_credit_td),      \
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
    {&jdi_td_safra, &lens_safra, 2, NULL},
    {&jdi_td_fourcounter, &lens_fourcounter, 2, NULL},
    {&jdi_td_diffuse, &lens_diffuse, 0, NULL},
    {&jdi_td_credit, &lens_credit, 0, NULL},
    {&credit1, &lens_credit, 0, NULL},
    {&credit0, &lens_credit, 0, NULL},
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
