/*
 * credit_td.h - the state of the detector `credit`.
 *
 * Role: the layout, for credit_td.c and for tests that look at states.
 * Owner: as detector.h: the communication thread.
 * Invariants: those at the top of termination/credit_td.c.
 * See: termination/credit_td.c.
 */
#ifndef JDI_TERMINATION_CREDIT_TD_H
#define JDI_TERMINATION_CREDIT_TD_H

#include "core/base.h"
#include "termination/rooted.h"

struct jdi_credit_td {
    struct jdi_td_env env;
    struct jdi_td_figures figures;
    struct jdi_rooted rooted;
    uint32_t nranks, parent, first_kid, nkids;
    uint32_t phase;
    uint32_t held,
        held_next;        /* imported before the phase was entered; for the next one */
    uint64_t weight_next; /* of the root, that came with those */
    bool open;            /* the phase has been entered */
    bool ended;           /* the root: done has been said */
    uint64_t result[JDI_TD_STATS];
};

/* As the operation init; with a small max_exponent the step on underflow is common. */
void jdi_credit_td_init(struct jdi_credit_td *f, const struct jdi_td_config *c,
                        const struct jdi_td_env *env, uint8_t max_exponent);

#endif
