/*
 * credit_td.c - `credit` as a detector of collections: a rooted detector for each phase.
 *
 * Role: drives termination/rooted.h behind detector.h, so that the tools that test, time and
 *       explore detectors of collections do so with rooted detectors.
 * Owner: the communication thread of the rank.
 * Invariants: I1 in a phase that has not been entered a rank is engaged by rank 0 with weight 1
 *                or more, and rank 0 has a debt of 1 for each of the others.
 * See: termination/credit.c and termination/rooted.c, which have the proof; doc/termination.md section 11.
 *
 * A phase is a rooted detector whose root, rank 0, has sent a message with weight 1 to each
 * other rank before the phase begins.  TERM tells the end down the tree.
 *
 *   message  from, to         fields                               duplicated  reordered
 *   TASK     any, any         phase, token (home << 8 | e)         never       against anything
 *   ACK      any, giver       phase, weight (wave), stat           never       against anything
 *   TERM     parent, child    phase, stat of all ranks             never       against anything
 *
 * A rank that has not heard of the end of p is engaged in p+1 (I1).  So at an import of phase p+1
 * it keeps weight of the root for p+1, and returns any other weight at once.
 */
#include "termination/credit_td.h"

#include "termination/find.h"
#include "termination/parts.h"
#include "termination/tree.h"

#include <string.h>

/* Ranks up to 2^24 fit into a stamp beside the exponent. */
enum { EXPONENT_BITS = 8, MAX_RANKS = 1 << 24 };

static void credit_send(struct jdi_credit_td *f, uint32_t dst, const struct jdi_td_msg *m)
{
    f->figures.sent++;
    f->env.send(f->env.ctx, dst, m);
}

static void credit_env_send(void *ctx, uint32_t dst, const struct jdi_rooted_return *r)
{
    struct jdi_credit_td *f = ctx;
    struct jdi_td_msg m = {.type = JDI_TD_ACK, .phase = f->phase, .wave = r->weight};
    memcpy(m.stat, r->stat, sizeof m.stat);
    credit_send(f, dst, &m);
}

static bool credit_env_idle(void *ctx)
{
    const struct jdi_credit_td *f = ctx;
    return f->open && f->env.idle(f->env.ctx);
}

static void credit_env_stat(void *ctx, uint64_t out[JDI_TD_STATS])
{
    struct jdi_credit_td *f = ctx;
    f->env.stat(f->env.ctx, out);
}

static void credit_env_done(void *ctx, const uint64_t stat[JDI_TD_STATS])
{
    struct jdi_credit_td *f = ctx;
    f->ended = true;
    memcpy(f->result, stat, sizeof f->result);
}

static void new_rooted(struct jdi_credit_td *f, uint32_t rank, uint8_t max_exponent)
{
    const struct jdi_rooted_env env = {.ctx = f,
                                       .send = credit_env_send,
                                       .idle = credit_env_idle,
                                       .stat = credit_env_stat,
                                       .done = credit_env_done};
    JD_CHECK(max_exponent <= jdi_rooted_credit.max_exponent);
    jdi_rooted_init(&f->rooted, rank, 0, &jdi_rooted_credit, &env);
    f->rooted.max_exponent = max_exponent;
    uint64_t one = jdi_rooted_units(&f->rooted, 0);
    f->rooted.engaged = true;
    if (rank == 0)
        f->rooted.debt = (f->nranks - 1) * one;
    else
        f->rooted.weight = one + f->weight_next;
    f->weight_next = 0;
}

void jdi_credit_td_init(struct jdi_credit_td *f, const struct jdi_td_config *c,
                        const struct jdi_td_env *env, uint8_t max_exponent)
{
    JD_CHECK(c->rank < c->nranks && c->nranks <= MAX_RANKS);
    JD_CHECK(c->arity > 0);
    memset(f, 0, sizeof *f);
    f->env = *env;
    f->nranks = c->nranks;
    f->parent = c->rank == 0 ? 0 : jdi_tree_parent(c->rank, c->arity);
    f->first_kid = (uint32_t)jdi_tree_first_kid(c->rank, c->arity);
    f->nkids = jdi_tree_kids(c->rank, c->arity, c->nranks);
    f->phase = 1;
    new_rooted(f, c->rank, max_exponent);
}

static void credit_init(void *td, const struct jdi_td_config *c,
                        const struct jdi_td_env *env)
{
    jdi_credit_td_init(td, c, env, JDI_ROOTED_EXPONENT);
}

static void credit_enter(void *td, uint32_t phase)
{
    struct jdi_credit_td *f = td;
    JD_CHECK_EQ(phase, f->phase);
    JD_CHECK(!f->open);
    f->open = true;
    f->held = 0;
    memset(&f->figures, 0, sizeof f->figures);
}

static struct jdi_td_stamp credit_exported(void *td)
{
    struct jdi_credit_td *f = td;
    JD_CHECK(f->open);
    struct jdi_rooted_token t = jdi_rooted_exported(&f->rooted);
    return (struct jdi_td_stamp){f->phase, t.home << EXPONENT_BITS | t.e};
}

/* For the phase after this one, in which the rank is engaged by the root. */
static void credit_import_early(struct jdi_credit_td *f, struct jdi_rooted_token t)
{
    uint64_t weight = jdi_rooted_units(&f->rooted, t.e);
    f->held_next++;
    if (t.home == 0) {
        f->weight_next += weight;
        return;
    }
    const struct jdi_td_msg m = {
        .type = JDI_TD_ACK, .phase = f->phase + 1, .wave = weight};
    credit_send(f, t.home, &m);
}

static const char *credit_fault_of_stamp(const struct jdi_credit_td *f, uint32_t phase,
                                         struct jdi_rooted_token t)
{
    if (t.home >= f->nranks)
        return "its stamp is of a rank that does not exist";
    if (phase == f->phase)
        return jdi_rooted_fault_of_token(&f->rooted, t);
    if (phase != (uint32_t)(f->phase + 1))
        return "its phase is neither the present one nor the next";
    if (!f->open || f->rooted.engaged)
        return "its phase is the next one, and this one has not ended";
    if (t.home == f->rooted.rank || t.e > f->rooted.max_exponent)
        return "its token was not given by this rank";
    return NULL;
}

static bool credit_imported(void *td, struct jdi_td_stamp stamp)
{
    struct jdi_credit_td *f = td;
    struct jdi_rooted_token t = {stamp.wave >> EXPONENT_BITS, (uint8_t)stamp.wave};
    JDI_TD_EXPECT_NONE(&f->env, JDI_TD_CALLER_KNOWS,
                       credit_fault_of_stamp(f, stamp.phase, t));
    if (stamp.phase != f->phase) {
        credit_import_early(f, t);
        return false;
    }
    jdi_rooted_imported(&f->rooted, t);
    f->held += !f->open;
    return f->open;
}

/* The children come first: the news is on its way, whatever announce does. */
static void credit_end_phase(struct jdi_credit_td *f, const uint64_t stat[JDI_TD_STATS])
{
    struct jdi_td_msg term = {.type = JDI_TD_TERM, .phase = f->phase};
    memcpy(term.stat, stat, sizeof term.stat);
    for (uint32_t i = 0; i < f->nkids; i++)
        credit_send(f, f->first_kid + i, &term);
    JD_CHECK(f->held_next > 0 || f->env.idle(f->env.ctx));
    JD_CHECK(f->open && f->held == 0 && !f->rooted.engaged);
    f->open = f->ended = false;
    f->held = f->held_next;
    f->held_next = 0;
    f->phase++;
    new_rooted(f, f->rooted.rank, f->rooted.max_exponent);
    f->env.announce(f->env.ctx, term.phase, term.stat);
}

static const char *credit_fault_of(const struct jdi_credit_td *f, uint32_t src,
                                   const struct jdi_td_msg *m)
{
    const struct jdi_rooted_return r = {.weight = m->wave};
    if (m->phase != f->phase)
        return "its phase is not the present one";
    if (m->type == JDI_TD_ACK)
        return jdi_rooted_fault_of_return(&f->rooted, &r);
    if (m->type != JDI_TD_TERM)
        return "a message of another detector";
    if (f->rooted.rank == 0 || src != f->parent)
        return "the end, from a rank that is no parent";
    if (!f->open || f->rooted.engaged)
        return "the end, without an answer of this rank";
    if (f->held_next == 0 && !f->env.idle(f->env.ctx))
        return "the end of a phase that has tasks here";
    return NULL;
}

static void credit_message(void *td, uint32_t src, const struct jdi_td_msg *m)
{
    struct jdi_credit_td *f = td;
    JDI_TD_EXPECT_NONE(&f->env, src, credit_fault_of(f, src, m));
    if (m->type == JDI_TD_ACK) {
        struct jdi_rooted_return r = {.weight = m->wave};
        memcpy(r.stat, m->stat, sizeof r.stat);
        jdi_rooted_returned(&f->rooted, &r);
        return;
    }
    credit_end_phase(f, m->stat);
}

static uint64_t credit_step(void *td, uint64_t now)
{
    struct jdi_credit_td *f = td;
    (void)now;
    if (!f->open || !f->rooted.engaged)
        return JDI_TD_NEVER;
    jdi_rooted_step(&f->rooted);
    f->figures.waves += !f->rooted.engaged;
    if (f->ended)
        credit_end_phase(f, f->result);
    return JDI_TD_NEVER;
}

static void credit_figures(const void *td, struct jdi_td_figures *out)
{
    const struct jdi_credit_td *f = td;
    *out = f->figures;
}

static void credit_check(const void *td)
{
    const struct jdi_credit_td *f = td;
    jdi_rooted_check(&f->rooted);
    JD_CHECK(f->open || f->rooted.engaged); /* I1 */
    JD_CHECK(!f->open || f->held == 0);
    JD_CHECK(f->open || (f->held_next == 0 && f->weight_next == 0));
    JD_CHECK(!f->ended);
}

const struct jdi_td_ops jdi_td_credit = {
    .name = "credit",
    .size = sizeof(struct jdi_credit_td),
    .version = JDI_TD_VERSION,
    .init = credit_init,
    .enter = credit_enter,
    .exported = credit_exported,
    .imported = credit_imported,
    .message = credit_message,
    .step = credit_step,
    .figures = credit_figures,
    .check = credit_check,
};
