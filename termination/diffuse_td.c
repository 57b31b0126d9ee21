/*
 * diffuse_td.c - `diffuse` as a detector of collections: a diffusing computation for each phase.
 *
 * Role: the kind of termination/rooted_td.h with the rule `diffuse`.  One control message per task
 *       message, no wave, nothing that fails.
 * Owner: the communication thread of the rank.
 * Invariants: I1 in a phase that has not been entered a rank is engaged by its parent in the
 *                tree, and owed an answer by each of its children.
 * See: termination/diffuse.c and termination/rooted.c, which have the proof; termination/rooted_td.c,
 *      which has the rest; doc/termination.md section 10; conform/.
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
#include "termination/find.h"
#include "termination/rooted_td.h"

/* The state of every rank before a phase (I1). */
static void engage_by_parent(struct jdi_rooted_td *f)
{
    f->rooted.debt = f->nkids;
    if (jdi_rooted_is_root(&f->rooted))
        return;
    f->rooted.engaged = true;
    f->rooted.home = f->parent;
    f->rooted.weight = 1;
}

static bool diffuse_keeps_early(const struct jdi_rooted_td *f, struct jdi_rooted_token t)
{
    (void)f, (void)t;
    return false;
}

static const struct jdi_rooted_td_kind diffuse_kind = {
    .rule = &jdi_rooted_diffuse,
    .weighs = false,
    .engage = engage_by_parent,
    .keeps_early = diffuse_keeps_early,
};

static void diffuse_init(void *td, const struct jdi_td_config *c,
                         const struct jdi_td_env *env)
{
    jdi_rooted_td_init(td, c, env, &diffuse_kind, 0);
}

static void diffuse_check(const void *td)
{
    const struct jdi_rooted_td *f = td;
    jdi_rooted_td_check(td);
    JD_CHECK(!jdi_rooted_is_root(&f->rooted) || f->rooted.engaged);
    JD_CHECK(f->rooted.weight <= 1);
    JD_CHECK_EQ(f->figures.failed, 0);
}

const struct jdi_td_ops jdi_td_diffuse = {
    .name = "diffuse",
    .size = sizeof(struct jdi_rooted_td),
    .version = JDI_TD_VERSION,
    .init = diffuse_init,
    .enter = jdi_rooted_td_enter,
    .exported = jdi_rooted_td_exported,
    .imported = jdi_rooted_td_imported,
    .message = jdi_rooted_td_message,
    .step = jdi_rooted_td_step,
    .figures = jdi_rooted_td_figures,
    .check = diffuse_check,
};
