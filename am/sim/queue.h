/*
 * queue.h - what happens next in a simulation: events in the order of their times.
 *
 * Role: a priority queue; events of one time come out in the order in which they were put.
 * Owner: the simulation's thread.
 * Invariants: I1 events are taken in the order of (time, number), and numbers are given by put.
 *             I2 an event is near, in the list of its nanosecond, if its time is less than
 *                JDI_SIM_NEAR ns after `from`.  So a list has events of one time only, and they
 *                lie in it by their numbers.
 *             I3 all other events are far, in a binary heap.
 * See: am/sim/sim.h, am/sim/queue.c, test/sim/sim_queue_takes_in_order.c.
 */
#ifndef JDI_AM_SIM_QUEUE_H
#define JDI_AM_SIM_QUEUE_H

#include "core/base.h"

struct jdi_sim_parcel;

/* Messages take a microsecond or two, and a busy rank polls every 20 us. */
enum { JDI_SIM_NEAR = 32768 };

struct jdi_sim_event {
    uint64_t time, number;
    uint32_t stream, turn; /* parcel NULL: wake the stream if it is still in that turn */
    struct jdi_sim_parcel *parcel;
};

/* An event in the queue: in the list of its nanosecond, in the heap, or free. */
struct jdi_sim_entry {
    struct jdi_sim_event e;
    uint32_t next; /* the index of another entry, or 0 */
};

/* The events of one nanosecond, first to last. */
struct jdi_sim_slot {
    uint32_t first, last;
};

struct jdi_sim_queue {
    size_t n, room;              /* events: all of them, and how many there can be */
    struct jdi_sim_entry *entry; /* 1 to room */
    uint32_t spare;              /* entries that are free */
    uint64_t from;               /* the time of the event taken last */
    size_t nnear;
    struct jdi_sim_slot *slot; /* by the time modulo their number: I2 */
    uint64_t *busy;            /* a bit for each slot that is not empty */
    uint32_t *heap;            /* entries: I3 */
    size_t nfar;
    uint64_t numbers;
};

/* Room for one more; 0, or JD_ENOMEM. */
int jdi_sim_queue_grow(struct jdi_sim_queue *q);
/* There is room.  e.number is given here; e.time is not before the event taken last. */
void jdi_sim_queue_put(struct jdi_sim_queue *q, struct jdi_sim_event e);
/* The time of the first, which there is. */
uint64_t jdi_sim_queue_first(const struct jdi_sim_queue *q);
/* The first, which there is. */
struct jdi_sim_event jdi_sim_queue_take(struct jdi_sim_queue *q);
/* Those that would be taken next if nothing were put, up to `most` of those in the lists; how
 * many. */
unsigned jdi_sim_queue_peek(const struct jdi_sim_queue *q,
                            const struct jdi_sim_event **out, unsigned most);
/* Throw away those that `is_void` names; the others keep their order. */
void jdi_sim_queue_clean(struct jdi_sim_queue *q,
                         bool (*is_void)(const void *ctx, const struct jdi_sim_event *e),
                         const void *ctx);
void jdi_sim_queue_fini(struct jdi_sim_queue *q);

#endif
