/*
 * diffuse.c - Dijkstra and Scholten's diffusing computations: every message is answered.
 *
 * Role: the rule `diffuse` of rooted detectors: nothing is divided, nothing is added up.
 * Owner: the communication thread of the rank.
 * Invariants: S1 to S3 of termination/rooted.c, and D1 below.
 * See: Dijkstra and Scholten, "Termination detection for diffusing computations", IPL 11(1),
 *      1980; doc/termination.md section 11; termination/diffuse_td.c.
 *
 * The unit of weight is a message: a token names its sender, to whom an answer is owed.  The
 * first token engages a rank and is answered last, when the rank is idle and has got all answers
 * to its own tokens.  Any other token is answered at once.  debt is the deficit of the paper, home
 * the engager.
 *
 *   state of a rank        event                          sends, and becomes
 *   root, engaged          export                         its token; debt += 1
 *   any                    import of an own token         debt -= 1
 *   not engaged            import of a token of r         engaged by r, weight 1
 *   root, engaged          import of a token of r         RETURN 1 to r
 *   engaged, debt 0        step: idle                     RETURN 1 to its home; free
 *   root, debt 0           step: idle                     done
 *
 *   message  from, to          fields              duplicated  reordered
 *   TASK     any, any          token: sender       never       against anything
 *   RETURN   receiver, sender  1, words            never       against anything
 *
 * Proof.  Every row keeps S1 to S3 of termination/rooted.c, which has the rest.
 * D1 there is one RETURN for each TASK: an import that engages is answered when the engagement
 *    ends, any other import at once.  A token that its own sender takes back has not arrived
 *    anywhere.
 * The last answer comes over as many hops as the tree of engagement is deep, up to n.
 */
#include "termination/rooted.h"

static bool diffuse_keeps(const struct jdi_rooted *s, struct jdi_rooted_token t)
{
    (void)s, (void)t;
    return false;
}

const struct jdi_rooted_rule jdi_rooted_diffuse = {
    .name = "diffuse",
    .max_exponent = 0,
    .give = jdi_rooted_lend,
    .keeps = diffuse_keeps,
};
