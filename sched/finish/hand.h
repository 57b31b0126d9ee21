/*
 * hand.h - an owner of tasks, as finishes see it.
 *
 * Role: an owner that counts tasks of finishes in its own parts: a worker, or a
 *       communication thread that is none.
 * Owner: the hand's thread; any thread may post.
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
    struct jdi_seat *any, *here; /* its seats in the two collections of the pool */
    struct jdi_worker *worker;   /* NULL: the communication thread, which is none */
    unsigned index, count;       /* among the hands of the rank; their number */
    uint32_t ntasks;   /* rows of the task table; 0: spawns have to number their tasks */
    uint32_t numbered; /* tasks that it has given a number */
    uint32_t taken;    /* tasks that this hand has counted for others; for assertions */
    uint64_t opened;   /* finishes opened here, for their names; read by jd_stats */
    struct jdi_keytable parts;
    struct jdi_part *open; /* roots that lie in frames, newest first */
};

/* For assertions: is this its thread? */
static inline bool jdi_hand_is_mine(const struct jdi_hand *h)
{
    return jdi_rank_is_owner(h->rank, h->index);
}

void jdi_hand_init(struct jdi_hand *h, struct jdi_rank *r, unsigned index,
                   unsigned count);
/* Assert that the open roots are linked both ways and the parts lie under their roots. */
void jdi_hand_check(const struct jdi_hand *h);
void jdi_hand_fini(struct jdi_hand *h);
/* Any thread: have the hand run the call, and wake the hand. */
void jdi_hand_post(struct jdi_hand *h, struct jdi_call *call);

#endif
