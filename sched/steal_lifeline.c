/*
 * steal_lifeline.c - a few random tries, then lifelines.
 *
 * Role: w random victims; if all refuse, the thief has its lifelines remember it, about
 *       log2 of the number of ranks, and keeps quiet until one of them gives.
 * Owner: as steal.h.
 * Invariants: as steal.h. I4 only lifelines are in `contacted`.
 * See: Saraswat et al., Lifeline-based global load balancing; doc/transfer.md "lifeline".
 */
#include "sched/steal.h"

/* The j-th lifeline of this rank, or NOBODY: along these a task reaches every rank. */
static uint32_t lifeline(const struct jdi_steal_config *c, unsigned j)
{
    uint64_t step = (uint64_t)1 << j;
    return step < c->nranks ? (uint32_t)((c->rank + step) % c->nranks) : JDI_STEAL_NOBODY;
}

/* The next lifeline that does not remember this rank, or NOBODY. */
static uint32_t next_lifeline(const struct jdi_steal *s)
{
    const struct jdi_steal_config *c = s->config;
    for (unsigned j = 0;; j++) {
        uint32_t v = lifeline(c, j);
        if (v == JDI_STEAL_NOBODY)
            return v;
        if (!jdi_rankset_has(&s->contacted, v) &&
            (c->cyclic || !jdi_thieves_has(&s->thieves, v)))
            return v;
    }
}

static struct jdi_steal_move hungry(struct jdi_steal *s, uint64_t now)
{
    if (s->open == JDI_STEAL_OPEN ||
        (s->open && !jdi_steal_due(s, now, JDI_STEAL_SILENCE_NS)))
        return jdi_steal_nothing();
    if (s->tried < s->config->tries) {
        s->tried++;
        return jdi_steal_ask(s, jdi_steal_choose(s), JDI_STEAL_NOW, now);
    }
    uint32_t victim = next_lifeline(s);
    return victim == JDI_STEAL_NOBODY ? jdi_steal_nothing()
                                      : jdi_steal_ask(s, victim, JDI_STEAL_KEEP, now);
}

static enum jdi_steal_verdict asked(struct jdi_steal *s,
                                    const struct jdi_steal_request *q, bool spare)
{
    if (q->manner == JDI_STEAL_KEEP)
        return jdi_steal_keep(s, q, spare);
    return spare && !q->early && !q->late ? JDI_STEAL_GIVE : JDI_STEAL_REFUSE;
}

/* Quiet: nobody is left to ask. */
static bool patient(const struct jdi_steal *s)
{
    return s->config->nranks == 1 ||
           (s->tried == s->config->tries && next_lifeline(s) == JDI_STEAL_NOBODY);
}

const struct jdi_steal_ops jdi_steal_lifeline = {
    .name = "lifeline",
    .hungry = hungry,
    .asked = asked,
    .patient = patient,
};
