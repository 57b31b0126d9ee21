/*
 * sched_checkpoint_deal_gives_each_element_once.c - the arithmetic of who gets what.
 *
 * Role: for many numbers of units, receivers and elements, the three functions agree with each other and with the
 *       rule; the same units get their own again; large numbers do not overflow.
 * Owner: one thread.
 * Invariants: none of its own.
 * See: sched/checkpoint/deal.h; doc/checkpoint.md "Who gets what".
 */
#include "sched/checkpoint/deal.h"
#include "test/kit/tap.h"

#include <string.h>

enum { MOST = 9, LONGEST = 12 };

/* The elements of unit u: 0 to LONGEST of them. */
static uint64_t length(uint64_t u)
{
    return (u * 7 + 5) % (LONGEST + 1);
}

/* Each element is dealt as the rule says, counted before its receiver's successor, and has the next place there. */
static bool is_dealt(const struct jdi_deal *d)
{
    uint64_t list[MOST], next[MOST] = {0}, last = 0;
    for (uint64_t u = 0; u < d->units; u++)
        list[u] = length(u);
    for (uint64_t u = 0; u < d->units; u++)
        for (uint64_t i = 0; i < list[u]; i++) {
            uint64_t to = jdi_deal_to(d, u, list[u], i);
            if (to >= d->receivers || to < last ||
                to != (u * list[u] + i) * d->receivers / (d->units * list[u]) ||
                jdi_deal_before(d, u, list[u], to) > i ||
                jdi_deal_before(d, u, list[u], to + 1) <= i ||
                jdi_deal_place(d, list, u, i) != next[to]++ ||
                (d->units == d->receivers && to != u))
                return false;
            last = to;
        }
    return true;
}

int main(void)
{
    unsigned right = 0;
    for (uint64_t units = 1; units <= MOST; units++)
        for (uint64_t receivers = 1; receivers <= MOST; receivers++)
            right += is_dealt(&(struct jdi_deal){units, receivers});
    is_u64(right, MOST * MOST,
           "each element goes to one receiver, and has one place there");

    struct jdi_deal large = {3000000, 4000000};
    uint64_t n = UINT32_MAX, u = large.units - 1;
    is_u64(jdi_deal_to(&large, u, n, n - 1), large.receivers - 1,
           "the last of very many");
    is_u64(jdi_deal_before(&large, u, n, large.receivers), n,
           "and all of them are dealt");
    uint64_t cut = jdi_deal_before(&large, u, n, large.receivers - 1);
    ok(jdi_deal_to(&large, u, n, cut) == large.receivers - 1 &&
           jdi_deal_to(&large, u, n, cut - 1) == large.receivers - 2,
       "the cut lies between two receivers");
    return done_testing();
}
