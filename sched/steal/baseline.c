/*
 * baseline.c - load-aware stealing that may be refused.
 *
 * Role: the thief looks for a victim with a load, asks for the victim's lock, and waits for the
 *       answer.  The victim serves one thief in each turn and turns other thieves away.
 * Invariants: those of steal.h. I4 at most one thief waits at a victim: this is the lock.
 * See: Kumar et al., Algorithms 1 and 2, BaselineWS; doc/transfer.md "baseline".
 */
#include "sched/steal/steal.h"

static struct jdi_steal_move baseline_hungry(struct jdi_steal *s, uint64_t now)
{
    if (s->open) /* WAIT_UNTIL_VICTIM_REPLY */
        return jdi_steal_nothing();
    if (s->candidate != JDI_STEAL_NOBODY) {
        uint32_t victim = s->candidate;
        s->candidate = JDI_STEAL_NOBODY;
        return jdi_steal_ask(s, victim, JDI_STEAL_LOCK, now);
    }
    if (s->looking == JDI_STEAL_LOOKS ||
        !jdi_steal_due(s, now, s->looking ? jdi_steal_silence(s) : s->wait))
        return jdi_steal_nothing();
    return jdi_steal_look(s, jdi_steal_choose(s), now);
}

static enum jdi_steal_verdict
baseline_asked(struct jdi_steal *s, const struct jdi_steal_request *q, bool spare)
{
    (void)spare; /* tasks are given in the turn only */
    if (q->early || q->late)
        return JDI_STEAL_REFUSE;
    if (s->thieves.n)
        return JDI_STEAL_TURN;
    return jdi_steal_remember(s, q, JDI_STEAL_WAIT);
}

static bool baseline_patient(const struct jdi_steal *s)
{
    return s->config->nranks == 1 || s->failed >= 2;
}

const struct jdi_steal_ops jdi_steal_baseline = {
    .name = "baseline",
    .manners = 1u << JDI_STEAL_LOCK,
    .reads = true,
    .by_load = true,
    .hungry = baseline_hungry,
    .asked = baseline_asked,
    .patient = baseline_patient,
};
