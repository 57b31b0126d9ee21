/*
 * random.c - the paper's thief: a random victim, again and again.
 *
 * Role: one request at a time.  After a refusal the thief asks the next victim at once; after as
 *       many refusals as there are ranks it asks ever more slowly.  If a victim does not answer
 *       (because it computes and does not poll), the thief asks others.
 * See: steal.h; paper 003 section 6, process(); doc/transfer.md "random".
 */
#include "sched/steal/steal.h"

static struct jdi_steal_move random_hungry(struct jdi_steal *s, uint64_t now)
{
    if (s->open == JDI_STEAL_OPEN ||
        !jdi_steal_due(s, now, s->open ? jdi_steal_silence(s) : s->wait))
        return jdi_steal_nothing();
    return jdi_steal_ask(s, jdi_steal_choose(s), JDI_STEAL_NOW, now);
}

static enum jdi_steal_verdict random_asked(struct jdi_steal *s,
                                           const struct jdi_steal_request *q, bool spare)
{
    (void)s;
    return spare && !q->early && !q->late ? JDI_STEAL_GIVE : JDI_STEAL_REFUSE;
}

static bool random_patient(const struct jdi_steal *s)
{
    return s->config->nranks == 1 || s->failed >= 2;
}

const struct jdi_steal_ops jdi_steal_random = {
    .name = "random",
    .manners = 1u << JDI_STEAL_NOW,
    .reads = true,
    .hungry = random_hungry,
    .asked = random_asked,
    .patient = random_patient,
};
