/*
 * part.h - the share of one hand in one finish: counting tasks without atomics.
 *
 * Role: knows when the tasks of a finish on a rank have ended.
 * Owner: the thread of the part's hand.  `root`, `hand` and the name of a part are constant;
 *        whoever holds one of its tasks may read them.  Any thread may read `cancelled`.
 * Invariants: P1 to P3 of doc/async.md. I1 one part per hand and root.
 *             I2 a task's part belongs to the hand that owns the shelf on which the task lies.
 * Order: [pair: mailbox-head] a call; [pair: deque-split] the part to which a task points.
 * See: doc/async.md; sched/finish/part.c; test/unit/sched_part_*.
 */
#ifndef JDI_SCHED_FINISH_PART_H
#define JDI_SCHED_FINISH_PART_H

#include "sched/finish/hand.h"

struct jdi_remote; /* what ties a part to other ranks; remote.h */

struct jdi_part {
    uint64_t live;         /* doc/async.md, "Parts and hands" */
    struct jdi_part *root; /* of this finish on this rank */
    struct jdi_hand *hand;
    struct jdi_part *parent;   /* NULL: this is the root */
    uint64_t owed;             /* what the parent still counts for this part */
    struct jdi_remote *remote; /* communication hand's part only, once tasks have moved */
    struct jdi_keyed local;    /* in hand->parts, by root; a root is not in there */
    struct jdi_call call;      /* the call to the parent */
    /* Of a root only. */
    jd_finish_id id;
    _Atomic bool cancelled;         /* relaxed: a hint */
    bool told;                      /* the communication hand knows of the cancellation */
    bool heap;                      /* a heap block of the communication hand */
    struct jdi_part *outer;         /* the opener's part in the finish around this one */
    jd_self *waiter;                /* the opener, suspended */
    struct jdi_part *older, *newer; /* in hand->open */
};
_Static_assert(sizeof(struct jdi_part) <= sizeof(jd_scope), "a root lies in a jd_scope");

static inline struct jdi_part *jdi_part_of(const struct jdi_task *t)
{
    return (struct jdi_part *)(uintptr_t)t->id;
}

/* The finish in one number, for traces, which no id of a task is; unique but in very long jobs of very many
 * ranks. */
static inline uint64_t jdi_part_number(const struct jdi_part *p)
{
    const jd_finish_id *id = &p->root->id;
    return UINT64_C(1) << 63 | (uint64_t)id->home << 40 |
           (id->number & ((UINT64_C(1) << 40) - 1));
}

static inline bool jdi_part_cancelled(const struct jdi_part *p)
{
    return atomic_load_explicit(&p->root->cancelled, memory_order_relaxed);
}

/* Make a root in the caller's storage; its frame counts as live.  The hand's thread. */
void jdi_part_open(struct jdi_part *p, struct jdi_hand *h, struct jdi_part *outer);
/* Take the root of an ended finish out of its hand. */
void jdi_part_close(struct jdi_part *p);
/* Make a root of the communication hand, for a finish of another rank or of all ranks.  Its live
 * count is 0. */
struct jdi_part *jdi_part_root(struct jdi_hand *h, jd_finish_id id);
/*
 * Hand h has taken n tasks that were counted in `from`, a part of h or of another hand.  Returns
 * the part of h that counts these tasks from here on.  Ends the job when out of memory.
 */
struct jdi_part *jdi_part_take(struct jdi_hand *h, struct jdi_part *from, uint64_t n);
/* The live count of p has become 0: tell whoever waits.  The part may be gone afterwards. */
void jdi_part_zero(struct jdi_part *p);

/* Assert what holds of a part of the hand that is not a root's. */
void jdi_part_check(const struct jdi_part *p);

static inline void jdi_part_less(struct jdi_part *p, uint64_t n)
{
    JD_ASSERT(p->live >= n);
    JD_ASSERT(jdi_hand_is_mine(p->hand));
    p->live -= n;
    if (JDI_UNLIKELY(p->live == 0))
        jdi_part_zero(p);
}

#endif
