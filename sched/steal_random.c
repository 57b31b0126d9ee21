/*
 * steal_random.c - the paper's thief: a random victim, again and again.
 *
 * Role: one request at a time; after a refusal the next victim at once, then, when every
 *       rank could have been asked, ever slower; a victim that does not answer (it computes
 *       and polls for itself) does not stop the thief from asking others.
 * Owner: as steal.h.
 * Invariants: as steal.h.
 * See: paper 003 section 6, process().
 */
#include "sched/rank.h"
#include "sched/steal.h"

enum {
    SILENCE_NS =
        100000, /* ask another victim when the last has not answered for so long */
    PAUSE_MIN_NS = 2000, /* between requests, once everybody has refused */
    PAUSE_MAX_NS = 200000
};

static void init(struct jdi_steal *s, uint32_t rank, uint32_t nranks, uint64_t *rng)
{
    *s = (struct jdi_steal){.rank = rank, .nranks = nranks, .rng = rng};
}

static uint32_t hungry(struct jdi_steal *s, uint64_t now)
{
    s->next_at = UINT64_MAX;
    if (s->nranks == 1 || s->open == JDI_STEAL_OPEN)
        return JDI_STEAL_NOBODY;
    uint64_t wait = s->open ? SILENCE_NS : s->wait;
    if (wait && now - s->asked_at < wait) {
        s->next_at = s->asked_at + wait;
        return JDI_STEAL_NOBODY;
    }
    uint32_t victim = jdi_random_below(s->rng, s->nranks - 1);
    victim += victim >= s->rank;
    s->open++;
    s->attempts++;
    s->asked_at = now;
    s->next_at = now + SILENCE_NS;
    return victim;
}

static void answered(struct jdi_steal *s, uint32_t victim, uint32_t ntasks)
{
    (void)victim;
    JD_CHECK(s->open > 0);
    s->open--;
    if (ntasks) {
        s->successes++;
        s->wait = 0;
        return;
    }
    s->refused++;
    s->failed++;
    if (s->failed < s->nranks)
        s->wait = 0;
    else
        s->wait = s->wait < PAUSE_MIN_NS       ? PAUSE_MIN_NS
                  : s->wait < PAUSE_MAX_NS / 2 ? 2 * s->wait
                                               : PAUSE_MAX_NS;
}

static void fed(struct jdi_steal *s)
{
    s->failed = 0;
    s->wait = 0;
}

const struct jdi_steal_ops jdi_steal_random = {
    .name = "random",
    .init = init,
    .hungry = hungry,
    .answered = answered,
    .fed = fed,
};
