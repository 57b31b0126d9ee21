/*
 * heap.h - events in the order of their time.
 *
 * Role: the queue of timed.c.
 * Invariants: I1 of two events at the same time the one that was put first comes first.
 * See: timed.c.
 */
#ifndef JDI_CONFORM_HEAP_H
#define JDI_CONFORM_HEAP_H

#include "core/base.h"

struct jdi_heap_item {
    uint64_t time, order;
    uint32_t what; /* the caller's */
};

struct jdi_heap {
    struct jdi_heap_item *item;
    uint32_t count, room;
    uint64_t order;
};

void jdi_heap_init(struct jdi_heap *h);
void jdi_heap_fini(struct jdi_heap *h);
/* Ends the program if there is no memory. */
void jdi_heap_put(struct jdi_heap *h, uint64_t time, uint32_t what);
/* False if it is empty. */
bool jdi_heap_take(struct jdi_heap *h, struct jdi_heap_item *out);

#endif
