/*
 * mutex.h - mutual exclusion between the tasks of a rank.
 *
 * Role: what conditions need of mutexes; the layout of a jd_mutex.
 * Owner: `word`: whoever has the mutex gives it away, any ULT takes a free one; the rest is under `lock`.
 * Invariants: I1 to I4 of mutex.c.
 * See: doc/waiting.md "Mutexes"; sched/wait/cond.c.
 */
#ifndef JDI_SCHED_WAIT_MUTEX_H
#define JDI_SCHED_WAIT_MUTEX_H

#include "core/line.h"
#include "sched/wait/wait.h"

/* All zero: free. */
struct jdi_mutex {
    _Atomic uintptr_t word; /* its ULT, 0 if it is free, and flags; [pair: mutex-word] */
    struct jdi_lock lock;
    struct jdi_line line; /* of struct jdi_mutex_wait */
};
_Static_assert(sizeof(struct jdi_mutex) <= sizeof(jd_mutex), "it lies in a jd_mutex");

/* What the wait of a ULT in the line ends with, but for errors. */
enum {
    JDI_MUTEX_HANDED = 0, /* it has the mutex */
    JDI_MUTEX_WOKEN = 1   /* it may try again */
};

/* A ULT that waits for a mutex, or for a condition; lies on its stack. */
struct jdi_mutex_wait {
    struct jdi_wait wait;
    struct jdi_link link;
    jd_time deadline;
    bool firm;    /* no deadline and no cancellation ends its waiting */
    bool claimed; /* by whoever has moved it from a condition */
    bool lost;    /* it was woken before, and somebody else has taken the mutex */
};

static inline struct jdi_mutex *jdi_mutex_in(jd_mutex *m)
{
    return (struct jdi_mutex *)(void *)m;
}

bool jdi_mutex_is_mine(struct jdi_mutex *m, const jd_self *me);
/* A claimed wait of a condition goes on by getting the mutex: put it in the line, or wake it. */
void jdi_mutex_move(struct jdi_worker *by, struct jdi_mutex *m, struct jdi_mutex_wait *e);
/* Take the mutex again, after the wait `e` has ended with `result`.  Cannot fail. */
void jdi_mutex_retake(jd_self *me, struct jdi_mutex *m, struct jdi_mutex_wait *e,
                      int result);

#endif
