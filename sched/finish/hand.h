/*
 * hand.h - an owner of tasks, as finishes see it.
 *
 * Role: a thread that counts tasks of finishes in parts of its own: a worker, or the communication
 *       thread when it has a thread of its own.
 * Owner: its thread; any thread posts.
 * Invariants: I1 at most one part for each root.
 * See: sched/finish/part.h; doc/async.md "Parts and hands".
 */
#ifndef JDI_SCHED_FINISH_HAND_H
#define JDI_SCHED_FINISH_HAND_H

#include "core/keyed.h"
#include "sched/coll.h"

struct jdi_part;

struct jdi_hand {
    struct jdi_rank *rank;
    struct jdi_seat *any, *here; /* its own in the two collections of the pool */
    struct jdi_worker *worker;   /* NULL: the communication thread of its own */
    unsigned index, count;       /* among the hands of the rank */
    uint32_t ntasks;             /* rows of the task table */
    uint64_t opened;             /* numbers given to scopes */
    struct jdi_keytable parts;
    struct jdi_part *open; /* roots in frames, newest first */
};

void jdi_hand_init(struct jdi_hand *h, struct jdi_rank *r, unsigned index,
                   unsigned count);
void jdi_hand_fini(struct jdi_hand *h);
/* Any thread: have call->run called by the hand, and wake it. */
void jdi_hand_post(struct jdi_hand *h, struct jdi_call *call);

#endif
