/*
 * credit.c - weights for rooted detectors, with a step of Dijkstra and Scholten on underflow.
 *
 * Role: the rule `credit` of rooted detectors: how weight is given and what is kept.
 * Owner: the communication thread of the rank.
 * Invariants: S1 to S3 of termination/rooted.c, and C1 below.
 * See: Mattern, "Global quiescence detection based on credit distribution and recovery", IPL
 *      30(4), 1989; Dijkstra and Scholten, IPL 11(1), 1980; doc/termination.md section 11;
 *      test/models/credit.pml.
 *
 * A rank that gives credit is a giver: the root, and any rank whose weight could not be divided
 * any further (the step on underflow).  A giver makes credit out of nothing, 1 for each message.
 * Its debt is the credit that has not come back.  Every other rank with live tasks holds weight
 * of one giver, its home, and gives part of that weight with each message.
 *
 *   state of a rank        event                                 sends, and becomes
 *   root                   export                                token 1, debt += 1
 *   engaged, weight > 1u   export                                half of the weight, rounded
 *                                                                to a power of two
 *   engaged, weight 1u     export (underflow)                    token 1, debt += 1: a giver
 *   giver                  export                                token 1, debt += 1
 *   any                    import of an own token                debt -= its weight
 *   engaged by h           import of a token of h                weight += its weight
 *   engaged by h, or root  import of a token of g                RETURN to g
 *   not engaged            import of a token of g                engaged by g with its weight
 *   engaged, debt 0        step: idle                            RETURN of all to its home; free
 *   root, debt 0           step: idle                            done
 *
 *   message  from, to        fields                       duplicated  reordered
 *   TASK     any, any        token: giver, exponent       never       against anything
 *   RETURN   any, giver      weight, words                never       against anything
 *
 * (u: a unit, 2^-max_exponent.)
 *
 * Proof.  Every row keeps S1 to S3 of termination/rooted.c, which has the rest: half of a weight
 * that is more than a unit leaves a unit (S2), and a giver that is not the root keeps its own
 * weight until its debt is 0 (S3).
 * C1 a rank adds only weight of the same home, so a sum never exceeds what this home gave.  The
 *    sum fits in 64 bits for 2^31 messages; after that a token is returned instead of added.
 * With max_exponent 0 a rank that has got one message is a giver once it exports, as in
 * termination/diffuse.c.  With a large max_exponent hardly any rank but the root is a giver, and
 * the end is one hop away, but all returns go to the root.  A return has a unit at least, so
 * there may be 2^max_exponent returns for each token of a giver.
 */
#include "termination/rooted.h"

/* The exponent of the largest power of two that leaves at least as much weight as it takes. */
static uint8_t half(const struct jdi_rooted *s)
{
    uint8_t e = 0;
    while (jdi_rooted_units(s, e) > s->weight / 2)
        e++;
    return e;
}

static struct jdi_rooted_token credit_give(struct jdi_rooted *s)
{
    bool root = jdi_rooted_is_root(s);
    if (root || s->debt > 0 || s->weight < 2) {
        s->steps += !root && s->debt == 0;
        return jdi_rooted_lend(s);
    }
    struct jdi_rooted_token t = {s->home, half(s)};
    s->weight -= jdi_rooted_units(s, t.e);
    return t;
}

static bool credit_keeps(const struct jdi_rooted *s, struct jdi_rooted_token t)
{
    return t.home == s->home && s->weight <= INT64_MAX; /* C1 */
}

const struct jdi_rooted_rule jdi_rooted_credit = {
    .name = "credit",
    .max_exponent = JDI_ROOTED_EXPONENT,
    .give = credit_give,
    .keeps = credit_keeps,
};
