/*
 * queue.h - what happens next in a simulation: events in the order of their times.
 *
 * Role: a priority queue; events of one time come out in the order in which they were put.
 * Owner: the simulation's thread.
 * Invariants: I1 events are ordered by (time, number), and numbers are given by put.
 * See: am/sim/sim.h, am/sim/queue.c.
 */
#ifndef JDI_AM_SIM_QUEUE_H
#define JDI_AM_SIM_QUEUE_H

#include "core/base.h"

struct jdi_sim_parcel;

struct jdi_sim_event {
    uint64_t time, number;
    uint32_t stream, turn; /* parcel NULL: wake the stream if it is still in that turn */
    struct jdi_sim_parcel *parcel;
};

struct jdi_sim_queue {
    struct jdi_sim_event *heap;
    size_t n, room;
    uint64_t numbers;
};

/* Room for one more; 0, or JD_ENOMEM. */
int jdi_sim_queue_grow(struct jdi_sim_queue *q);
/* There is room.  e.number is given here. */
void jdi_sim_queue_put(struct jdi_sim_queue *q, struct jdi_sim_event e);
/* The first, which there is. */
struct jdi_sim_event jdi_sim_queue_take(struct jdi_sim_queue *q);
/* Throw away those that `is_void` names; the others keep their order. */
void jdi_sim_queue_clean(struct jdi_sim_queue *q,
                         bool (*is_void)(const void *ctx, const struct jdi_sim_event *e),
                         const void *ctx);
void jdi_sim_queue_fini(struct jdi_sim_queue *q);

#endif
