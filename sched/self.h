/*
 * self.h - ULTs that stop and go on, as a task sees itself.
 *
 * Role: the handle of a ULT; how a ULT gives its worker away and another ULT takes the worker.
 * Owner: the worker that runs a jd_self owns it; after its successor has published it, whoever
 *        unblocks it.
 * Invariants: I1 a ULT runs on one worker at a time, me->worker.
 *             I2 `after` runs right after every jump, before anything else of the successor.
 * See: sched/self.c has the states; sched/unblock.h; sched/worker.h.
 */
#ifndef JDI_SCHED_SELF_H
#define JDI_SCHED_SELF_H

#include "core/lock.h"
#include "sched/cause.h"
#include "sched/rank.h"

struct jdi_lane;
struct jdi_part;
struct jdi_phaser_part;
struct jdi_seat;
struct jdi_stopwatch;

/* A ULT as its task sees it.  It lies at the top of the ULT's stack and lives as long as the ULT. */
struct jd_self {
    struct jdi_worker *worker; /* where the ULT runs; writer: whoever jumps to it */
    jd_coll *coll;             /* of the running task; NULL in the body */
    struct jdi_seat *seat;     /* the seat of `worker` in coll */
    struct jdi_rank *rank;
    struct jdi_part
        *part; /* of the innermost finish; NULL: none, see sched/finish/part.h */
    struct jdi_ult *ult;
    uintptr_t stack; /* an address near the beginning of its stack */
    size_t
        stack_size; /* bytes; of another stack than that of the loop: sched/ownstack.c */
    /* While it is ready: in the queue of a worker, where newer is nearer to the front, or in the bag
     * of a deque (sched/bag.h). */
    struct jd_self *newer, *older;
    int64_t order; /* in that queue: see sched/runq.c */
    /* The deque from which it was suspended (sched/deques.h), or NULL. */
    struct jdi_lane *lane;
    unsigned frames; /* of finishes on its stack; above 0 it is pinned to its worker */
    uint8_t pennant; /* see sched/bag.h */
    bool blocks;     /* its worker does nothing else until it is ready */
    bool moved;      /* it goes on on another worker than before */
    bool is_body;
    jd_task task;   /* that runs, or ran last; only where coll is not NULL */
    uint64_t child; /* the name of its next child, if its collection names tasks */
    struct jdi_phaser_part
        *phased; /* of the running task, or the body: sched/wait/phaser.h */
    /* It is stopped, or about to stop, and nobody has made it ready.  Writers: the ULT; then whoever makes it
     * ready, jd_resume or jdi_unblock, who got the handle from `publish`.  [pair: inspect-stop] */
    _Atomic bool suspended;
    unsigned stopped_on;           /* the index of the worker on which it has stopped */
    uint64_t stop;                 /* how often it has stopped */
    const struct jdi_cause *cause; /* of this stop */
    void *const *frame; /* return addresses, from where it has stopped on, or NULL */
    unsigned nframes;
    struct jd_self *next; /* in a worker's list of spare or dead ULTs, or in a bag */
    uint8_t wakes;        /* modulo 256: the delay of the first of each 256 is measured */
    uint64_t ready_at;    /* when that one was made ready, ns; else 0 */
    struct jdi_stopwatch *watch; /* of the running task, or NULL: sched/stopwatch.h */
    struct {                     /* of sched/inspect.c, under its lock */
        jd_self *next, **link;
        uint64_t seen;    /* its `stop` at the last inspection */
        uint64_t seen_at; /* when an inspection saw this first, ns */
    } known;
};

/* Ready ULTs that can be divided in halves: sched/bag.h. */
struct jdi_bag {
    jd_self *first;
    uint32_t n;
};

/* The ready ULTs of a worker: sched/runq.h. */
struct jdi_runq {
    /* What the worker itself woke last, before the front; never a ULT that is pinned, unless nobody
     * steals.  Writers: the worker puts, whoever takes it writes NULL.  [pair: runq-newest] */
    _Atomic(jd_self *) newest;
    bool alone; /* constant: nobody steals */
    struct jdi_lock lock;
    _Atomic uint32_t n, movable; /* ULTs in it; those that are not pinned */
    struct jdi_runq_list {
        jd_self *front, *back;
    } list[2]; /* those that are not pinned; those that are */
    /* The last `order` given at the front, and at the back. */
    int64_t last_front, last_back;
    const struct jdi_time *time; /* constant; NULL: the clock of the machine */
    struct jdi_time_lock held;   /* the lock in simulated time */
};

/* A frame of a finish counts in a part of its worker's hand (sched/finish/part.h), and the seeds of a
 * body lie on its worker's shelves.  Constant while the ULT is stopped. */
static inline bool jdi_self_pinned(const jd_self *me)
{
    return me->frames || me->is_body;
}

/* The mark of the innermost finish: see rank->mark_of. */
static inline const _Atomic bool *jdi_rank_mark(const jd_self *me)
{
    return me->rank->mark_of ? me->rank->mark_of(me) : NULL;
}

/* Runs in the successor of a jump, on the same worker. */
struct jdi_after {
    void (*fn)(jd_self *stopped, void *arg);
    jd_self *stopped;
    void *arg;
};

/* A stopped ULT of this rank that will run fn, with its handle in its room: fn's arg.  NULL when out of
 * memory.  Any stream. */
jd_self *jdi_self_new(struct jdi_rank *r, jdi_ult_fn *fn, bool is_body);
/* Stop `me` and go on with `next`, or if it is NULL on the base context; `after` runs there.  Returns when
 * resumed. */
void jdi_self_switch(jd_self *me, jd_self *next, struct jdi_after after);
/* Called first after every jump to `me`, on me->worker, which whoever jumped has set. */
void jdi_self_arrive(jd_self *me);
/* Returns a loop to go on with, spare or new; NULL when out of memory. */
jd_self *jdi_self_loop(struct jdi_worker *w);
/* End `me`: its worker will destroy it.  Returns the ULT that goes on. */
struct jdi_ult *jdi_self_end(jd_self *me);
/* ULTs that a worker resumes in a row; ns after which a row ends, when that is noticed. */
enum { JDI_SELF_ROW = 64, JDI_SELF_ROW_NS = 250000 };
/* The next ready ULT of the worker, or NULL.  Also NULL after a number of ULTs in a row, so that tasks and the
 * network have their turn. */
jd_self *jdi_self_next_ready(struct jdi_worker *w);

/* jd_suspend for whatever else stops a ULT.  `why` is constant until the ULT goes on. */
void jdi_self_suspend(jd_self *me, const struct jdi_cause *why,
                      void (*publish)(jd_self *me, void *arg), void *arg);
/* The same for what is no latency but the end of other tasks: the worker never waits for these. */
void jdi_self_wait(jd_self *me, const struct jdi_cause *why,
                   void (*publish)(jd_self *me, void *arg), void *arg);
/* Have the communication worker run the call, and stop `me` until call->run calls jdi_unblock. */
void jdi_self_call(jd_self *me, const struct jdi_cause *why, struct jdi_call *call);
/* The cause of calls that the communication thread of this rank ends by itself. */
extern const struct jdi_cause jdi_self_asks_comm;

#endif
