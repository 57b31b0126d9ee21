/*
 * rooted_td.c - detectors of collections made of rooted detectors: what they have in common.
 *
 * Role: see rooted_td.h.
 * Owner: the communication thread of the rank.
 * Invariants: I1 of rooted_td.h.
 *             I2 a rank that has not heard of the end of p is engaged in p+1.  So what comes for p+1
 *                is kept for it, or goes back at once.
 * See: termination/rooted.c, which has the proof; doc/termination.md section 11; conform/.
 */
#include "termination/rooted_td.h"

#include "termination/parts.h"
#include "termination/tree.h"

#include <string.h>

/* Ranks up to 2^24 fit into a stamp beside the exponent. */
enum { EXPONENT_BITS = 8, MAX_RANKS = 1 << 24 };

static void td_send(struct jdi_rooted_td *f, uint32_t dst, const struct jdi_td_msg *m)
{
    f->figures.sent++;
    f->env.send(f->env.ctx, dst, m);
}

static struct jdi_td_msg ack_of(const struct jdi_rooted_td *f, uint32_t phase,
                                uint64_t weight)
{
    return (struct jdi_td_msg){
        .type = JDI_TD_ACK, .phase = phase, .wave = f->kind->weighs ? weight : 0};
}

static struct jdi_rooted_token token_of(const struct jdi_rooted_td *f, uint32_t wave)
{
    if (!f->kind->weighs)
        return (struct jdi_rooted_token){wave, 0};
    return (struct jdi_rooted_token){wave >> EXPONENT_BITS, (uint8_t)wave};
}

/* ---- the env of the phase's rooted detector ----------------------------------------- */

/* Answers, at once or at the end of an engagement. */
static void td_env_send(void *ctx, uint32_t dst, const struct jdi_rooted_return *r)
{
    struct jdi_rooted_td *f = ctx;
    struct jdi_td_msg m = ack_of(f, f->phase, r->weight);
    memcpy(m.stat, r->stat, sizeof m.stat);
    td_send(f, dst, &m);
}

static bool td_env_idle(void *ctx)
{
    const struct jdi_rooted_td *f = ctx;
    return f->open && f->env.idle(f->env.ctx);
}

static void td_env_stat(void *ctx, uint64_t out[JDI_TD_STATS])
{
    struct jdi_rooted_td *f = ctx;
    f->env.stat(f->env.ctx, out);
}

static void td_env_done(void *ctx, const uint64_t stat[JDI_TD_STATS])
{
    struct jdi_rooted_td *f = ctx;
    f->ended = true;
    memcpy(f->result, stat, sizeof f->result);
}

/* ---- phases ------------------------------------------------------------------------- */

static void next_phase(struct jdi_rooted_td *f, uint32_t rank)
{
    const struct jdi_rooted_env env = {.ctx = f,
                                       .send = td_env_send,
                                       .idle = td_env_idle,
                                       .stat = td_env_stat,
                                       .done = td_env_done};
    jdi_rooted_init(&f->rooted, rank, 0, f->kind->rule, &env);
    f->rooted.max_exponent = f->max_exponent;
    f->kind->engage(f);
    f->weight_next = 0;
}

void jdi_rooted_td_init(struct jdi_rooted_td *f, const struct jdi_td_config *c,
                        const struct jdi_td_env *env,
                        const struct jdi_rooted_td_kind *kind, uint8_t max_exponent)
{
    JD_CHECK(c->rank < c->nranks && (!kind->weighs || c->nranks <= MAX_RANKS));
    JD_CHECK(c->arity > 0 && max_exponent <= kind->rule->max_exponent);
    memset(f, 0, sizeof *f);
    f->env = *env;
    f->kind = kind;
    f->max_exponent = max_exponent;
    f->nranks = c->nranks;
    f->parent = c->rank == 0 ? 0 : jdi_tree_parent(c->rank, c->arity);
    f->first_kid = (uint32_t)jdi_tree_first_kid(c->rank, c->arity);
    f->nkids = jdi_tree_kids(c->rank, c->arity, c->nranks);
    f->phase = 1;
    next_phase(f, c->rank);
}

/* The figures of the phase before may have grown since: answers are not waited for. */
void jdi_rooted_td_enter(void *td, uint32_t phase)
{
    struct jdi_rooted_td *f = td;
    JD_CHECK_EQ(phase, f->phase);
    JD_CHECK(!f->open);
    f->open = true;
    f->held = 0;
    memset(&f->figures, 0, sizeof f->figures);
}

/* The children come first: the news is on its way, whatever announce does. */
static void end_phase(struct jdi_rooted_td *f, const uint64_t stat[JDI_TD_STATS])
{
    struct jdi_td_msg term = {.type = JDI_TD_TERM, .phase = f->phase};
    memcpy(term.stat, stat, sizeof term.stat);
    for (uint32_t i = 0; i < f->nkids; i++)
        td_send(f, f->first_kid + i, &term);
    JD_CHECK(f->held_next > 0 || f->env.idle(f->env.ctx));
    JD_CHECK(f->open && f->held == 0 && !f->rooted.engaged);
    f->open = f->ended = false;
    f->held = f->held_next;
    f->held_next = 0;
    f->phase++;
    next_phase(f, f->rooted.rank);
    f->env.announce(f->env.ctx, term.phase, term.stat);
}

/* ---- messages with tasks ------------------------------------------------------------ */

struct jdi_td_stamp jdi_rooted_td_exported(void *td)
{
    struct jdi_rooted_td *f = td;
    JD_CHECK(f->open);
    struct jdi_rooted_token t = jdi_rooted_exported(&f->rooted);
    uint32_t wave = f->kind->weighs ? t.home << EXPONENT_BITS | t.e : t.home;
    return (struct jdi_td_stamp){f->phase, wave};
}

/* For the phase after this one, in which the rank is engaged (I2). */
static void import_early(struct jdi_rooted_td *f, struct jdi_rooted_token t)
{
    f->held_next++;
    if (f->kind->keeps_early(f, t)) {
        f->weight_next += jdi_rooted_units(&f->rooted, t.e);
        return;
    }
    const struct jdi_td_msg m =
        ack_of(f, f->phase + 1, jdi_rooted_units(&f->rooted, t.e));
    td_send(f, t.home, &m);
}

static const char *fault_of_stamp(const struct jdi_rooted_td *f, uint32_t phase,
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
    if (t.home == f->rooted.rank || t.e > f->max_exponent)
        return "its token was not given by this rank";
    return NULL;
}

bool jdi_rooted_td_imported(void *td, struct jdi_td_stamp stamp)
{
    struct jdi_rooted_td *f = td;
    struct jdi_rooted_token t = token_of(f, stamp.wave);
    JDI_TD_EXPECT_NONE(&f->env, JDI_TD_CALLER_KNOWS, fault_of_stamp(f, stamp.phase, t));
    if (stamp.phase != f->phase) {
        import_early(f, t);
        return false;
    }
    jdi_rooted_imported(&f->rooted, t);
    f->held += !f->open;
    return f->open;
}

/* ---- control messages --------------------------------------------------------------- */

static struct jdi_rooted_return return_of(const struct jdi_rooted_td *f,
                                          const struct jdi_td_msg *m)
{
    struct jdi_rooted_return r = {.weight = f->kind->weighs ? m->wave : 1};
    memcpy(r.stat, m->stat, sizeof r.stat);
    return r;
}

static const char *fault_of_control(const struct jdi_rooted_td *f, uint32_t src,
                                    const struct jdi_td_msg *m)
{
    const struct jdi_rooted_return r = return_of(f, m);
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

void jdi_rooted_td_message(void *td, uint32_t src, const struct jdi_td_msg *m)
{
    struct jdi_rooted_td *f = td;
    JDI_TD_EXPECT_NONE(&f->env, src, fault_of_control(f, src, m));
    if (m->type == JDI_TD_ACK) {
        const struct jdi_rooted_return r = return_of(f, m);
        jdi_rooted_returned(&f->rooted, &r);
        return;
    }
    end_phase(f, m->stat);
}

uint64_t jdi_rooted_td_step(void *td, uint64_t now)
{
    struct jdi_rooted_td *f = td;
    (void)now;
    if (!f->open || !f->rooted.engaged)
        return JDI_TD_NEVER;
    jdi_rooted_step(&f->rooted);
    f->figures.waves += !f->rooted.engaged;
    if (f->ended)
        end_phase(f, f->result);
    return JDI_TD_NEVER;
}

void jdi_rooted_td_figures(const void *td, struct jdi_td_figures *out)
{
    const struct jdi_rooted_td *f = td;
    *out = f->figures;
}

void jdi_rooted_td_check(const void *td)
{
    const struct jdi_rooted_td *f = td;
    jdi_rooted_check(&f->rooted);
    JD_CHECK(f->open || f->rooted.engaged); /* I1 */
    JD_CHECK(!f->open || f->held == 0);
    JD_CHECK(f->open || (f->held_next == 0 && f->weight_next == 0));
    JD_CHECK(!f->ended);
}
