/*
 * worker.h - a worker: one stream of execution and the ULTs that run on it.
 *
 * Role: takes tasks and runs them on the ULT's own stack; when a task waits, its ULT stops and the
 *       stream goes on with another loop.
 * Owner: the stream; any thread may put ULTs into `ready` and calls into `calls`.
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
#include "core/ult/own.h"
#include "sched/names.h"
#include "sched/rank.h"
#include "sched/self.h"

/* Why a ULT jumped to the base context of its worker; the first four of a polling one only. */
enum jdi_visit {
    JDI_VISIT_POLL = 1, /* for one turn */
    JDI_VISIT_REST,     /* for turns until there is something to do */
    JDI_VISIT_BARE,     /* the same, and the loop has ended */
    JDI_VISIT_STALL,    /* for one turn and a pause */
    JDI_VISIT_STARVED,  /* because a ULT has stopped, and there is no memory for a loop */
    JDI_VISIT_END       /* because the last loop of the worker has returned */
};

struct jdi_waits;

struct jdi_lane_list {
    struct jdi_lane *first, *last;
};

/* The deques of a worker under latency hiding: sched/deques.h. */
struct jdi_lanes {
    struct jdi_lock lock;
    struct jdi_lane *active; /* writer: the worker, under the lock; it reads without */
    struct jdi_lane_list
        ready; /* not active, but with ready ULTs; the first has waited longest */
    _Atomic uint32_t nready; /* deques with ready ULTs, the active one too */
    uint32_t n;              /* deques now */
    bool away;               /* the worker's: look elsewhere before its own tasks */
    uint64_t turned; /* the worker's: when it last had no other deque to go on with */
    struct jdi_time_lock held; /* the lock in simulated time */
};

struct jdi_worker {
    /* Writer and reader: the stream. */
    JDI_ALIGNED struct jdi_rank *rank;
    unsigned index;
    bool comm;            /* this stream's base context polls the network */
    bool beside;          /* the communication thread shares this worker's core */
    struct jdi_ult *base; /* the stream's native stack */
    enum jdi_visit visit; /* why the last jump to base was made */
    jd_self *running; /* the ULT that runs, or ran before the base; NULL: it has ended */
    struct jdi_after after;
    jd_self *spare;   /* stopped loops, the last one first */
    jd_self *dead;    /* finished ULTs, to be destroyed */
    unsigned resumed; /* ULTs, since the last look at tasks and network */
    jd_self *blocked; /* for which the worker waits: JACKDAW_LATENCY=block */
    jd_self *yielded; /* ULTs that go on after the next batch of tasks, newest first */
    uint32_t fuel;    /* tasks until the next look around */
    uint32_t burnt;   /* tasks since then that a ULT ran by itself */
    uint64_t looked;  /* time of the last look around, ns */
    uint64_t pried;   /* time when it last asked for hidden tasks, ns */
    uint64_t sought;  /* time when it last looked for tasks of neighbours, ns */
    uint64_t rang;    /* time when it last asked for a turn, ns: see sched/look.c */
    unsigned turn;    /* the id whose tasks are looked for first: see run_own */
    uint64_t turned; /* time of the last batch, or when others_wait (look.c) saw nobody */
    uint64_t rng;
    bool is_hungry; /* counted in rank->hungry */
    bool called;    /* jdi_rank_wake_one has ended its sleep: see pass_call in worker.c */
    struct jdi_idle_round round;
    struct jdi_clock clock;
    struct jdi_stats stats;
    struct jdi_tracer *tracer;     /* NULL: nothing is recorded; sched/traces.h */
    struct jdi_own_at own;         /* the stream's errno and exceptions */
    struct jdi_names_kept futures; /* free ones: sched/data/future.c */
    uint64_t stopped;              /* see crowd.h, as the next */
    unsigned relieved;             /* looks for a ULT without a loop: see worker.c */
    uint64_t paced;                /* time when a task or a stack was last allowed, ns */
    /* Writers: any thread. */
    JDI_ALIGNED struct jdi_runq ready;
    struct jdi_lanes lanes;
    _Atomic(jd_self *) woken; /* `blocked`, once it is ready; [pair: worker-woken] */
    struct jdi_mailbox calls; /* calls (struct jdi_call) for this stream */
    struct jdi_idle own_idle;
    struct jdi_idle *idle; /* own_idle, or the transport's for the polling worker */
    /* The worker sleeps or is about to, and nobody has called it; [pair: idle-wake].  Writers: the
     * stream, and the waker that clears it. */
    _Atomic bool asleep;
    _Atomic uint64_t left; /* see crowd.h */
    /* The rank->epoch that the worker last saw while it used no collection. */
    _Atomic uint64_t epoch;
    struct jdi_owner thread; /* the stream's, for assertions */
    /* Waits with a deadline, once there was one: sched/wait/waits.h.  In a line of their own, because
     * the communication worker looks at `due` in each turn. */
    JDI_ALIGNED _Atomic(struct jdi_waits *)
        waits; /* writer: the stream; [pair: worker-waits] */
    _Atomic uint64_t
        due; /* the first deadline, ns; UINT64_MAX: none.  Under the waits' lock */
};

/* Post, any thread: have the stream of w run the call between tasks.  Read, the stream: run the
 * calls that have come. */
void jdi_worker_post(struct jdi_worker *w, struct jdi_call *call);
void jdi_worker_read(struct jdi_worker *w);

/* A jdi_stream_fn: the stream of a worker that does not poll.  Runs ULTs until rank->stop. */
void jdi_worker_stream(void *rank, unsigned index, struct jdi_ult *base);
/* What a worker's stream does first and last.  Begin returns the first ULT to jump to; NULL, but on worker
 * 0, when out of memory. */
jd_self *jdi_worker_begin(struct jdi_rank *r, unsigned index, struct jdi_ult *base);
void jdi_worker_end(struct jdi_worker *w);
/* The loop of a ULT.  Returns, when the rank stops, the ULT that goes on. */
struct jdi_ult *jdi_worker_run(jd_self *me);

/* On the base context of w, after JDI_VISIT_STARVED: returns the ULT to jump to, or NULL when the rank
 * stops.  `turn` is called in between. */
jd_self *jdi_worker_relieve(struct jdi_worker *w, void (*turn)(struct jdi_worker *w));

void jdi_worker_init(struct jdi_worker *w, struct jdi_rank *r, unsigned index);
/* Free what the stream left behind.  Called after the stream has ended. */
void jdi_worker_fini(struct jdi_worker *w);

#endif
