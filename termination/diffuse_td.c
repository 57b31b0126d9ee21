/*
 * diffuse_td.c - `diffuse` as a detector of collections: a diffusing computation for each phase.
 *
 * Role: drives termination/rooted.h with the rule `diffuse` behind detector.h.  One control
 *       message per task message, no wave, nothing that fails.
 * Owner: the communication thread of the rank.
 * Invariants: I1 in a phase that has not been entered a rank is engaged by its parent in the
 *                tree, and owed an answer by each of its children.
 * See: termination/diffuse.c and termination/rooted.c, which have the proof; doc/termination.md
 *      section 10; conform/.
 *
 * A collection has no single source.  So a phase begins as if every rank had sent one message to
 * each of its children in the tree: every rank starts engaged by its parent.  A rank that is
 * engaged answers other task messages at once.  It answers its engager when it is idle and has
 * got all answers to its own messages.
 *
 *   state                 event                           becomes     sends
 *   out                   enter                           open
 *   engaged               import from r                   engaged     ACK to r
 *   not engaged, open     import from r                   engaged by r
 *   open                  export                          deficit++
 *   any                   ACK                             deficit--
 *   engaged, deficit 0    step: idle, not rank 0          not engaged ACK to the engager
 *   engaged, deficit 0    step: idle, rank 0              out         TERM to the children
 *   not engaged           TERM                            out         TERM to the children
 *
 *   message  from, to            fields                  duplicated  reordered
 *   TASK     any, any            phase, sender (wave)    never       against anything
 *   ACK      receiver, sender    phase, stat             never       against anything
 *   TERM     parent, child       phase, stat of all      never       against anything
 *
 * The ACK that ends a rank's engagement carries the words of its report: what was added since
 * the last such ACK of this rank; xor is its own inverse.
 *
 * Phases.  A rank in p+1 has got TERM p, and at that time no message of p exists.  An import of
 * p+1 at a rank in p is answered at once, because in p+1 that rank is engaged by its parent from
 * the beginning.
 */
#include "termination/diffuse_td.h"

#include "termination/find.h"
#include "termination/parts.h"
#include "termination/tree.h"

#include <string.h>

static void diffuse_send(struct jdi_diffuse_td *f, uint32_t dst,
                         const struct jdi_td_msg *m)
{
    f->figures.sent++;
    f->env.send(f->env.ctx, dst, m);
}

/* Answers, at once or at the end of an engagement. */
static void diffuse_env_send(void *ctx, uint32_t dst, const struct jdi_rooted_return *r)
{
    struct jdi_diffuse_td *f = ctx;
    struct jdi_td_msg m = {.type = JDI_TD_ACK, .phase = f->phase};
    memcpy(m.stat, r->stat, sizeof m.stat);
    diffuse_send(f, dst, &m);
}

static bool diffuse_env_idle(void *ctx)
{
    const struct jdi_diffuse_td *f = ctx;
    return f->open && f->env.idle(f->env.ctx);
}

static void diffuse_env_stat(void *ctx, uint64_t out[JDI_TD_STATS])
{
    struct jdi_diffuse_td *f = ctx;
    f->env.stat(f->env.ctx, out);
}

static void diffuse_env_done(void *ctx, const uint64_t stat[JDI_TD_STATS])
{
    struct jdi_diffuse_td *f = ctx;
    f->ended = true;
    memcpy(f->result, stat, sizeof f->result);
}

/* The state of every rank before a phase (I1). */
static void engage_by_parent(struct jdi_diffuse_td *f, uint32_t rank)
{
    const struct jdi_rooted_env env = {.ctx = f,
                                       .send = diffuse_env_send,
                                       .idle = diffuse_env_idle,
                                       .stat = diffuse_env_stat,
                                       .done = diffuse_env_done};
    jdi_rooted_init(&f->rooted, rank, 0, &jdi_rooted_diffuse, &env);
    f->rooted.debt = f->nkids;
    if (rank > 0) {
        f->rooted.engaged = true;
        f->rooted.home = f->parent;
        f->rooted.weight = 1;
    }
}

static void diffuse_init(void *td, const struct jdi_td_config *c,
                         const struct jdi_td_env *env)
{
    struct jdi_diffuse_td *f = td;
    JD_CHECK(c->rank < c->nranks);
    JD_CHECK(c->arity > 0);
    memset(f, 0, sizeof *f);
    f->env = *env;
    f->nranks = c->nranks;
    f->parent = c->rank == 0 ? 0 : jdi_tree_parent(c->rank, c->arity);
    f->first_kid = (uint32_t)jdi_tree_first_kid(c->rank, c->arity);
    f->nkids = jdi_tree_kids(c->rank, c->arity, c->nranks);
    f->phase = 1;
    engage_by_parent(f, c->rank);
}

/* The figures of the phase before may have grown since: answers are not waited for. */
static void diffuse_enter(void *td, uint32_t phase)
{
    struct jdi_diffuse_td *f = td;
    JD_CHECK_EQ(phase, f->phase);
    JD_CHECK(!f->open);
    f->open = true;
    f->held = 0;
    memset(&f->figures, 0, sizeof f->figures);
}

static struct jdi_td_stamp diffuse_exported(void *td)
{
    struct jdi_diffuse_td *f = td;
    JD_CHECK(f->open);
    return (struct jdi_td_stamp){f->phase, jdi_rooted_exported(&f->rooted).home};
}

/* For the phase after this one, in which the rank is engaged by its parent. */
static void diffuse_import_early(struct jdi_diffuse_td *f, uint32_t src)
{
    f->held_next++;
    const struct jdi_td_msg ack = {.type = JDI_TD_ACK, .phase = f->phase + 1};
    diffuse_send(f, src, &ack);
}

static const char *diffuse_fault_of_stamp(const struct jdi_diffuse_td *f,
                                          struct jdi_td_stamp stamp)
{
    if (stamp.wave >= f->nranks)
        return "its stamp is of a rank that does not exist";
    if (stamp.phase == f->phase)
        return jdi_rooted_fault_of_token(&f->rooted,
                                         (struct jdi_rooted_token){.home = stamp.wave});
    if (stamp.phase != (uint32_t)(f->phase + 1))
        return "its phase is neither the present one nor the next";
    if (!f->open || f->rooted.engaged)
        return "its phase is the next one, and this one has not ended";
    if (stamp.wave == f->rooted.rank)
        return "its token was not given by this rank";
    return NULL;
}

static bool diffuse_imported(void *td, struct jdi_td_stamp stamp)
{
    struct jdi_diffuse_td *f = td;
    JDI_TD_EXPECT_NONE(&f->env, JDI_TD_CALLER_KNOWS, diffuse_fault_of_stamp(f, stamp));
    if (stamp.phase != f->phase) {
        diffuse_import_early(f, stamp.wave);
        return false;
    }
    jdi_rooted_imported(&f->rooted, (struct jdi_rooted_token){.home = stamp.wave});
    f->held += !f->open;
    return f->open;
}

/* The children come first: the news is on its way, whatever announce does. */
static void diffuse_end_phase(struct jdi_diffuse_td *f, const uint64_t stat[JDI_TD_STATS])
{
    struct jdi_td_msg term = {.type = JDI_TD_TERM, .phase = f->phase};
    memcpy(term.stat, stat, sizeof term.stat);
    for (uint32_t i = 0; i < f->nkids; i++)
        diffuse_send(f, f->first_kid + i, &term);
    JD_CHECK(f->held_next > 0 || f->env.idle(f->env.ctx));
    JD_CHECK(f->open && f->held == 0 && !f->rooted.engaged);
    f->open = f->ended = false;
    f->phase++;
    f->held = f->held_next;
    f->held_next = 0;
    engage_by_parent(f, f->rooted.rank);
    f->env.announce(f->env.ctx, term.phase, term.stat);
}

static const char *diffuse_fault_of(const struct jdi_diffuse_td *f, uint32_t src,
                                    const struct jdi_td_msg *m)
{
    const struct jdi_rooted_return one = {.weight = 1};
    if (m->phase != f->phase)
        return "its phase is not the present one";
    if (m->type == JDI_TD_ACK)
        return jdi_rooted_fault_of_return(&f->rooted, &one);
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

static void diffuse_message(void *td, uint32_t src, const struct jdi_td_msg *m)
{
    struct jdi_diffuse_td *f = td;
    JDI_TD_EXPECT_NONE(&f->env, src, diffuse_fault_of(f, src, m));
    if (m->type == JDI_TD_ACK) {
        struct jdi_rooted_return r = {.weight = 1};
        memcpy(r.stat, m->stat, sizeof r.stat);
        jdi_rooted_returned(&f->rooted, &r);
        return;
    }
    diffuse_end_phase(f, m->stat);
}

static uint64_t diffuse_step(void *td, uint64_t now)
{
    struct jdi_diffuse_td *f = td;
    (void)now;
    if (!f->open || !f->rooted.engaged)
        return JDI_TD_NEVER;
    jdi_rooted_step(&f->rooted);
    f->figures.waves += !f->rooted.engaged;
    if (f->ended)
        diffuse_end_phase(f, f->result);
    return JDI_TD_NEVER;
}

static void diffuse_figures(const void *td, struct jdi_td_figures *out)
{
    const struct jdi_diffuse_td *f = td;
    *out = f->figures;
}

static void diffuse_check(const void *td)
{
    const struct jdi_diffuse_td *f = td;
    jdi_rooted_check(&f->rooted);
    JD_CHECK(!jdi_rooted_is_root(&f->rooted) || f->rooted.engaged);
    JD_CHECK(f->open || f->rooted.engaged); /* I1 */
    JD_CHECK(f->rooted.weight <= 1 && !f->ended);
    JD_CHECK(!f->open || f->held == 0);
    JD_CHECK(f->open || f->held_next == 0);
    JD_CHECK_EQ(f->figures.failed, 0);
}

const struct jdi_td_ops jdi_td_diffuse = {
    .name = "diffuse",
    .size = sizeof(struct jdi_diffuse_td),
    .version = JDI_TD_VERSION,
    .init = diffuse_init,
    .enter = diffuse_enter,
    .exported = diffuse_exported,
    .imported = diffuse_imported,
    .message = diffuse_message,
    .step = diffuse_step,
    .figures = diffuse_figures,
    .check = diffuse_check,
};
