/*
 * grow.h - room in a list that grows.
 *
 * Role: one way to double the room of an array.
 * Owner: whoever has the list.
 * Invariants: I1 a list that could not grow is as it was.
 * See: core/fault.h; sched/record.c, sched/guests.c.
 */
#ifndef JDI_CORE_GROW_H
#define JDI_CORE_GROW_H

#include "core/fault.h"

/* The list has n elements of `each` bytes, and room for *room: have room for `more`, at least 1, behind them, by doubling;
 * `first`: the room that it begins with.  Returns where the list is from now on; NULL: there is no memory.
 *     void *at = jdi_grow(f, l->at, l->n, 1, sizeof *l->at, &l->room, 64);
 *     if (!at) return JD_ENOMEM;
 *     l->at = at; */
void *jdi_grow(struct jdi_fault *f, void *list, size_t n, size_t more, size_t each,
               size_t *room, size_t first) JD_MUST_CHECK;

#endif
