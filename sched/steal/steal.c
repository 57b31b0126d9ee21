/*
 * steal.c - what the steal policies share: choosing, pausing, remembering, counting.
 *
 * Role: the common half of the four policies; a policy's own file has only its decisions.
 * Invariants: those of steal.h.
 * See: steal.h; doc/transfer.md, "The policies".
 */
#include "sched/steal/steal.h"

#include "core/random.h"

enum {
    SILENCE_NS = 100000, /* without an answer for so long, try another victim */
    PAUSE_MIN_NS = 2000, /* after the first round of failures */
    ROUND = 64           /* failures between two pauses, or as many as there are ranks */
};

static uint32_t whole_round(const struct jdi_steal *s)
{
    return s->config->nranks < ROUND ? s->config->nranks : ROUND;
}

static void forget_failures(struct jdi_steal *s)
{
    s->failed = 0;
    s->wait = s->pause = 0;
    s->round = s->left = whole_round(s);
    s->dear = false;
}

void jdi_steal_init(struct jdi_steal *s, const struct jdi_steal_config *config)
{
    *s = (struct jdi_steal){.config = config};
    s->candidate = s->last = JDI_STEAL_NOBODY;
    forget_failures(s);
}

void jdi_steal_fini(struct jdi_steal *s)
{
    jdi_rankset_clear(&s->contacted);
    jdi_thieves_clear(&s->thieves);
    jdi_thieves_clear(&s->early);
}

void jdi_steal_begin(struct jdi_steal *s)
{
    JD_CHECK(!s->contacted.n && !s->thieves.n);
    jdi_thieves_clear(&s->thieves);
    s->phase++;
    s->thieves = s->early;
    s->early = (struct jdi_thieves){0};
    jdi_steal_fed(s);
}

void jdi_steal_end(struct jdi_steal *s)
{
    s->count.unserved += s->contacted.n;
    jdi_rankset_clear(&s->contacted);
    jdi_thieves_clear(&s->thieves);
    s->searching = false;
    jdi_steal_fed(s);
}

void jdi_steal_fed(struct jdi_steal *s)
{
    s->tried = s->asked = 0;
    s->candidate = JDI_STEAL_NOBODY;
    forget_failures(s);
}

struct jdi_steal_move jdi_steal_hungry(const struct jdi_steal_ops *ops,
                                       struct jdi_steal *s, uint64_t now)
{
    s->next_at = UINT64_MAX;
    s->searching = true;
    if (s->config->nranks == 1)
        return jdi_steal_nothing();
    return ops->hungry(s, now);
}

void jdi_steal_check(const struct jdi_steal *s)
{
    uint32_t nranks = s->config->nranks;
    JD_CHECK(s->open <= JDI_STEAL_OPEN && s->looking <= JDI_STEAL_LOOKS);
    for (uint32_t i = 0; i < s->open; i++) {
        const struct jdi_steal_asked *q = &s->asking[i];
        JD_CHECK(q->victim < nranks && q->victim != s->config->rank);
        JD_CHECK((int32_t)(s->phase - q->phase) >= 0); /* of this phase, or late */
    }
    JD_CHECK(!jdi_rankset_has(&s->contacted, s->config->rank));
    JD_CHECK(!jdi_thieves_has(&s->thieves, s->config->rank));
    JD_CHECK(s->count.steals + s->count.failed + s->count.occupied + s->count.crossed <=
             s->count.attempts + s->count.second);
    jdi_rankset_check(&s->contacted);
    jdi_thieves_check(&s->thieves);
    jdi_thieves_check(&s->early);
}

/* ---- what came of it ---------------------------------------------------------------- */

/*
 * A round of failures costs one pause, and each pause is twice the one before.  Once the pause is at
 * its longest, rounds with messages in them become shorter, until the thief rests between any two
 * messages.  Loads in memory cost nobody anything, so a round of them stays whole.
 */
static void vain(struct jdi_steal *s, bool message)
{
    s->failed++;
    s->wait = 0;
    s->dear |= message;
    if (--s->left)
        return;
    if (s->pause == JDI_STEAL_PAUSE_NS && s->dear && s->round > 1)
        s->round /= 2;
    s->pause = s->pause < PAUSE_MIN_NS             ? PAUSE_MIN_NS
               : s->pause < JDI_STEAL_PAUSE_NS / 2 ? 2 * s->pause
                                                   : JDI_STEAL_PAUSE_NS;
    s->wait = s->pause;
    s->left = s->round;
    s->dear = false;
}

void jdi_steal_load(struct jdi_steal *s, uint32_t victim, uint64_t tasks, bool message)
{
    JD_CHECK(s->looking > 0);
    s->looking--;
    bool useful = tasks > s->config->threshold &&
                  !jdi_rankset_has(&s->contacted, victim) &&
                  (s->config->cyclic || !jdi_thieves_has(&s->thieves, victim));
    if (useful)
        s->candidate = victim;
    else
        vain(s, message);
}

static void got_tasks(struct jdi_steal *s, uint32_t victim)
{
    s->count.steals++;
    forget_failures(s); /* here too, because one hungry worker keeps jdi_steal_fed away */
    s->last = victim;
    if (s->searching)
        s->count.searches[s->asked < JDI_STEAL_SEARCHES ? s->asked
                                                        : JDI_STEAL_SEARCHES - 1]++;
    s->searching = false;
    s->asked = 0;
}

/* The manners, as bits, to which `a` can be the first answer. */
static unsigned manners_of(enum jdi_steal_answer a)
{
    const unsigned now = 1u << JDI_STEAL_NOW, lock = 1u << JDI_STEAL_LOCK;
    switch (a) {
    case JDI_STEAL_TASKS:
    case JDI_STEAL_REFUSED:
        return now | lock;
    case JDI_STEAL_OCCUPIED:
        return lock;
    case JDI_STEAL_PROMPT:
    case JDI_STEAL_KEPT:
    case JDI_STEAL_CROSSED:
        return 1u << JDI_STEAL_KEEP;
    case JDI_STEAL_SECOND:
    default:
        return 0;
    }
}

/* The index of the request that the answer belongs to, or `open` if there is none. */
static uint32_t find_asked(const struct jdi_steal *s, uint32_t v, uint32_t phase,
                           enum jdi_steal_answer a)
{
    const struct jdi_steal_asked *q = s->asking;
    uint32_t i = 0;
    while (i < s->open && (q[i].victim != v || q[i].phase != phase ||
                           !(manners_of(a) >> q[i].manner & 1)))
        i++;
    return i;
}

const char *jdi_steal_fault_of_answer(const struct jdi_steal *s, uint32_t v,
                                      uint32_t phase, enum jdi_steal_answer a)
{
    bool remembered = a == JDI_STEAL_PROMPT || a == JDI_STEAL_SECOND;
    if (remembered && !jdi_rankset_has(&s->contacted, v))
        return "it gives to a thief that does not wait for it";
    if (a != JDI_STEAL_SECOND && find_asked(s, v, phase, a) == s->open)
        return "it answers a request that was not made";
    return NULL;
}

const char *jdi_steal_fault_of_request(const struct jdi_steal_ops *ops,
                                       const struct jdi_steal *s,
                                       const struct jdi_steal_request *q)
{
    bool waits = q->manner != JDI_STEAL_NOW && !q->late;
    if (!(ops->manners >> q->manner & 1))
        return "its manner is of another policy";
    if (q->knows && q->manner != JDI_STEAL_KEEP)
        return "it knows what only a thief that waits can know";
    if (waits && jdi_thieves_has(q->early ? &s->early : &s->thieves, q->thief.rank))
        return "its thief waits here already";
    return NULL;
}

void jdi_steal_answered(struct jdi_steal *s, uint32_t victim, uint32_t phase,
                        enum jdi_steal_answer a)
{
    if (a != JDI_STEAL_SECOND) {
        uint32_t i = find_asked(s, victim, phase, a);
        JD_CHECK(i < s->open);
        s->asking[i] = s->asking[--s->open];
    }
    switch (a) {
    case JDI_STEAL_TASKS: /* `contacted` stays: a lifeline may still remember this rank */
        got_tasks(s, victim);
        break;
    case JDI_STEAL_PROMPT:
    case JDI_STEAL_SECOND:
        s->count.second += a == JDI_STEAL_SECOND;
        JD_CHECK(jdi_rankset_remove(&s->contacted, victim));
        got_tasks(s, victim);
        break;
    case JDI_STEAL_REFUSED:
        s->count.failed++;
        vain(s, true);
        break;
    case JDI_STEAL_OCCUPIED:
        s->count.occupied++;
        vain(s, true);
        break;
    case JDI_STEAL_CROSSED:
        s->count.crossed += jdi_rankset_remove(&s->contacted, victim);
        vain(s, true);
        break;
    case JDI_STEAL_KEPT:
    default:
        break;
    }
}

/* ---- choosing and moving ------------------------------------------------------------ */

static uint32_t other_than(uint64_t *rng, uint32_t self, uint32_t n)
{
    uint32_t i = jdi_random_below(rng, n - 1);
    return i + (i >= self);
}

/* A random rank of this host. */
static uint32_t choose_near(const struct jdi_steal_config *c)
{
    uint32_t self = 0;
    while (self < c->npeers && c->peers[self] != c->rank)
        self++;
    return c->peers[other_than(c->rng, self, c->npeers)];
}

uint32_t jdi_steal_choose(struct jdi_steal *s)
{
    const struct jdi_steal_config *c = s->config;
    if (c->victim == JDI_VICTIM_LAST && !s->failed && s->last != JDI_STEAL_NOBODY)
        return s->last;
    if (c->victim == JDI_VICTIM_NEAR && s->failed / 2 + 1 < c->npeers)
        return choose_near(c);
    return other_than(c->rng, c->rank, c->nranks);
}

bool jdi_steal_due(struct jdi_steal *s, uint64_t now, uint64_t wait)
{
    if (!wait || now - s->moved_at >= wait)
        return true;
    s->next_at = s->moved_at + wait;
    return false;
}

uint64_t jdi_steal_silence(const struct jdi_steal *s)
{
    return s->pause > SILENCE_NS ? s->pause : SILENCE_NS;
}

static void moved(struct jdi_steal *s, uint64_t now)
{
    s->moved_at = now;
    s->next_at = now + jdi_steal_silence(s);
}

struct jdi_steal_move jdi_steal_look(struct jdi_steal *s, uint32_t victim, uint64_t now)
{
    s->looking++;
    s->count.looks++;
    moved(s, now);
    return (struct jdi_steal_move){JDI_STEAL_LOOK, victim, JDI_STEAL_NOW, false};
}

struct jdi_steal_move jdi_steal_ask(struct jdi_steal *s, uint32_t victim,
                                    enum jdi_steal_manner manner, uint64_t now)
{
    bool knows = false;
    moved(s, now);
    if (manner == JDI_STEAL_KEEP) {
        if (jdi_rankset_add(&s->contacted, victim, s->config->fault))
            return jdi_steal_nothing(); /* try again later: memory may be free then */
        knows = jdi_thieves_has(&s->thieves, victim);
        s->count.cyclic += knows;
    }
    JD_CHECK(s->open < JDI_STEAL_OPEN);
    s->asking[s->open++] = (struct jdi_steal_asked){victim, s->phase, manner};
    s->asked++;
    s->count.attempts++;
    return (struct jdi_steal_move){JDI_STEAL_ASK, victim, manner, knows};
}

/* ---- the victim --------------------------------------------------------------------- */

enum jdi_steal_verdict jdi_steal_remember(struct jdi_steal *s,
                                          const struct jdi_steal_request *q,
                                          enum jdi_steal_verdict how)
{
    struct jdi_thief t = q->thief;
    t.told = how == JDI_STEAL_QUEUE;
    bool full = jdi_thieves_add(q->early ? &s->early : &s->thieves, &t, s->config->fault);
    return full ? JDI_STEAL_NO_MEMORY : how;
}

enum jdi_steal_verdict jdi_steal_keep(struct jdi_steal *s,
                                      const struct jdi_steal_request *q, bool spare)
{
    const struct jdi_steal_config *c = s->config;
    if (q->late)
        return JDI_STEAL_DROP;
    if (q->early)
        return jdi_steal_remember(s, q, JDI_STEAL_QUEUE);
    if (spare && !s->thieves.n)
        return JDI_STEAL_GIVE;
    /* The two requests crossed: the thief did not know that this rank registers with it. */
    if (!q->knows && c->rank < q->thief.rank &&
        jdi_rankset_has(&s->contacted, q->thief.rank)) {
        if (!c->cyclic)
            return JDI_STEAL_VOID;
        s->count.cyclic++;
    }
    return jdi_steal_remember(s, q, JDI_STEAL_QUEUE);
}
