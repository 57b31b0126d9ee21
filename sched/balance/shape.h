/*
 * shape.h - who is whose child.
 *
 * Role: a node of level l stands for arity^l successive leaves, the ranks, and the first of them does
 *       its work; the node of a rank's own level that is its first child is the rank itself.
 * Owner: numbers only.
 * See: doc/balance.md section 1; paper 003, section 5.2.
 */
#ifndef JDI_SCHED_BALANCE_SHAPE_H
#define JDI_SCHED_BALANCE_SHAPE_H

#include "sched/balance/machine.h"

uint64_t jdi_shape_span(const struct jdi_balance *b, unsigned level); /* arity^level */
/* The level of the topmost node at this rank; 0: it is a leaf alone. */
unsigned jdi_shape_level(const struct jdi_balance *b);
/* Other ranks that are children of this one, of all its levels; b->level is set. */
unsigned jdi_shape_children(const struct jdi_balance *b);
/* Of another rank than 0. */
uint32_t jdi_shape_parent(const struct jdi_balance *b, uint32_t rank);
/* The number of src among the children of this rank: its own level times the arity, plus its place
 * there; or UINT32_MAX. */
uint32_t jdi_shape_child(const struct jdi_balance *b, uint32_t src);
/* Send the words of `what` to the children of all levels, the topmost first.  0, or JD_ENOMEM. */
int jdi_shape_tell(struct jdi_balance *b,
                   const struct jdi_balance_head *what) JD_MUST_CHECK;

#endif
