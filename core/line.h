/*
 * line.h - a line of entries that lie in what they stand for: first in, first out, left at any place.
 *
 * Role: who waits for an object, in the order in which they came.
 * Owner: whoever owns the line, most often the holder of a lock; who joins provides the storage.
 * Invariants: I1 an entry is in at most one line, once, exactly while its `next` is not NULL.
 * See: sched/wait/channel.c, sched/data/future.c; test/unit/core_line_keeps_the_order.c.
 */
#ifndef JDI_CORE_LINE_H
#define JDI_CORE_LINE_H

#include "core/base.h"

/* A ring: the last one's `next` is the first one. */
struct jdi_link {
    struct jdi_link *next, *prev;
};

/* All zero: nobody. */
struct jdi_line {
    struct jdi_link *first;
};

static inline bool jdi_link_is_in(const struct jdi_link *e)
{
    return e->next != NULL;
}

/* Stand behind all others. */
static inline void jdi_line_join(struct jdi_line *l, struct jdi_link *e)
{
    struct jdi_link *first = l->first;
    if (!first) {
        l->first = e->next = e->prev = e;
        return;
    }
    e->next = first;
    e->prev = first->prev;
    first->prev->next = e;
    first->prev = e;
}

/* Stand before all others. */
static inline void jdi_line_join_first(struct jdi_line *l, struct jdi_link *e)
{
    jdi_line_join(l, e);
    l->first = e;
}

static inline void jdi_line_leave(struct jdi_line *l, struct jdi_link *e)
{
    struct jdi_link *next = e->next;
    next->prev = e->prev;
    e->prev->next = next;
    if (l->first == e)
        l->first = next == e ? NULL : next;
    e->next = NULL;
}

#endif
