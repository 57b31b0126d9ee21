/*
 * steal.h - when to ask whom for work: policies as pure state machines.
 *
 * Role: decides, for one collection of one rank, which victim to ask next and when.
 * Owner: the communication thread.
 * Invariants: I1 no clock, network or threads: time is an argument, answers are returned.
 *             I2 a rank never asks itself, and has at most JDI_STEAL_OPEN requests open.
 * See: doc/transfer.md; sched/steal_random.c; test/unit/sched_steal_*.
 *
 *   event                      call       answer
 *   a worker has no work       hungry     a victim to ask now, or JDI_STEAL_NOBODY
 *   tasks or "no work" came    answered   -
 *   the rank has work again    fed        -
 */
#ifndef JDI_SCHED_STEAL_H
#define JDI_SCHED_STEAL_H

#include "core/base.h"

enum { JDI_STEAL_OPEN = 4 };
#define JDI_STEAL_NOBODY UINT32_MAX

struct jdi_steal {
    uint32_t rank, nranks;
    uint64_t *rng;
    uint32_t open;                         /* requests without an answer */
    uint32_t failed;                       /* refusals since the rank last had work */
    uint64_t asked_at;                     /* time of the last request */
    uint64_t wait;                         /* ns before the next one */
    uint64_t next_at;                      /* when `hungry` wants to be called again */
    uint64_t attempts, successes, refused; /* since the phase began */
};

struct jdi_steal_ops {
    const char *name;
    void (*init)(struct jdi_steal *s, uint32_t rank, uint32_t nranks, uint64_t *rng);
    uint32_t (*hungry)(struct jdi_steal *s, uint64_t now);
    void (*answered)(struct jdi_steal *s, uint32_t victim, uint32_t ntasks);
    void (*fed)(struct jdi_steal *s);
};

extern const struct jdi_steal_ops jdi_steal_random;

/* Has looked for work long enough for the detector to report (rule R12)? */
static inline bool jdi_steal_patient(const struct jdi_steal *s)
{
    return s->nranks == 1 || s->failed >= 2;
}

#endif
