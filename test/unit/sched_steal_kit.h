/*
 * sched_steal_kit.h - a steal policy alone: one rank, its time a number.
 *
 * Role: makes the state of one rank, and turns each event, written on one line, into a call.
 * Owner: the test.
 * See: sched/steal/steal.h.
 */
#ifndef JDI_TEST_UNIT_SCHED_STEAL_KIT_H
#define JDI_TEST_UNIT_SCHED_STEAL_KIT_H

#include "sched/steal/steal.h"
#include "test/kit/tap.h"

enum { KIT_PEERS = 4, KIT_LONG_NS = 10000000 };

struct kit_thief {
    const struct jdi_steal_ops *ops;
    struct jdi_steal_config config;
    struct jdi_steal s;
    uint64_t rng, now;
    struct jdi_fault fault;
};

static inline void kit_thief_init(struct kit_thief *t, const struct jdi_steal_ops *ops,
                                  uint32_t rank, uint32_t nranks)
{
    *t = (struct kit_thief){.ops = ops, .rng = 4711, .now = 1000000000};
    t->config = (struct jdi_steal_config){.rank = rank,
                                          .nranks = nranks,
                                          .cyclic = true,
                                          .tries = 2,
                                          .rng = &t->rng,
                                          .fault = &t->fault};
    jdi_steal_init(&t->s, &t->config);
    jdi_steal_begin(&t->s);
}

static inline struct jdi_steal_move kit_move(struct kit_thief *t)
{
    return jdi_steal_hungry(t->ops, &t->s, t->now);
}

/* It has nothing to do now. */
static inline bool kit_rests(struct kit_thief *t)
{
    return kit_move(t).act == JDI_STEAL_NOTHING;
}

/* Its next move must be a look; the load it finds, by a message. */
static inline uint32_t kit_look(struct kit_thief *t, uint64_t load)
{
    struct jdi_steal_move m = kit_move(t);
    if (m.act != JDI_STEAL_LOOK)
        return JDI_STEAL_NOBODY;
    jdi_steal_load(&t->s, m.victim, load, true);
    return m.victim;
}

/* Its next move must be a request, in that manner. */
static inline uint32_t kit_ask(struct kit_thief *t, enum jdi_steal_manner manner)
{
    struct jdi_steal_move m = kit_move(t);
    return m.act == JDI_STEAL_ASK && m.manner == manner ? m.victim : JDI_STEAL_NOBODY;
}

/* A thief comes to it. */
static inline enum jdi_steal_verdict kit_asked(struct kit_thief *t, uint32_t thief,
                                               enum jdi_steal_manner manner, bool spare)
{
    struct jdi_steal_request q = {.thief = {.rank = thief}, .manner = manner};
    return t->ops->asked(&t->s, &q, spare);
}

/* A victim answers a request of this phase. */
static inline void kit_answer(struct kit_thief *t, uint32_t victim,
                              enum jdi_steal_answer a)
{
    const char *fault = jdi_steal_fault_of_answer(&t->s, victim, t->s.phase, a);
    if (fault)
        bail_out("%s", fault);
    jdi_steal_answered(&t->s, victim, t->s.phase, a);
    jdi_steal_check(&t->s);
}

/* How long until it moves again; KIT_LONG_NS if not before. */
static inline uint64_t kit_pause(struct kit_thief *t, uint64_t step,
                                 struct jdi_steal_move *out)
{
    uint64_t from = t->now;
    while ((*out = kit_move(t)).act == JDI_STEAL_NOTHING && t->now - from < KIT_LONG_NS)
        t->now += step;
    return t->now - from;
}

#endif
