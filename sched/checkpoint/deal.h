/*
 * deal.h - who gets what of a checkpoint, on another number of workers or ranks.
 *
 * Role: the arithmetic of the one rule.
 * Owner: nobody; pure.
 * Invariants: I1 each element goes to one receiver, in their order.
 *             I2 with as many receivers as units, each receiver gets the list of its unit.
 * See: doc/checkpoint.md "Who gets what".
 */
#ifndef JDI_SCHED_CHECKPOINT_DEAL_H
#define JDI_SCHED_CHECKPOINT_DEAL_H

#include "core/base.h"

/* Lists of `units`, dealt to `receivers`; both at least 1 and below 2^32. */
struct jdi_deal {
    uint64_t units, receivers;
};

/* How many of the n elements of a unit go to receivers before `receiver`. */
uint64_t jdi_deal_before(const struct jdi_deal *d, uint64_t unit, uint64_t n,
                         uint64_t receiver);
/* The receiver of element i of n of a unit. */
uint64_t jdi_deal_to(const struct jdi_deal *d, uint64_t unit, uint64_t n, uint64_t i);
/* The place of that element in the list of its receiver, which first gets the elements of the units before; those
 * have list[0], list[1], ... elements. */
uint64_t jdi_deal_place(const struct jdi_deal *d, const uint64_t *list, uint64_t unit,
                        uint64_t i);

#endif
