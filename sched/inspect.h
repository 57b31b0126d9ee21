/*
 * inspect.h - looking at the stopped ULTs of a rank while its workers run.
 *
 * Role: the list of all ULTs of a rank; a gate that no ULT passes while somebody reads what it says.
 * Owner: any thread: the list has a lock.
 * Invariants: I1 a ULT is in the list from before it runs for the first time until before it is destroyed.
 *             I2 between the opening and the closing of the gate, a ULT whose `suspended` is true under the lock
 *                does not go on before the lock is free.
 * Order: [pair: inspect-gate]; [pair: inspect-stop]; [pair: lock].
 * See: doc/waiting.md "What a task waits for" has the proof of I2; sched/self.c.
 */
#ifndef JDI_SCHED_INSPECT_H
#define JDI_SCHED_INSPECT_H

#include "sched/self.h"

/* What is told of one wait. */
struct jdi_waiting {
    struct jdi_cause cause;
    const char *task; /* its row's name; NULL: the body */
    unsigned
        worker; /* on which it has stopped; of a task that has not begun: where it was spawned */
    bool begun;     /* false: a task that waits to begin, so without a ULT */
    uint64_t since; /* ns: when an inspection saw this wait first; 0: this one does */
    jd_finish_id finish; /* its innermost; number 0: none */
    jd_finish_id around; /* the one around that, if this rank knows it; number 0: none */
    void *const *frame;  /* return addresses, if JACKDAW_STATE is stacks; else NULL */
    unsigned nframes;
    unsigned wakers; /* enum jdi_cause_waker; 0 here: sched/wait/causes.h says who */
};

/* Called under locks that ULTs need to go on, so it only copies and counts.  What w->cause points to is valid
 * until it returns. */
typedef void jdi_inspect_fn(void *ctx, struct jdi_waiting *w);

/* Call fn once for each ULT that stands still and that nobody has made ready.  ULTs that stop or go on meanwhile
 * may be told or not.  Any thread of the rank, not inside `fn`; spins while another one inspects. */
void jdi_inspect_each(struct jdi_rank *r, jdi_inspect_fn *fn, void *ctx);

/* A ULT in a task, or in the body, that does not stand still. */
struct jdi_active {
    const char *task;            /* its row's name; NULL: the body */
    int worker;                  /* on which it runs; -1: on none, it is ready */
    const struct jdi_part *part; /* a guess, and may be gone: core/peek.h */
};
typedef void jdi_active_fn(void *ctx, const struct jdi_active *a);
/* Call fn once for each of them, under the lock.  Any thread; a task that begins or ends meanwhile may be told or
 * not.  What the streams have written before the call is seen, where the kernel has the heavy fence. */
void jdi_inspect_active(struct jdi_rank *r, jdi_active_fn *fn, void *ctx);

/* After r->fences is known, before there are ULTs. */
void jdi_inspect_init(struct jdi_rank *r);
/* A new ULT; one that has ended, before it is destroyed.  Any thread. */
void jdi_inspect_add(jd_self *me);
void jdi_inspect_remove(jd_self *me);

/* The cold part of the next: somebody may inspect. */
void jdi_inspect_wait(struct jdi_rank *r);
/* Called first when `me` goes on. */
static inline void jdi_inspect_pass(const jd_self *me)
{
    /* [pair: inspect-gate] acquire: what an inspection has read comes before what `me` writes. */
    if (JDI_UNLIKELY(atomic_load_explicit(&me->rank->gate, memory_order_acquire)))
        jdi_inspect_wait(me->rank);
}

#endif
