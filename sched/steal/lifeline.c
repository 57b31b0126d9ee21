/*
 * lifeline.c - a few random tries, then lifelines.
 *
 * Role: the thief asks w random victims.  If all refuse, the thief asks its lifelines, about log2
 *       of the number of ranks, to remember it, and waits until a lifeline gives.  Meanwhile a
 *       random rank is still tried now and then, unless w is 0.
 * Invariants: those of steal.h. I4 only lifelines are in `contacted`.
 * See: Saraswat et al., Lifeline-based global load balancing; doc/transfer.md "lifeline".
 */
#include "sched/steal/steal.h"

/* The j-th lifeline of this rank, or NOBODY.  Along lifelines a task can reach every rank. */
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

/*
 * Lifelines that have just enough tasks for themselves give none to this rank, even if other ranks
 * have many.  So this rank still tries random ranks, as seldom as any thief that finds nothing.
 * With w = 0 this rank relies on its lifelines alone.
 */
static struct jdi_steal_move retry(struct jdi_steal *s, uint64_t now)
{
    if (!s->config->tries || !jdi_steal_due(s, now, JDI_STEAL_PAUSE_NS))
        return jdi_steal_nothing();
    return jdi_steal_ask(s, jdi_steal_choose(s), JDI_STEAL_NOW, now);
}

static struct jdi_steal_move lifeline_hungry(struct jdi_steal *s, uint64_t now)
{
    if (s->open == JDI_STEAL_OPEN ||
        (s->open && !jdi_steal_due(s, now, jdi_steal_silence(s))))
        return jdi_steal_nothing();
    if (s->tried < s->config->tries) {
        s->tried++;
        return jdi_steal_ask(s, jdi_steal_choose(s), JDI_STEAL_NOW, now);
    }
    uint32_t victim = next_lifeline(s);
    if (victim != JDI_STEAL_NOBODY)
        return jdi_steal_ask(s, victim, JDI_STEAL_KEEP, now);
    return retry(s, now);
}

static enum jdi_steal_verdict
lifeline_asked(struct jdi_steal *s, const struct jdi_steal_request *q, bool spare)
{
    if (q->manner == JDI_STEAL_KEEP)
        return jdi_steal_keep(s, q, spare);
    return spare && !q->early && !q->late ? JDI_STEAL_GIVE : JDI_STEAL_REFUSE;
}

/* True if all tries failed and all lifelines remember this rank. */
static bool lifeline_patient(const struct jdi_steal *s)
{
    return s->config->nranks == 1 ||
           (s->tried == s->config->tries && next_lifeline(s) == JDI_STEAL_NOBODY);
}

const struct jdi_steal_ops jdi_steal_lifeline = {
    .name = "lifeline",
    .manners = 1u << JDI_STEAL_NOW | 1u << JDI_STEAL_KEEP,
    .hungry = lifeline_hungry,
    .asked = lifeline_asked,
    .patient = lifeline_patient,
};
