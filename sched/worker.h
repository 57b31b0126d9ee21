/*
 * worker.h - a worker: one stream of execution and the ULTs that run on it.
 *
 * Role: takes tasks and runs them on the ULT's own stack; when a task waits, its ULT is
 *       parked and the stream goes on with another loop.
 * Owner: the stream; `ready` takes letters from any thread.
 * Invariants: I1 a ULT runs on one worker at a time, me->worker.
 *             I2 `after` runs right after every jump, before anything else of the successor.
 *             I3 the loop holds no state at a task boundary, so any loop ULT can go on for
 *                any other.
 * See: ARCHITECTURE.md "Life of a task"; sched/self.c, sched/worker.c.
 */
#ifndef JDI_SCHED_WORKER_H
#define JDI_SCHED_WORKER_H

#include "core/clock.h"
#include "core/stats.h"
#include "sched/rank.h"
#include "sched/self.h"

/* Why a loop went to the base context of a polling worker. */
enum jdi_visit {
    JDI_VISIT_POLL = 1, /* one turn, then go on */
    JDI_VISIT_REST,     /* turns until there is something to do */
    JDI_VISIT_END       /* the last loop of the worker has returned */
};

struct jdi_worker {
    /* The stream's own. */
    JDI_ALIGNED struct jdi_rank *rank;
    unsigned index;
    bool comm;            /* this stream's base context polls the network (inline) */
    struct jdi_ult *base; /* the stream's native stack */
    enum jdi_visit visit; /* why the base goes on */
    jd_self *running;     /* the ULT that runs, or ran before the base */
    struct jdi_after after;
    jd_self *spare;             /* loops that gave way, last first */
    jd_self *dead;              /* finished ULTs, to be destroyed */
    struct jdi_letter *queue;   /* ready ULTs taken from the mailbox, oldest first */
    unsigned resumed;           /* of them since the last look at tasks and network */
    struct jdi_letter *yielded; /* go on after the next batch of tasks */
    uint32_t fuel;              /* tasks until the next look around */
    uint32_t burnt;             /* tasks since then that did not come from the loop */
    uint64_t looked;            /* when it last looked around, ns */
    uint64_t rng;
    bool is_hungry; /* counted in rank->hungry */
    bool called;    /* jdi_rank_wake_one has ended its sleep: see pass_call in worker.c */
    struct jdi_idle_round round;
    struct jdi_clock clock;
    struct jdi_stats stats;
    /* Any thread. */
    JDI_ALIGNED struct jdi_mailbox ready; /* ULTs */
    struct jdi_mailbox calls;             /* that this stream is to run: jdi_call */
    struct jdi_idle own_idle;
    struct jdi_idle *idle; /* own_idle, or the transport's for the polling worker */
    /* It sleeps or is about to, and nobody has called it; [pair: idle-wake].  Writers: the
     * stream, and the waker that takes it. */
    _Atomic bool asleep;
    _Atomic uint64_t
        epoch; /* last rank->epoch it has seen between looks at collections */
};

/* Any thread: have call->run called by the stream of w, between tasks.  And: call what has come. */
void jdi_worker_post(struct jdi_worker *w, struct jdi_call *call);
void jdi_worker_read(struct jdi_worker *w);

/* The stream of a worker that does not poll: runs ULTs until rank->stop.  A jdi_stream_fn. */
void jdi_worker_stream(void *rank, unsigned index, struct jdi_ult *base);
/* What such a stream does first and last; the first ULT to jump to from `base`. */
jd_self *jdi_worker_begin(struct jdi_rank *r, unsigned index, struct jdi_ult *base);
void jdi_worker_end(struct jdi_worker *w);
/* The loop of one ULT: returns the ULT to go on with when the rank stops. */
struct jdi_ult *jdi_worker_run(jd_self *me);

/* For a ULT that runs tasks by itself, after each: a worker's look around when it is time for
 * one.  True: somebody else waits for this worker. */
bool jdi_worker_spent(jd_self *me);

/* Have `ran` tasks, fewer than its fuel, taken longer than there is between two looks? */
bool jdi_worker_late(struct jdi_worker *w, uint32_t ran);
/* Wait a little without giving the worker away; the network goes on. */
void jdi_worker_stall(jd_self *me);

/* Is there anything for w to do, on its own shelves or anywhere in the rank? */
bool jdi_worker_has_own(struct jdi_worker *w);
bool jdi_worker_has_work(struct jdi_worker *w);
/* Sleep until woken or `timeout_ns`; the stream of w. */
void jdi_worker_sleep(struct jdi_worker *w, uint64_t timeout_ns);

void jdi_worker_init(struct jdi_worker *w, struct jdi_rank *r, unsigned index);
/* Free what the stream left behind; after it has ended. */
void jdi_worker_fini(struct jdi_worker *w);

#endif
