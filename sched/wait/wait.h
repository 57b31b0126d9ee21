/*
 * wait.h - a wait that several events may end, and exactly one does.
 *
 * Role: who ends a wait, what it returns, and who makes the ULT ready again.
 * Owner: the ULT, on whose stack the wait lies; whoever has claimed it writes `result` and `chain`.
 * Invariants: I1 of all that would end a wait one claims it, and that one ends it.
 *             I2 the ULT goes on once: made ready by whoever of jdi_wait_end and the publishing
 *                successor comes last, or never stopped.
 *             I3 nobody touches a wait after it has ended but its ULT, and who holds the lock of a
 *                queue or of the waits in which it still lies.
 * Order: [pair: wait-end] what was done for the wait before its ULT goes on.
 * See: doc/waiting.md "A wait".
 */
#ifndef JDI_SCHED_WAIT_WAIT_H
#define JDI_SCHED_WAIT_WAIT_H

#include "sched/wait/wheel.h"
#include "sched/worker.h"

struct jdi_waiting;
struct jdi_waits;
struct jdi_wait;

/* A wait of no ULT: of a task that has not begun (sched/finish/await.c). */
struct jdi_wait_ops {
    /* It has ended. */
    void (*done)(struct jdi_worker *by, struct jdi_wait *w);
    /* Say what it waits for, all but the worker.  Under the lock of its waits, so it only copies. */
    void (*describe)(const struct jdi_wait *w, struct jdi_waiting *to);
};

enum { JDI_WAIT_CLAIMED = 1, JDI_WAIT_PARKED = 2, JDI_WAIT_ENDED = 4 };

struct jdi_wait {
    _Atomic uint32_t state; /* bits of above, each set once */
    int result;
    union {
        jd_self *me;                    /* who waits */
        const struct jdi_wait_ops *ops; /* of a wait of no ULT */
    };
    struct jdi_waits
        *waits;     /* where it lies, below; NULL: nothing but its event ends it */
    bool taken_out; /* of `waits`, by who has claimed it */
    bool listed;    /* in waits->marked */
    bool of_none;   /* it is a wait of no ULT */
    struct jdi_timer timer;        /* at JD_FOREVER: none */
    const _Atomic bool *mark;      /* of the innermost finish; NULL: none */
    struct jdi_wait *next, **link; /* in waits->marked */
    struct jdi_wait *chain;        /* of those that the same turn ends */
};

/*
 * Prepare a wait of `me`.  An error means that there is nothing to wait for any more: JD_ECANCELED,
 * JD_ETIMEDOUT because the deadline has passed, JD_ENOMEM.  After 0 the caller may put the wait where
 * others find it, and then calls jdi_wait_park.
 */
int jdi_wait_open(struct jdi_wait *w, jd_self *me, jd_time deadline);
/* The same for a wait that no deadline and no cancellation ends: this cannot fail. */
static inline void jdi_wait_open_firm(struct jdi_wait *w, jd_self *me)
{
    *w = (struct jdi_wait){.me = me, .timer.at = JD_FOREVER};
}
/* Stop until the wait is ended; returns what jdi_wait_end was told.  `why` says what for. */
int jdi_wait_park(struct jdi_wait *w, const struct jdi_cause *why);

/* Instead: before others can find the wait, say what shall be called once it has ended, by whoever ends it; and
 * when they can, on the stream of `by`, arm the wait, which may be gone when this returns.  It belongs to a
 * finish. */
void jdi_wait_be_of_none(struct jdi_wait *w, const struct jdi_wait_ops *ops);
void jdi_wait_arm(struct jdi_worker *by, struct jdi_wait *w);
/* `done` takes the wait out of all lists with this. */
void jdi_wait_close(struct jdi_wait *w);

/* Any thread, before it ends the wait: true if it is the one to end it. */
bool jdi_wait_claim(struct jdi_wait *w);
/* End a claimed wait.  `by` as for jdi_unblock.  The wait may be gone when this returns.  Not under a
 * lock that the ULT may need. */
void jdi_wait_end(struct jdi_worker *by, struct jdi_wait *w, int result);

#endif
