/*
 * deal.c - who gets what of a checkpoint, on another number of workers or ranks.
 *
 * Role: see deal.h.  Element i of n of unit u lies at u + i/n on a line of the length `units`; each receiver
 *       has a piece of the line, all equally long.
 * Invariants: I1 and I2 of deal.h.
 * See: deal.h.
 */
#include "sched/checkpoint/deal.h"

__extension__ typedef unsigned __int128 wide; /* products of two numbers of 64 bits */

uint64_t jdi_deal_before(const struct jdi_deal *d, uint64_t unit, uint64_t n,
                         uint64_t receiver)
{
    uint64_t end = receiver * d->units, begin = unit * d->receivers;
    if (end <= begin)
        return 0;
    if (end - begin >= d->receivers)
        return n;
    return (uint64_t)(((wide)(end - begin) * n + d->receivers - 1) / d->receivers);
}

uint64_t jdi_deal_to(const struct jdi_deal *d, uint64_t unit, uint64_t n, uint64_t i)
{
    JD_ASSERT(unit < d->units && i < n);
    return (uint64_t)(((wide)unit * n + i) * d->receivers / ((wide)d->units * n));
}

uint64_t jdi_deal_place(const struct jdi_deal *d, const uint64_t *list, uint64_t unit,
                        uint64_t i)
{
    uint64_t to = jdi_deal_to(d, unit, list[unit], i), place = 0;
    /* The units before this one lie outside of the receiver's piece. */
    for (uint64_t u = to * d->units / d->receivers; u < unit; u++)
        place +=
            jdi_deal_before(d, u, list[u], to + 1) - jdi_deal_before(d, u, list[u], to);
    return place + i - jdi_deal_before(d, unit, list[unit], to);
}
