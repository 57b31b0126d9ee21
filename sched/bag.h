/*
 * bag.h - ready ULTs that several workers divide among themselves.
 *
 * Role: a bag of pennants (Leiserson and Schardl, SPAA 2010): half of n ULTs is taken in O(log n) steps,
 *       and what is added or taken needs no memory.  So whoever wakes n ULTs makes one thing that is
 *       divided like the range of a parallel loop.
 * Owner: whoever holds the lock of the deque with the bag.
 * Invariants: I1 pennant k holds 2^k ULTs: a root whose `older` is a complete tree of the others.
 *             I2 a bag has at most one pennant of each size, linked by `next`, the smallest first.
 *             I3 of two pennants that become one, the older root stays the root.
 * See: sched/deques.h; test/unit/sched_bag_is_divided_in_halves.c.
 *
 * The fields of jd_self that the bag uses: older and newer (children in a tree), next (the next
 * pennant), pennant (k).  A ULT is in no queue and in no list while it is in a bag.
 */
#ifndef JDI_SCHED_BAG_H
#define JDI_SCHED_BAG_H

#include "sched/self.h"

void jdi_bag_add(struct jdi_bag *b, jd_self *s);
/* The newest ULT, or one near the oldest; NULL if the bag is empty. */
jd_self *jdi_bag_take_new(struct jdi_bag *b);
jd_self *jdi_bag_take_old(struct jdi_bag *b);
/* Move half, rounded up, of what is in `from` to `to`, which is empty. */
void jdi_bag_halve(struct jdi_bag *from, struct jdi_bag *to);

#endif
