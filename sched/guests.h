/*
 * guests.h - tasks that have come because of a steal log, and wait for their turn: its *room*.
 *
 * Role: a heap, the first batch first.
 * Owner: the communication thread.
 * Invariants: I1 nobody in the room comes before the one at its parent.
 * See: sched/recall.h; doc/steallog.md.
 */
#ifndef JDI_SCHED_GUESTS_H
#define JDI_SCHED_GUESTS_H

#include "core/fault.h"

struct jdi_task;

struct jdi_guest {
    uint32_t batch, place;
    struct jdi_task *task; /* packed as in a record; a block of its own */
};

struct jdi_guests {
    struct jdi_guest *at;
    size_t n, room;
};

/* The task belongs to the room from now on.  0, or JD_ENOMEM. */
int jdi_guests_put(struct jdi_guests *g, uint32_t batch, uint32_t place,
                   struct jdi_task *task, struct jdi_fault *f);
/* The first one, which belongs to the caller then.  Not if there is none. */
struct jdi_task *jdi_guests_take(struct jdi_guests *g);
void jdi_guests_free(struct jdi_guests *g);
void jdi_guests_check(const struct jdi_guests *g);

#endif
