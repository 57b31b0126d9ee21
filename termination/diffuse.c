/*
 * diffuse.c - Dijkstra and Scholten's diffusing computations: a reference detector.
 *
 * Role: decide that a phase has ended on all ranks by answering every task message.  One
 *       control message per task message, no wave, nothing that fails.
 * Owner: the communication thread of the rank.
 * Invariants: I1 to I3 below.
 * See: Dijkstra and Scholten, "Termination detection for diffusing computations", IPL 11(1),
 *      1980; doc/termination.md section 10; test/conform/.
 *
 * A collection has no single source, so a phase begins as if rank 0 had sent one message to
 * each of its children in the tree, and each rank to its own: every rank starts engaged by its
 * parent.  A rank that is engaged answers other task messages at once, and its engager when it
 * is idle and has all its own answers.
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
 * The words of the reports ride on the ACK of a rank that lets go, as what was added since it
 * did so last; xor is its own inverse.
 *
 * Proof.  For each pair, deficit counts what was sent and not answered:
 * I1 deficit_i = task messages of i under way + ACKs to i under way + ranks engaged by i (the
 *    tree's children included until they let go).
 * I2 the engaged ranks form a tree with root 0: a rank is engaged by a rank whose deficit is
 *    then > 0, and which cannot let go before it is answered.
 * I3 a rank that is not engaged is idle with deficit 0: it was so when it let go, and only an
 *    import, which engages it, makes it active.
 * Safety.  Rank 0 announces with deficit 0 while idle.  By I1 nobody is engaged by rank 0, so
 * by I2 nobody is engaged, by I3 all are idle with deficit 0, and by I1 no message exists.
 * Liveness.  After quiescence no ACK leads to a task.  The engaged ranks are a finite tree; a
 * leaf of it has no engaged child, so its answers arrive, its deficit becomes 0, and it lets
 * go.  So does each rank in turn, and rank 0 announces.  Nothing fails; the latency is the
 * depth of the tree of engagement, up to n.
 * Phases.  A rank in p+1 has got TERM p, when no message of p exists.  An import of p+1 at a
 * rank in p is answered at once: in p+1 that rank has been engaged by its parent all along.
 */
#include "termination/diffuse.h"

#include "termination/find.h"
#include "termination/parts.h"
#include "termination/tree.h"

#include <string.h>

static void send(struct jdi_diffuse *f, uint32_t dst, const struct jdi_td_msg *m)
{
    f->figures.sent++;
    f->env.send(f->env.ctx, dst, m);
}

/* As every rank stands before a phase. */
static void engage_by_parent(struct jdi_diffuse *f)
{
    f->engaged = true;
    f->engager = f->parent;
    f->deficit = f->nkids;
}

static void init(void *td, const struct jdi_td_config *c, const struct jdi_td_env *env)
{
    struct jdi_diffuse *f = td;
    JD_CHECK(c->rank < c->nranks);
    JD_CHECK(c->arity > 0);
    memset(f, 0, sizeof *f);
    f->env = *env;
    f->rank = c->rank;
    f->nranks = c->nranks;
    f->parent = c->rank == 0 ? 0 : jdi_tree_parent(c->rank, c->arity);
    f->first_kid = (uint32_t)jdi_tree_first_kid(c->rank, c->arity);
    f->nkids = jdi_tree_kids(c->rank, c->arity, c->nranks);
    f->phase = 1;
    engage_by_parent(f);
}

/* The figures of the phase before may have grown since: answers are not waited for. */
static void enter(void *td, uint32_t phase)
{
    struct jdi_diffuse *f = td;
    JD_CHECK_EQ(phase, f->phase);
    JD_CHECK(!f->open);
    f->open = true;
    f->held = 0;
    memset(&f->figures, 0, sizeof f->figures);
}

static struct jdi_td_stamp exported(void *td)
{
    struct jdi_diffuse *f = td;
    JD_CHECK(f->open && f->engaged);
    f->deficit++;
    return (struct jdi_td_stamp){f->phase, f->rank};
}

static void answer(struct jdi_diffuse *f, uint32_t dst, uint32_t phase)
{
    const struct jdi_td_msg ack = {.type = JDI_TD_ACK, .phase = phase};
    if (dst != f->rank) {
        send(f, dst, &ack);
        return;
    }
    JD_CHECK(f->deficit > 0);
    f->deficit--;
}

static bool imported(void *td, struct jdi_td_stamp stamp)
{
    struct jdi_diffuse *f = td;
    JD_CHECK(stamp.wave < f->nranks);
    if (stamp.phase != f->phase) {
        JD_CHECK_EQ(stamp.phase, (uint32_t)(f->phase + 1));
        JD_CHECK(f->open && !f->engaged);
        f->held_next++;
        answer(f, stamp.wave, stamp.phase);
        return false;
    }
    if (f->engaged) {
        answer(f, stamp.wave, stamp.phase);
    } else {
        f->engaged = true;
        f->engager = stamp.wave;
    }
    f->held += !f->open;
    return f->open;
}

static void on_ack(struct jdi_diffuse *f, const struct jdi_td_msg *m)
{
    JD_CHECK_EQ(m->phase, f->phase);
    JD_CHECK(f->deficit > 0);
    f->deficit--;
    jdi_td_add_stat(f->heard, m->stat);
}

/* The children come first: whatever announce does, the news is on its way. */
static void end_phase(struct jdi_diffuse *f, const struct jdi_td_msg *term)
{
    uint32_t phase = f->phase;
    for (uint32_t i = 0; i < f->nkids; i++)
        send(f, f->first_kid + i, term);
    JD_CHECK(f->held_next > 0 || f->env.idle(f->env.ctx));
    JD_CHECK(f->open && f->held == 0);
    JD_CHECK_EQ(f->deficit, 0);
    f->open = false;
    f->phase++;
    f->held = f->held_next;
    f->held_next = 0;
    memset(f->told, 0, sizeof f->told);
    memset(f->heard, 0, sizeof f->heard);
    engage_by_parent(f);
    f->env.announce(f->env.ctx, phase, term->stat);
}

static void message(void *td, uint32_t src, const struct jdi_td_msg *m)
{
    struct jdi_diffuse *f = td;
    if (m->type == JDI_TD_ACK) {
        on_ack(f, m);
        return;
    }
    JD_CHECK(m->type == JDI_TD_TERM && f->rank != 0);
    JD_CHECK_EQ(src, f->parent);
    JD_CHECK_EQ(m->phase, f->phase);
    JD_CHECK(!f->engaged);
    end_phase(f, m);
}

/* Own words since the last time, and those that came with answers. */
static void take_words(struct jdi_diffuse *f, uint64_t out[JDI_TD_STATS])
{
    uint64_t own[JDI_TD_STATS];
    f->env.stat(f->env.ctx, own);
    for (int i = 0; i < JDI_TD_STATS - 1; i++)
        out[i] = own[i] - f->told[i];
    out[JDI_TD_STATS - 1] = own[JDI_TD_STATS - 1] ^ f->told[JDI_TD_STATS - 1];
    memcpy(f->told, own, sizeof own);
    jdi_td_add_stat(out, f->heard);
    memset(f->heard, 0, sizeof f->heard);
}

static uint64_t step(void *td, uint64_t now)
{
    struct jdi_diffuse *f = td;
    struct jdi_td_msg m = {.phase = f->phase};
    (void)now;
    if (!f->open || !f->engaged || f->deficit > 0 || !f->env.idle(f->env.ctx))
        return JDI_TD_NEVER;
    f->figures.waves++;
    take_words(f, m.stat);
    f->engaged = false;
    if (f->rank == 0 && f->engager == 0) {
        m.type = JDI_TD_TERM;
        end_phase(f, &m);
        return JDI_TD_NEVER;
    }
    m.type = JDI_TD_ACK;
    send(f, f->engager, &m);
    return JDI_TD_NEVER;
}

static void figures(const void *td, struct jdi_td_figures *out)
{
    const struct jdi_diffuse *f = td;
    *out = f->figures;
}

static void check(const void *td)
{
    const struct jdi_diffuse *f = td;
    JD_CHECK(f->engaged || f->deficit == 0); /* I3 */
    JD_CHECK(f->rank != 0 || f->engaged);
    JD_CHECK(f->open || f->engaged);
    JD_CHECK(!f->open || f->held == 0);
    JD_CHECK(f->open || f->held_next == 0);
    JD_CHECK_EQ(f->figures.failed, 0);
}

const struct jdi_td_ops jdi_td_diffuse = {
    .name = "diffuse",
    .size = sizeof(struct jdi_diffuse),
    .version = JDI_TD_VERSION,
    .init = init,
    .enter = enter,
    .exported = exported,
    .imported = imported,
    .message = message,
    .step = step,
    .figures = figures,
    .check = check,
};
