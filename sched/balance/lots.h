/*
 * lots.h - lists of tasks, as balancers and their messages have them, and heaps over numbers.
 *
 * Role: a growing array of 16-byte lots; a binary heap of keys.  Both count the steps that they
 *       make, so that a world in virtual time can charge them.
 * Owner: the communication thread.
 * Invariants: I1 a sorted list ascends by (time, rank, place), and no two lots are equal.
 *             I2 no item of a heap comes before the one at its parent's place.
 * See: sched/balance/machine.h; doc/balance.md section 2.
 */
#ifndef JDI_SCHED_BALANCE_LOTS_H
#define JDI_SCHED_BALANCE_LOTS_H

#include "core/fault.h"

/* A task: its time, its donor, its place at the donor.  Messages also use it for other triples. */
struct jdi_lot {
    uint64_t time;
    uint32_t rank, place;
};

struct jdi_lots {
    struct jdi_lot *at;
    uint32_t n, room;
};

/* Append n lots.  0, or JD_ENOMEM: nothing has changed. */
int jdi_lots_append(struct jdi_lots *l, const struct jdi_lot *from, uint32_t n,
                    struct jdi_fault *f) JD_MUST_CHECK;
static inline int jdi_lots_add(struct jdi_lots *l, struct jdi_lot e, struct jdi_fault *f)
{
    return jdi_lots_append(l, &e, 1, f);
}
/* Make it ascend (I1); returns the steps. */
uint64_t jdi_lots_sort(struct jdi_lots *l);
/* Add `from`, which ascends, to a list that ascends.  0, or JD_ENOMEM: nothing has changed. */
int jdi_lots_merge(struct jdi_lots *l, const struct jdi_lot *from, uint32_t n,
                   struct jdi_fault *f) JD_MUST_CHECK;
void jdi_lots_reverse(struct jdi_lots *l);
/* Forget the first n. */
void jdi_lots_behead(struct jdi_lots *l, uint32_t n);
void jdi_lots_free(struct jdi_lots *l);
bool jdi_lots_before(const struct jdi_lot *a, const struct jdi_lot *b);

/* The least key first; of equal keys the least `what`. */
struct jdi_heap_key {
    uint64_t key;
    uint32_t what;
};

struct jdi_keys {
    struct jdi_heap_key *at;
    uint32_t n, room;
    uint64_t steps;
};

/* Room for n keys.  0, or JD_ENOMEM. */
int jdi_lots_keys_init(struct jdi_keys *h, uint32_t n, struct jdi_fault *f) JD_MUST_CHECK;
/* Add one without an order; jdi_lots_keys_build comes before the first key is looked at. */
void jdi_lots_keys_add(struct jdi_keys *h, uint64_t key, uint32_t what);
void jdi_lots_keys_build(struct jdi_keys *h);
/* The first one gets another key. */
void jdi_lots_keys_change(struct jdi_keys *h, uint64_t key);
void jdi_lots_keys_drop(struct jdi_keys *h); /* the first one */
void jdi_lots_keys_fini(struct jdi_keys *h);

#endif
