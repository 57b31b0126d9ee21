/*
 * tree.h - the k-ary heap over the ranks of a collection.
 *
 * Role: who is whose parent in the detectors' tree; rank 0 is the root.
 * Owner: nobody; pure functions.
 * Invariants: I1 every rank but 0 has one parent, smaller than itself.
 *             I2 the children of a rank are consecutive.
 * See: doc/termination.md section 2; test/unit/termination_tree_is_a_heap.c.
 */
#ifndef JDI_TERMINATION_TREE_H
#define JDI_TERMINATION_TREE_H

#include "core/base.h"

/* The root has no parent.  Any thread may call the functions of this file. */
static inline uint32_t jdi_tree_parent(uint32_t rank, uint32_t arity)
{
    return (rank - 1) / arity;
}

/* The smallest child, if there is one.  64 bits: a leaf's would not fit in 32. */
static inline uint64_t jdi_tree_first_kid(uint32_t rank, uint32_t arity)
{
    return (uint64_t)rank * arity + 1;
}

static inline uint32_t jdi_tree_kids(uint32_t rank, uint32_t arity, uint32_t nranks)
{
    uint64_t first = jdi_tree_first_kid(rank, arity);
    if (first >= nranks)
        return 0;
    uint64_t rest = nranks - first;
    return (uint32_t)(rest < arity ? rest : arity);
}

/* Is one of two ranks, which are not the same, the parent of the other? */
static inline bool jdi_tree_adjacent(uint32_t a, uint32_t b, uint32_t arity)
{
    return (a < b ? jdi_tree_parent(b, arity) : jdi_tree_parent(a, arity)) ==
           (a < b ? a : b);
}

#endif
