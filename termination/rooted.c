/*
 * rooted.c - the rooted detector: what every rule has in common.
 *
 * Role: who is engaged by whom, what has come back, and the end of an engagement.
 * Owner: the communication thread of the rank.
 * Invariants: S1 to S3 below, which hold with every rule.
 * See: termination/rooted.h; the rules: termination/credit.c, termination/diffuse.c, which have
 *      the tables of events and the proofs.
 *
 * S1 for each rank g: debt_g = the weight in g's tokens and in RETURNs to g on their way + the
 *    weight of all ranks whose home is g.
 * S2 a rank with a live task or with debt > 0 is the root or is engaged; an engaged rank has
 *    at least one unit.
 * S3 the engaged ranks form a forest of which only the root is a root.  A rank becomes engaged
 *    by g when g has debt, so g is the root or engaged (S2).  g stays engaged until its debt is
 *    0, so by S1 it stays engaged longer than that rank.  A rank is engaged by one rank at a
 *    time, so there is no cycle.
 * Safety.  Let the root be idle with debt 0.  By S1 no rank has the root as home, and no token or
 * RETURN of the root exists.  If some rank were engaged, by S3 its chain of homes would end at
 * the root, so no rank is engaged.  So by S2 no other rank is live or has debt, and by S1 no
 * token exists: no task message and no RETURN.
 * Liveness.  After the last task the engaged ranks only get RETURNs.  A rank at the end of a
 * chain has debt 0 as soon as its RETURNs have arrived; it returns its weight and leaves.  The
 * forest shrinks until the root's debt is 0.
 */
#include "termination/rooted.h"

#include "termination/parts.h"

#include <string.h>

static const struct jdi_rooted_rule *const rules[] = {&jdi_rooted_credit,
                                                      &jdi_rooted_diffuse};

const struct jdi_rooted_rule *jdi_rooted_rule_at(size_t i)
{
    return i < JDI_ARRAY_LEN(rules) ? rules[i] : NULL;
}

void jdi_rooted_init(struct jdi_rooted *s, uint32_t rank, uint32_t root,
                     const struct jdi_rooted_rule *rule, const struct jdi_rooted_env *env)
{
    memset(s, 0, sizeof *s);
    s->env = *env;
    s->rule = rule;
    s->rank = rank;
    s->root = root;
    s->max_exponent = rule->max_exponent;
    s->engaged = rank == root;
    s->home = root;
}

struct jdi_rooted_token jdi_rooted_lend(struct jdi_rooted *s)
{
    JD_CHECK(s->debt + jdi_rooted_units(s, 0) > s->debt);
    s->debt += jdi_rooted_units(s, 0);
    return (struct jdi_rooted_token){s->rank, 0};
}

static void give_back(struct jdi_rooted *s, uint32_t home, struct jdi_rooted_return *m)
{
    s->sent++;
    s->env.send(s->env.ctx, home, m);
}

struct jdi_rooted_token jdi_rooted_exported(struct jdi_rooted *s)
{
    JD_CHECK(s->engaged); /* S2 */
    return s->rule->give(s);
}

const char *jdi_rooted_fault_of_token(const struct jdi_rooted *s,
                                      struct jdi_rooted_token t)
{
    if (t.e > s->max_exponent)
        return "its token has an exponent that is too large";
    if (t.home == s->rank && (!s->engaged || s->debt < jdi_rooted_units(s, t.e)))
        return "its token was not given by this rank"; /* S1, S2 */
    return NULL;
}

const char *jdi_rooted_fault_of_return(const struct jdi_rooted *s,
                                       const struct jdi_rooted_return *m)
{
    if (!s->engaged || m->weight > s->debt) /* S1, S2 */
        return "it gives back more than was given";
    return m->weight ? NULL : "it gives back nothing";
}

void jdi_rooted_imported(struct jdi_rooted *s, struct jdi_rooted_token t)
{
    JD_CHECK(!jdi_rooted_fault_of_token(s, t));
    uint64_t weight = jdi_rooted_units(s, t.e);
    if (t.home == s->rank) {
        s->debt -= weight;
    } else if (!s->engaged) {
        s->engaged = true;
        s->home = t.home;
        s->weight = weight;
    } else if (!jdi_rooted_is_root(s) && s->rule->keeps(s, t)) {
        s->weight += weight;
    } else {
        struct jdi_rooted_return m = {.weight = weight};
        give_back(s, t.home, &m);
    }
}

void jdi_rooted_returned(struct jdi_rooted *s, const struct jdi_rooted_return *m)
{
    JD_CHECK(!jdi_rooted_fault_of_return(s, m));
    s->debt -= m->weight;
    jdi_td_add_stat(s->heard, m->stat);
}

/* This rank's words since the last time, and the words that came back with weights. */
static void take_words(struct jdi_rooted *s, uint64_t out[JDI_TD_STATS])
{
    uint64_t own[JDI_TD_STATS];
    s->env.stat(s->env.ctx, own);
    for (int i = 0; i < JDI_TD_STATS - 1; i++)
        out[i] = own[i] - s->told[i];
    out[JDI_TD_STATS - 1] = own[JDI_TD_STATS - 1] ^ s->told[JDI_TD_STATS - 1];
    memcpy(s->told, own, sizeof own);
    jdi_td_add_stat(out, s->heard);
    memset(s->heard, 0, sizeof s->heard);
}

void jdi_rooted_step(struct jdi_rooted *s)
{
    struct jdi_rooted_return m = {.weight = s->weight};
    if (!s->engaged || s->debt > 0 || !s->env.idle(s->env.ctx))
        return;
    take_words(s, m.stat);
    s->engaged = false;
    s->weight = 0;
    if (jdi_rooted_is_root(s))
        s->env.done(s->env.ctx, m.stat);
    else
        give_back(s, s->home, &m);
}

bool jdi_rooted_engaged(const struct jdi_rooted *s)
{
    return s->engaged;
}

void jdi_rooted_check(const struct jdi_rooted *s)
{
    JD_CHECK(s->max_exponent <= s->rule->max_exponent);
    JD_CHECK(s->engaged || (s->debt == 0 && s->weight == 0));        /* S2 */
    JD_CHECK(!s->engaged || jdi_rooted_is_root(s) || s->weight > 0); /* S2 */
    JD_CHECK(!jdi_rooted_is_root(s) || s->weight == 0);
    JD_CHECK(!s->engaged || jdi_rooted_is_root(s) || s->home != s->rank); /* S3 */
}
