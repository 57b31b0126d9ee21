/*
 * mutants_rooted.c - what is wrong with diffuse and credit.
 *
 * Role: operations in place of those of diffuse and credit, which change its state before or
 *       after the right one has run.
 * See: mutants_rooted.h; termination/rooted_td.h, termination/credit_td.h.
 */
#include "conform/mutants_rooted.h"

#include "conform/borrow.h"
#include "termination/credit_td.h"
#include "termination/find.h"

JDI_BORROW(right_diffuse, jdi_td_diffuse)
JDI_BORROW(right_credit, jdi_td_credit)

static void rooted_unchecked(const void *td)
{
    (void)td;
}

/* ---- diffuse ---------------------------------------------------------------------------- */

static uint64_t diffuse_step_let_go(void *td, uint64_t now)
{
    struct jdi_rooted_td *f = td;
    uint64_t deficit = f->rooted.debt;
    uint32_t phase = f->phase;
    f->rooted.debt = 0;
    uint64_t wake = jdi_td_diffuse.step(td, now);
    if (f->phase == phase)
        f->rooted.debt = deficit;
    return wake;
}

/* The last sender becomes the engager, and who was is answered: two ranks may wait for each
 * other, and the root for neither. */
static bool diffuse_import_anew(void *td, struct jdi_td_stamp stamp)
{
    struct jdi_rooted_td *f = td;
    struct jdi_rooted *s = &f->rooted;
    uint32_t src = stamp.wave;
    bool anew =
        stamp.phase == f->phase && s->engaged && !jdi_rooted_is_root(s) && src != s->rank;
    if (anew)
        stamp.wave = s->home;
    bool open = jdi_td_diffuse.imported(td, stamp);
    if (anew)
        s->home = src;
    return open;
}

/* ---- credit, with so small an exponent that weights underflow ------------------------------ */

static void credit_init_small(void *td, const struct jdi_td_config *c,
                              const struct jdi_td_env *env)
{
    jdi_credit_td_init(td, c, env, 1);
}

static bool always(void *ctx)
{
    (void)ctx;
    return true;
}

static void credit_init_busy(void *td, const struct jdi_td_config *c,
                             const struct jdi_td_env *env)
{
    struct jdi_td_env wrong = *env;
    wrong.idle = always;
    jdi_td_credit.init(td, c, &wrong);
}

/* Weight of another giver is taken for that of the home. */
static bool credit_import_foreign(void *td, struct jdi_td_stamp stamp)
{
    struct jdi_rooted_td *f = td;
    const struct jdi_rooted *s = &f->rooted;
    if (stamp.phase == f->phase && s->engaged && s->rank != s->root &&
        stamp.wave >> 8 != s->rank)
        stamp.wave = s->home << 8 | (stamp.wave & 255);
    return jdi_td_credit.imported(td, stamp);
}

/* A giver that is not the root lets go before its own credit has come back. */
static uint64_t credit_step_debt(void *td, uint64_t now)
{
    struct jdi_rooted_td *f = td;
    uint64_t debt = f->rooted.debt;
    uint32_t phase = f->phase;
    if (f->rooted.rank != f->rooted.root)
        f->rooted.debt = 0;
    uint64_t wake = jdi_td_credit.step(td, now);
    if (f->phase == phase && f->rooted.rank != f->rooted.root)
        f->rooted.debt = debt;
    return wake;
}

/* No step on underflow: the last unit goes, and the rank has tasks without weight. */
static struct jdi_td_stamp credit_export_last(void *td)
{
    struct jdi_rooted_td *f = td;
    struct jdi_rooted *s = &f->rooted;
    if (s->rank == s->root || s->weight > 1)
        return jdi_td_credit.exported(td);
    uint8_t e = s->weight ? s->max_exponent : 0;
    s->weight = 0;
    return (struct jdi_td_stamp){f->phase, s->home << 8 | e};
}

/* ---- the ops ---------------------------------------------------------------------------- */

#define OPS(mutant, bytes, init_fn, enter_fn, export_fn, import_fn, message_fn, step_fn, \
            figures_fn)                                                                  \
    const struct jdi_td_ops jdi_mutant_##mutant = {.name = #mutant,                      \
                                                   .size = bytes,                        \
                                                   .version = JDI_TD_VERSION,            \
                                                   .init = init_fn,                      \
                                                   .enter = enter_fn,                    \
                                                   .exported = export_fn,                \
                                                   .imported = import_fn,                \
                                                   .message = message_fn,                \
                                                   .step = step_fn,                      \
                                                   .figures = figures_fn,                \
                                                   .check = rooted_unchecked};
OPS(diffuse_deficit, sizeof(struct jdi_rooted_td), right_diffuse_init,
    right_diffuse_enter, right_diffuse_exported, right_diffuse_imported,
    right_diffuse_message, diffuse_step_let_go, right_diffuse_figures)
OPS(diffuse_anew, sizeof(struct jdi_rooted_td), right_diffuse_init, right_diffuse_enter,
    right_diffuse_exported, diffuse_import_anew, right_diffuse_message,
    right_diffuse_step, right_diffuse_figures)
#define CREDIT(mutant, init_fn, export_fn, import_fn, step_fn)                           \
    OPS(mutant, sizeof(struct jdi_rooted_td), init_fn, right_credit_enter, export_fn,    \
        import_fn, right_credit_message, step_fn, right_credit_figures)
CREDIT(credit_busy, credit_init_busy, right_credit_exported, right_credit_imported,
       right_credit_step)
CREDIT(credit_foreign, credit_init_small, right_credit_exported, credit_import_foreign,
       right_credit_step)
CREDIT(credit_debt, credit_init_small, right_credit_exported, right_credit_imported,
       credit_step_debt)
CREDIT(credit_last_unit, credit_init_small, credit_export_last, right_credit_imported,
       right_credit_step)
