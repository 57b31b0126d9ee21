/*
 * success_only.c - stealing that does not fail.
 *
 * Role: the thief registers with each loaded victim that it has not contacted, and goes on
 *       searching.  A victim keeps thieves in the order of arrival until it has tasks, and never
 *       refuses one.
 * Invariants: those of steal.h. I4 a victim in `contacted` is not asked again before it has given.
 * See: Kumar et al., Algorithms 1 and 2, SuccessOnlyWS; doc/transfer.md "success-only".
 */
#include "sched/steal/steal.h"

static bool contacted_all(const struct jdi_steal *s)
{
    return s->contacted.n == s->config->nranks - 1;
}

/* The chosen rank, or the first rank after it that was not contacted.  Such a rank exists. */
static uint32_t choose_fresh(struct jdi_steal *s)
{
    uint32_t v = jdi_steal_choose(s);
    while (v == s->config->rank || jdi_rankset_has(&s->contacted, v))
        v = v + 1 < s->config->nranks ? v + 1 : 0;
    return v;
}

static struct jdi_steal_move success_hungry(struct jdi_steal *s, uint64_t now)
{
    uint32_t victim = s->candidate;
    if (!s->config->cyclic && victim != JDI_STEAL_NOBODY &&
        jdi_thieves_has(&s->thieves, victim))
        victim = s->candidate = JDI_STEAL_NOBODY; /* the candidate waits here itself */
    if (victim != JDI_STEAL_NOBODY && s->open < JDI_STEAL_OPEN) {
        s->candidate = JDI_STEAL_NOBODY;
        return jdi_steal_ask(s, victim, JDI_STEAL_KEEP, now);
    }
    if (contacted_all(s) || s->looking == JDI_STEAL_LOOKS || s->open == JDI_STEAL_OPEN ||
        !jdi_steal_due(s, now, s->open || s->looking ? jdi_steal_silence(s) : s->wait))
        return jdi_steal_nothing();
    return jdi_steal_look(s, choose_fresh(s), now);
}

static bool success_patient(const struct jdi_steal *s)
{
    return s->config->nranks == 1 || s->failed >= 2 || contacted_all(s);
}

const struct jdi_steal_ops jdi_steal_success_only = {
    .name = "success-only",
    .manners = 1u << JDI_STEAL_KEEP,
    .reads = true,
    .by_load = true,
    .hungry = success_hungry,
    .asked = jdi_steal_keep,
    .patient = success_patient,
};
