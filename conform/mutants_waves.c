/*
 * mutants_waves.c - what is wrong with safra and fourcounter.
 *
 * Role: operations in place of those of safra and fourcounter, which change its state before
 *       or after the right one has run.
 * See: mutants_waves.h; termination/safra.h, termination/fourcounter.h.
 */
#include "conform/mutants_waves.h"

#include "conform/borrow.h"
#include "termination/find.h"
#include "termination/fourcounter.h"
#include "termination/safra.h"

JDI_BORROW(right_safra, jdi_td_safra)
JDI_BORROW(right_fourcounter, jdi_td_fourcounter)

static void waves_unchecked(const void *td)
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
                                                   .check = waves_unchecked};
#define SAFRA(mutant, export_fn, import_fn, message_fn, step_fn)                         \
    OPS(mutant, sizeof(struct jdi_safra), right_safra_init, right_safra_enter,           \
        export_fn, import_fn, message_fn, step_fn, right_safra_figures)
#define FOURCOUNTER(mutant, step_fn)                                                     \
    OPS(mutant, sizeof(struct jdi_fourcounter), right_fourcounter_init,                  \
        right_fourcounter_enter, right_fourcounter_exported, right_fourcounter_imported, \
        right_fourcounter_message, step_fn, right_fourcounter_figures)

SAFRA(safra_no_count, right_safra_exported, right_safra_imported, right_safra_message,
      safra_step_uncounted)
SAFRA(safra_giver, safra_export_black, safra_import_white, right_safra_message,
      right_safra_step)
SAFRA(safra_own_colour, right_safra_exported, right_safra_imported, right_safra_message,
      safra_step_own_colour)
SAFRA(safra_white_early, right_safra_exported, right_safra_imported, safra_token_whitens,
      right_safra_step)
SAFRA(safra_white_root, right_safra_exported, right_safra_imported, right_safra_message,
      safra_step_white_root)
FOURCOUNTER(fourcounter_one_wave, fourcounter_step_one_wave)
FOURCOUNTER(fourcounter_zero_twice, fourcounter_step_zero_twice)
FOURCOUNTER(fourcounter_no_interior, fourcounter_step_hidden)
