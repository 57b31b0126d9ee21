/*
 * part.h - the share of one hand in one scope: counting tasks without atomics.
 *
 * Role: knows when the tasks of a scope on a rank have ended.
 * Owner: a part and a hand belong to one thread, the hand's; `root`, `hand` and the name of
 *        a part are constant and may be read by whoever holds one of its tasks; `cancelled` is
 *        for any thread.
 * Invariants: P1 to P3 of doc/async.md. I1 one part per hand and root.
 *             I2 the part of a task is one of the hand that owns the shelf it lies on.
 * Order: [pair: mailbox-head] a letter; [pair: deque-split] a part behind a task.
 * See: doc/async.md; sched/finish/part.c; test/unit/sched_part_*.
 */
#ifndef JDI_SCHED_FINISH_PART_H
#define JDI_SCHED_FINISH_PART_H

#include "sched/finish/hand.h"

struct jdi_remote; /* what ties a part to other ranks; remote.h */

struct jdi_part {
    uint64_t live;         /* doc/async.md, "Parts and hands" */
    struct jdi_part *root; /* of the scope on this rank */
    struct jdi_hand *hand;
    struct jdi_part *parent;   /* NULL: this is the root */
    uint64_t owed;             /* to the parent */
    struct jdi_remote *remote; /* the communication hand's part, once tasks have moved */
    struct jdi_keyed local;    /* in hand->parts, by the root; not the root itself */
    struct jdi_call call;      /* the letter to the parent */
    /* A root only. */
    jd_finish_id id;
    _Atomic bool cancelled;         /* relaxed: a hint */
    bool told;                      /* the communication hand knows of it */
    bool heap;                      /* not in a frame: the communication hand's */
    struct jdi_part *outer;         /* the opener's part in the scope around this */
    jd_self *waiter;                /* the opener, suspended */
    struct jdi_part *older, *newer; /* in hand->open */
};
_Static_assert(sizeof(struct jdi_part) <= sizeof(jd_scope), "a root lies in a jd_scope");

static inline struct jdi_part *jdi_part_of(const struct jdi_task *t)
{
    return (struct jdi_part *)(uintptr_t)t->id;
}

static inline bool jdi_part_cancelled(const struct jdi_part *p)
{
    return atomic_load_explicit(&p->root->cancelled, memory_order_relaxed);
}

/* A root in the caller's storage, its frame counted live; the hand's thread. */
void jdi_part_open(struct jdi_part *p, struct jdi_hand *h, struct jdi_part *outer);
/* It has ended: nothing looks at it any more. */
void jdi_part_close(struct jdi_part *p);
/* A root of the communication hand, for a scope of another rank or of all; live 0. */
struct jdi_part *jdi_part_root(struct jdi_hand *h, jd_finish_id id);
/*
 * Hand h has taken n tasks that were counted in `from`, a part of another hand or of its own:
 * the part of h that they are counted in from here on.  Ends the job when out of memory.
 */
struct jdi_part *jdi_part_take(struct jdi_hand *h, struct jdi_part *from, uint64_t n);
/* Its live has come to 0: tell whoever waits.  The part may be gone afterwards. */
void jdi_part_zero(struct jdi_part *p);

static inline void jdi_part_less(struct jdi_part *p, uint64_t n)
{
    p->live -= n;
    if (JDI_UNLIKELY(p->live == 0))
        jdi_part_zero(p);
}

#endif
