/*
 * credit_td.c - `credit` as a detector of collections: a rooted detector for each phase.
 *
 * Role: the kind of termination/rooted_td.h with the rule `credit`, so that the tools that test, time
 *       and explore detectors of collections do so with rooted detectors.
 * Owner: the communication thread of the rank.
 * Invariants: I1 in a phase that has not been entered a rank is engaged by rank 0 with weight 1
 *                or more, and rank 0 has a debt of 1 for each of the others.
 * See: termination/credit.c and termination/rooted.c, which have the proof; termination/rooted_td.c,
 *      which has the rest; doc/termination.md section 11.
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

static void engage_by_root(struct jdi_rooted_td *f)
{
    uint64_t one = jdi_rooted_units(&f->rooted, 0);
    f->rooted.engaged = true;
    if (jdi_rooted_is_root(&f->rooted))
        f->rooted.debt = (f->nranks - 1) * one;
    else
        f->rooted.weight = one + f->weight_next;
}

/* Weight of the root, by which the rank is engaged then. */
static bool credit_keeps_early(const struct jdi_rooted_td *f, struct jdi_rooted_token t)
{
    (void)f;
    return t.home == 0;
}

static const struct jdi_rooted_td_kind credit_kind = {
    .rule = &jdi_rooted_credit,
    .weighs = true,
    .engage = engage_by_root,
    .keeps_early = credit_keeps_early,
};

void jdi_credit_td_init(struct jdi_rooted_td *f, const struct jdi_td_config *c,
                        const struct jdi_td_env *env, uint8_t max_exponent)
{
    jdi_rooted_td_init(f, c, env, &credit_kind, max_exponent);
}

static void credit_init(void *td, const struct jdi_td_config *c,
                        const struct jdi_td_env *env)
{
    jdi_credit_td_init(td, c, env, JDI_ROOTED_EXPONENT);
}

const struct jdi_td_ops jdi_td_credit = {
    .name = "credit",
    .size = sizeof(struct jdi_rooted_td),
    .version = JDI_TD_VERSION,
    .init = credit_init,
    .enter = jdi_rooted_td_enter,
    .exported = jdi_rooted_td_exported,
    .imported = jdi_rooted_td_imported,
    .message = jdi_rooted_td_message,
    .step = jdi_rooted_td_step,
    .figures = jdi_rooted_td_figures,
    .check = jdi_rooted_td_check,
};
