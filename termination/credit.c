/*
 * credit.c - weights for rooted scopes, with a step of Dijkstra and Scholten on underflow.
 *
 * Role: decide that a scope has ended, at its home only.
 * Owner: the communication thread of the rank.
 * Invariants: I1 to I4 below.
 * See: Mattern, "Global quiescence detection based on credit distribution and recovery", IPL
 *      30(4), 1989; Dijkstra and Scholten, IPL 11(1), 1980; doc/termination.md section 11;
 *      test/models/credit.pml.
 *
 * A rank that gives credit is a giver: the root of the scope, and any rank whose weight could
 * not be divided any further (the step on underflow).  A giver makes credit out of nothing, 1
 * for each message, and counts what has not come back: its debt.  Every other rank with live
 * tasks holds weight of one giver, its home, and gives part of it with each message.
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
 * Proof.
 * I1 for each giver g: debt_g = the weight in g's tokens and RETURNs under way + the weight of
 *    all ranks whose home is g.  (Every row of the table keeps it.)
 * I2 a rank with a live task or with debt > 0 is the root or is engaged; an engaged rank has
 *    at least one unit.
 * I3 the engaged ranks form a forest of which only the root is a root: a rank becomes engaged
 *    by g when g has debt, so g is the root or engaged (I2), and g is not released before its
 *    debt is 0, so by I1 before that rank is.  A rank is engaged once, so there is no cycle.
 * I4 weight is only ever added to a home's own, so a sum never exceeds what g gave; it fits in
 *    64 bits for 2^31 messages, after which a token is returned instead of added.
 * Safety.  Let the root be idle with debt 0.  By I1 nobody has it as home and no token or RETURN
 * of it exists.  If some rank were engaged, by I3 its chain of homes would end at the root:
 * nobody is.  So by I2 nobody else is live or has debt, and by I1 no token exists: no task
 * message and no RETURN.
 * Liveness.  After the last task the engaged ranks only get RETURNs.  A rank at the end of a
 * chain has debt 0 as soon as its RETURNs have arrived, returns its weight and leaves; the
 * forest shrinks until the root's debt is 0.
 * With max_exponent 0 every rank that exports is a giver, and this is Dijkstra and Scholten;
 * with a large one no rank but the root is one, and the end is one hop away.
 */
#include "termination/parts.h"
#include "termination/scope.h"

#include <string.h>

void jdi_scope_init(struct jdi_scope *s, uint32_t rank, uint32_t root,
                    uint8_t max_exponent, const struct jdi_scope_env *env)
{
    JD_CHECK(max_exponent <= JDI_SCOPE_EXPONENT);
    memset(s, 0, sizeof *s);
    s->env = *env;
    s->rank = rank;
    s->root = root;
    s->max_exponent = max_exponent;
    s->engaged = rank == root;
    s->home = root;
}

static bool is_root(const struct jdi_scope *s)
{
    return s->rank == s->root;
}

static void give_back(struct jdi_scope *s, uint32_t home, struct jdi_scope_return *m)
{
    s->sent++;
    s->env.send(s->env.ctx, home, m);
}

/* The exponent of the largest power of two that leaves at least as much. */
static uint8_t half(const struct jdi_scope *s)
{
    uint8_t e = 0;
    while (jdi_scope_units(s, e) > s->weight / 2)
        e++;
    return e;
}

struct jdi_scope_token jdi_scope_exported(struct jdi_scope *s)
{
    JD_CHECK(s->engaged);
    if (is_root(s) || s->debt > 0 || s->weight < 2) {
        s->steps += !is_root(s) && s->debt == 0;
        JD_CHECK(s->debt + jdi_scope_units(s, 0) > s->debt);
        s->debt += jdi_scope_units(s, 0);
        return (struct jdi_scope_token){s->rank, 0};
    }
    struct jdi_scope_token t = {s->home, half(s)};
    s->weight -= jdi_scope_units(s, t.e);
    return t;
}

void jdi_scope_imported(struct jdi_scope *s, struct jdi_scope_token t)
{
    JD_CHECK(t.e <= s->max_exponent);
    uint64_t weight = jdi_scope_units(s, t.e);
    if (t.home == s->rank) {
        JD_CHECK(s->engaged && s->debt >= weight); /* I1, I2 */
        s->debt -= weight;
        return;
    }
    if (!s->engaged) {
        s->engaged = true;
        s->home = t.home;
        s->weight = weight;
        return;
    }
    if (!is_root(s) && t.home == s->home && s->weight <= INT64_MAX) {
        s->weight += weight; /* I4 */
        return;
    }
    struct jdi_scope_return m = {.weight = weight};
    give_back(s, t.home, &m);
}

void jdi_scope_returned(struct jdi_scope *s, const struct jdi_scope_return *m)
{
    JD_CHECK(s->engaged && m->weight > 0 && m->weight <= s->debt); /* I1, I2 */
    s->debt -= m->weight;
    jdi_td_add_stat(s->heard, m->stat);
}

/* Own words since the last time, and those that came back with weights. */
static void take_words(struct jdi_scope *s, uint64_t out[JDI_TD_STATS])
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

void jdi_scope_step(struct jdi_scope *s)
{
    struct jdi_scope_return m = {.weight = s->weight};
    if (!s->engaged || s->debt > 0 || !s->env.idle(s->env.ctx))
        return;
    take_words(s, m.stat);
    s->engaged = false;
    s->weight = 0;
    if (is_root(s))
        s->env.done(s->env.ctx, m.stat);
    else
        give_back(s, s->home, &m);
}

bool jdi_scope_engaged(const struct jdi_scope *s)
{
    return s->engaged;
}

void jdi_scope_check(const struct jdi_scope *s)
{
    JD_CHECK(s->max_exponent <= JDI_SCOPE_EXPONENT);
    JD_CHECK(s->engaged || (s->debt == 0 && s->weight == 0)); /* I2 */
    JD_CHECK(!s->engaged || is_root(s) || s->weight > 0);     /* I2 */
    JD_CHECK(!is_root(s) || s->weight == 0);
    JD_CHECK(!s->engaged || is_root(s) || s->home != s->rank); /* I3 */
}
