/*
 * model.h - how long a seed of a timed collection will take, from what it took before.
 *
 * Role: load models: what balancers weigh a seed by.
 * Owner: the body sets the model of a collection; whoever owns a seed asks.
 * Invariants: I1 a prediction depends on the times of the seed alone, so it is the same wherever the seed lies.
 *             I2 it is between 0 and JDI_BALANCE_TIME_MOST, and 0 only if no time is known.
 * See: doc/balance.md section 7; sched/origin.h.
 */
#ifndef JDI_SCHED_MODEL_H
#define JDI_SCHED_MODEL_H

#include "sched/origin.h"

struct jdi_model {
    enum jd_load_model kind;
    unsigned
        phases; /* how many of the last ones it looks at, JDI_ORIGIN_TIMES or fewer */
};

/* What the next time will be, ns.  Any thread that owns the seed. */
uint64_t jdi_model_ns(const struct jdi_model *m, const struct jdi_origin *o);

#endif
