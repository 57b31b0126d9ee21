/*
 * heap.h - events in the order of their time.
 *
 * Role: the queue of timed.c.
 * Owner: one thread.
 * Invariants: I1 of two events at the same time the one that was put first comes first.
 * See: timed.c.
 */
#ifndef JDI_CONFORM_HEAP_H
#define JDI_CONFORM_HEAP_H

#include "core/base.h"

struct heap_item {
    uint64_t time, order;
    uint32_t what; /* the caller's */
};

struct heap {
    struct heap_item *item;
    uint32_t count, room;
    uint64_t order;
};

void heap_init(struct heap *h);
void heap_fini(struct heap *h);
/* Ends the program if there is no memory. */
void heap_put(struct heap *h, uint64_t time, uint32_t what);
/* False if it is empty. */
bool heap_take(struct heap *h, struct heap_item *out);

#endif
