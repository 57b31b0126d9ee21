/*
 * stock.h - the tasks that a rank has in a session.
 *
 * Role: keeps `have`, `load` and `to` of struct jdi_balance in step.
 * Owner: the communication thread.
 * Invariants: I1 and I2 of machine.h.
 * See: machine.h; sched/balance/central.c.
 */
#ifndef JDI_SCHED_BALANCE_STOCK_H
#define JDI_SCHED_BALANCE_STOCK_H

#include "sched/balance/machine.h"

/* Remove the shortest tasks from `have`, until the load is at most `limit`, and append them to
 * `pool`.  0, or JD_ENOMEM. */
int jdi_stock_donate(struct jdi_balance *b, uint64_t limit,
                     struct jdi_lots *pool) JD_MUST_CHECK;
/* Add lots, which ascend, to `have`: tasks of any rank.  0, or JD_ENOMEM. */
int jdi_stock_accept(struct jdi_balance *b, const struct jdi_lot *lot,
                     uint32_t n) JD_MUST_CHECK;
/* Remove lots, which ascend and are all in `have`. */
void jdi_stock_remove(struct jdi_balance *b, const struct jdi_lot *lot, uint32_t n);
/* What is wrong with lots that come to this rank, or pass through it; NULL: nothing is. */
const char *jdi_stock_fault(const struct jdi_balance *b, const struct jdi_lot *lot,
                            uint32_t n);

#endif
