/*
 * mutants_others.c - see mutants_others.h.
 *
 * Role: the references behind operations that spoil their states, and detectors that are
 *       wrong from the ground up.
 * Owner: the test.
 * Invariants: I1 of mutants_francez.h.
 * See: mutants_others.h; termination/safra.h, fourcounter.h, diffuse_td.h, credit_td.h there.
 */
#include "conform/mutants_others.h"

#include "termination/credit_td.h"
#include "termination/diffuse_td.h"
#include "termination/find.h"
#include "termination/fourcounter.h"
#include "termination/francez.h"
#include "termination/safra.h"

#include <string.h>

static void no_check(const void *td)
{
    (void)td;
}

/* ---- safra ------------------------------------------------------------------------------ */

static struct jdi_safra_slot *safra_slot(struct jdi_safra *f)
{
    return &f->slot[f->phase & 1];
}

static uint64_t safra_step_uncounted(void *td, uint64_t now)
{
    struct jdi_safra_slot *s = safra_slot(td);
    s->sent = s->recv;
    return jdi_td_safra.step(td, now);
}

static struct jdi_td_stamp safra_export_black(void *td)
{
    safra_slot(td)->black = true;
    return jdi_td_safra.exported(td);
}

static bool safra_import_white(void *td, struct jdi_td_stamp stamp)
{
    struct jdi_safra *f = td;
    struct jdi_safra_slot *s = &f->slot[stamp.phase & 1];
    bool black = s->black, open = jdi_td_safra.imported(td, stamp);
    s->black = black;
    return open;
}

static uint64_t safra_step_own_colour(void *td, uint64_t now)
{
    safra_slot(td)->token_black = false;
    return jdi_td_safra.step(td, now);
}

static void safra_token_whitens(void *td, uint32_t src, const struct jdi_td_msg *m)
{
    struct jdi_safra *f = td;
    if (m->type == JDI_TD_TOKEN)
        f->slot[m->phase & 1].black = false;
    jdi_td_safra.message(td, src, m);
}

static uint64_t safra_step_white_root(void *td, uint64_t now)
{
    struct jdi_safra *f = td;
    if (f->rank == 0)
        safra_slot(f)->black = false;
    return jdi_td_safra.step(td, now);
}

/* ---- fourcounter ------------------------------------------------------------------------ */

static struct jdi_fourcounter_slot *counter_slot(struct jdi_fourcounter *f)
{
    return &f->slot[f->phase & 1];
}

/* What was before is as if it were now. */
static void pretend(struct jdi_fourcounter *f)
{
    f->sent_before = f->recv_before = counter_slot(f)->kids_sent + counter_slot(f)->sent;
}

static uint64_t fourcounter_step_one_wave(void *td, uint64_t now)
{
    struct jdi_fourcounter *f = td;
    struct jdi_fourcounter_slot *s = counter_slot(f);
    f->has_before = s->kids_sent + s->sent == s->kids_recv + s->recv;
    pretend(f);
    return jdi_td_fourcounter.step(td, now);
}

static uint64_t fourcounter_step_zero_twice(void *td, uint64_t now)
{
    struct jdi_fourcounter *f = td;
    struct jdi_fourcounter_slot *s = counter_slot(f);
    if (s->kids_in == f->nkids && f->has_before && f->sent_before == f->recv_before &&
        s->kids_sent + s->sent == s->kids_recv + s->recv)
        pretend(f);
    return jdi_td_fourcounter.step(td, now);
}

static uint64_t fourcounter_step_hidden(void *td, uint64_t now)
{
    struct jdi_fourcounter *f = td;
    struct jdi_fourcounter_slot *s = counter_slot(f);
    uint64_t sent = s->sent, recv = s->recv;
    uint32_t phase = f->phase;
    bool hidden = f->rank > 0 && f->nkids > 0;
    if (hidden)
        s->sent = s->recv = 0;
    uint64_t wake = jdi_td_fourcounter.step(td, now);
    if (hidden && f->phase == phase) {
        s->sent = sent;
        s->recv = recv;
    }
    return wake;
}

/* ---- diffuse ---------------------------------------------------------------------------- */

static uint64_t diffuse_step_let_go(void *td, uint64_t now)
{
    struct jdi_diffuse_td *f = td;
    uint64_t deficit = f->scope.debt;
    uint32_t phase = f->phase;
    f->scope.debt = 0;
    uint64_t wake = jdi_td_diffuse.step(td, now);
    if (f->phase == phase)
        f->scope.debt = deficit;
    return wake;
}

/* The last sender becomes the engager, and who was is answered: two ranks may wait for each
 * other, and the root for neither. */
static bool diffuse_import_anew(void *td, struct jdi_td_stamp stamp)
{
    struct jdi_diffuse_td *f = td;
    struct jdi_scope *s = &f->scope;
    uint32_t src = stamp.wave;
    bool anew =
        stamp.phase == f->phase && s->engaged && !jdi_scope_is_root(s) && src != s->rank;
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
    struct jdi_credit_td *f = td;
    const struct jdi_scope *s = &f->scope;
    if (stamp.phase == f->phase && s->engaged && s->rank != s->root &&
        stamp.wave >> 8 != s->rank)
        stamp.wave = s->home << 8 | (stamp.wave & 255);
    return jdi_td_credit.imported(td, stamp);
}

/* A giver that is not the root lets go before its own credit has come back. */
static uint64_t credit_step_debt(void *td, uint64_t now)
{
    struct jdi_credit_td *f = td;
    uint64_t debt = f->scope.debt;
    uint32_t phase = f->phase;
    if (f->scope.rank != f->scope.root)
        f->scope.debt = 0;
    uint64_t wake = jdi_td_credit.step(td, now);
    if (f->phase == phase && f->scope.rank != f->scope.root)
        f->scope.debt = debt;
    return wake;
}

/* No step on underflow: the last unit goes, and the rank has tasks without weight. */
static struct jdi_td_stamp credit_export_last(void *td)
{
    struct jdi_credit_td *f = td;
    struct jdi_scope *s = &f->scope;
    if (s->rank == s->root || s->weight > 1)
        return jdi_td_credit.exported(td);
    uint8_t e = s->weight ? s->max_exponent : 0;
    s->weight = 0;
    return (struct jdi_td_stamp){f->phase, s->home << 8 | e};
}

/* ---- from nothing ------------------------------------------------------------------------- */

static uint64_t step_never(void *td, uint64_t now)
{
    (void)td;
    (void)now;
    return JDI_TD_NEVER;
}

struct lone {
    struct jdi_td_env env;
    uint32_t phase, sent, recv;
    bool open, counts;
};

static void lone_init(void *td, const struct jdi_td_config *c,
                      const struct jdi_td_env *env)
{
    struct lone *l = td;
    (void)c;
    memset(l, 0, sizeof *l);
    l->env = *env;
    l->phase = 1;
}

static void lone_init_counts(void *td, const struct jdi_td_config *c,
                             const struct jdi_td_env *env)
{
    struct lone *l = td;
    lone_init(td, c, env);
    l->counts = true;
}

static void lone_enter(void *td, uint32_t phase)
{
    struct lone *l = td;
    l->phase = phase;
    l->open = true;
}

static struct jdi_td_stamp lone_exported(void *td)
{
    struct lone *l = td;
    l->sent++;
    return (struct jdi_td_stamp){l->phase, 0};
}

static bool lone_imported(void *td, struct jdi_td_stamp stamp)
{
    struct lone *l = td;
    l->recv++;
    return l->open && stamp.phase == l->phase;
}

static void lone_message(void *td, uint32_t src, const struct jdi_td_msg *m)
{
    (void)td;
    (void)src;
    (void)m;
}

static uint64_t lone_step(void *td, uint64_t now)
{
    struct lone *l = td;
    const uint64_t none[JDI_TD_STATS] = {0};
    (void)now;
    if (l->open && l->env.idle(l->env.ctx) && (!l->counts || l->sent == l->recv)) {
        l->open = false;
        l->env.announce(l->env.ctx, l->phase++, none);
    }
    return JDI_TD_NEVER;
}

static void lone_figures(const void *td, struct jdi_td_figures *out)
{
    (void)td;
    memset(out, 0, sizeof *out);
}

/* ---- the ops -------------------------------------------------------------------------------- */

/* An initialiser may not read jdi_td_*.init, so each operation is passed on by a function. */
#define PASS_ON(right)                                                                   \
    static void right##_init(void *td, const struct jdi_td_config *c,                    \
                             const struct jdi_td_env *env)                               \
    {                                                                                    \
        jdi_td_##right.init(td, c, env);                                                 \
    }                                                                                    \
    static void right##_enter(void *td, uint32_t phase)                                  \
    {                                                                                    \
        jdi_td_##right.enter(td, phase);                                                 \
    }                                                                                    \
    static struct jdi_td_stamp right##_exported(void *td)                                \
    {                                                                                    \
        return jdi_td_##right.exported(td);                                              \
    }                                                                                    \
    static bool right##_imported(void *td, struct jdi_td_stamp stamp)                    \
    {                                                                                    \
        return jdi_td_##right.imported(td, stamp);                                       \
    }                                                                                    \
    static void right##_message(void *td, uint32_t src, const struct jdi_td_msg *m)      \
    {                                                                                    \
        jdi_td_##right.message(td, src, m);                                              \
    }                                                                                    \
    static void right##_figures(const void *td, struct jdi_td_figures *out)              \
    {                                                                                    \
        jdi_td_##right.figures(td, out);                                                 \
    }
PASS_ON(francez)
PASS_ON(safra)
PASS_ON(fourcounter)
PASS_ON(diffuse)

static uint64_t safra_step(void *td, uint64_t now)
{
    return jdi_td_safra.step(td, now);
}

static uint64_t diffuse_step(void *td, uint64_t now)
{
    return jdi_td_diffuse.step(td, now);
}

static uint64_t credit_step(void *td, uint64_t now)
{
    return jdi_td_credit.step(td, now);
}

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
                                                   .check = no_check};
#define SAFRA(mutant, export_fn, import_fn, message_fn, step_fn)                         \
    OPS(mutant, sizeof(struct jdi_safra), safra_init, safra_enter, export_fn, import_fn, \
        message_fn, step_fn, safra_figures)
#define FOURCOUNTER(mutant, step_fn)                                                     \
    OPS(mutant, sizeof(struct jdi_fourcounter), fourcounter_init, fourcounter_enter,     \
        fourcounter_exported, fourcounter_imported, fourcounter_message, step_fn,        \
        fourcounter_figures)

SAFRA(safra_no_count, safra_exported, safra_imported, safra_message, safra_step_uncounted)
SAFRA(safra_giver, safra_export_black, safra_import_white, safra_message, safra_step)
SAFRA(safra_own_colour, safra_exported, safra_imported, safra_message,
      safra_step_own_colour)
SAFRA(safra_white_early, safra_exported, safra_imported, safra_token_whitens, safra_step)
SAFRA(safra_white_root, safra_exported, safra_imported, safra_message,
      safra_step_white_root)
FOURCOUNTER(fourcounter_one_wave, fourcounter_step_one_wave)
FOURCOUNTER(fourcounter_zero_twice, fourcounter_step_zero_twice)
FOURCOUNTER(fourcounter_no_interior, fourcounter_step_hidden)
OPS(diffuse_deficit, sizeof(struct jdi_diffuse_td), diffuse_init, diffuse_enter,
    diffuse_exported, diffuse_imported, diffuse_message, diffuse_step_let_go,
    diffuse_figures)
OPS(diffuse_anew, sizeof(struct jdi_diffuse_td), diffuse_init, diffuse_enter,
    diffuse_exported, diffuse_import_anew, diffuse_message, diffuse_step, diffuse_figures)
static void credit_enter(void *td, uint32_t phase)
{
    jdi_td_credit.enter(td, phase);
}
static struct jdi_td_stamp credit_exported(void *td)
{
    return jdi_td_credit.exported(td);
}
static bool credit_imported(void *td, struct jdi_td_stamp stamp)
{
    return jdi_td_credit.imported(td, stamp);
}
static void credit_message(void *td, uint32_t src, const struct jdi_td_msg *m)
{
    jdi_td_credit.message(td, src, m);
}
static void credit_figures(const void *td, struct jdi_td_figures *out)
{
    jdi_td_credit.figures(td, out);
}

#define CREDIT(mutant, init_fn, export_fn, import_fn, step_fn)                           \
    OPS(mutant, sizeof(struct jdi_credit_td), init_fn, credit_enter, export_fn,          \
        import_fn, credit_message, step_fn, credit_figures)
CREDIT(credit_busy, credit_init_busy, credit_exported, credit_imported, credit_step)
CREDIT(credit_foreign, credit_init_small, credit_exported, credit_import_foreign,
       credit_step)
CREDIT(credit_debt, credit_init_small, credit_exported, credit_imported, credit_step_debt)
CREDIT(credit_last_unit, credit_init_small, credit_export_last, credit_imported,
       credit_step)
OPS(never, sizeof(struct jdi_francez), francez_init, francez_enter, francez_exported,
    francez_imported, francez_message, step_never, francez_figures)
OPS(at_once, sizeof(struct lone), lone_init, lone_enter, lone_exported, lone_imported,
    lone_message, lone_step, lone_figures)
OPS(alone, sizeof(struct lone), lone_init_counts, lone_enter, lone_exported,
    lone_imported, lone_message, lone_step, lone_figures)
