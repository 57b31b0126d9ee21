/*
 * rank.h - everything that one rank is.
 *
 * Role: the object that all state hangs off (law 1): transport, knobs, workers, collections.
 * Owner: launch.c makes and frees a rank on the communication thread; each group of fields says
 *        its writers.
 * Invariants: I1 no state of a rank lies anywhere else, so a process can hold many ranks.
 * See: ARCHITECTURE.md "Objects".
 */
#ifndef JDI_SCHED_RANK_H
#define JDI_SCHED_RANK_H

#include "am/messages.h"
#include "core/clock.h"
#include "core/knobs.h"
#include "core/lock.h"
#include "core/mailbox.h"
#include "core/random.h"
#include "core/registry.h"
#include "core/stats.h"
#include "core/topo.h"
#include "core/trace.h"
#include "core/ult/ult.h"
#include "sched/call.h"
#include "sched/standstill.h"
#include "sched/steal/steal.h"

struct jdi_rank;
struct jdi_collective;
struct jdi_worker;
struct jdi_deques;
struct jdi_td_ops;
struct jdi_part;
struct jdi_pool;
struct jdi_channels;
struct jdi_events;
struct jdi_select_ops;
struct jdi_phasers;
struct jdi_fds;
struct jdi_foreigners;
struct jdi_gather;
struct jdi_progress;
struct jdi_stealfile;
struct jdi_panel;
struct jdi_data;
struct jdi_live;

enum {
    JDI_COLLS_OWN = 2,                  /* ids of the pools (sched/finish/pool.h) */
    JDI_COLLS_MAX = JDI_COLLS_OWN + 64, /* collections alive at once */
    JDI_RANK_TURNS = 8                  /* hooks that a turn can have */
};

/* All ULTs of a rank, and how far an inspection has come: sched/inspect.h. */
struct jdi_inspect {
    struct jdi_lock turn; /* whoever inspects, for all of it */
    struct jdi_lock lock; /* for the next two, and what inspections note in a jd_self */
    jd_self *first, *at;
};

/* What counts in a finish: see rank->hold_finish. */
struct jdi_counted {
    struct jdi_call call;
    struct jdi_part *part; /* NULL: it counts in none */
};

/* What jd_progress has said last, and when it has said that total first: [pair: progress-total]. */
struct jdi_said {
    _Atomic uint64_t done, of, base_done, base_at;
};

struct jdi_rank {
    /* Constant after launch. */
    struct jdi_am *am;
    const struct jdi_knobs
        *knobs; /* of the process where that runs all ranks in virtual time */
    struct jdi_knobs *own_knobs; /* NULL there */
    struct jdi_registry registry;
    struct jdi_topo *topo;
    struct jdi_placement place;
    bool many_clocks; /* ranks with a trace: not all have the same; sched/clocks.h */
    uint64_t run_id;  /* 0: nobody has asked; sched/job.h */
    char *bind_list;  /* that of a file of JACKDAW_BIND, or NULL */
    struct jdi_idle_policy patience;
    const struct jdi_ult_ops *ult;
    struct jdi_engine *engine;
    struct jdi_worker *workers;
    unsigned nworkers;
    struct jdi_stats *stats; /* of the communication thread: worker 0's, or its own */
    struct jdi_deques
        *deques;       /* where unblocked tasks go back to deques: sched/deques.h */
    bool keeps_stacks; /* a ULT that stops leaves its return addresses: JACKDAW_STATE */
    bool timed;        /* the parts of time are measured: see jdi_rank_measure */
    bool tells;        /* decisions are explained: JACKDAW_STATS=full */
    bool fences;       /* the kernel has the heavy fence: core/fence.h */
    /* Not 0: a ULT that goes on looks closer.  Written only while somebody inspects: sched/inspect.c;
     * [pair: inspect-gate]. */
    _Atomic uint32_t gate;
    uint64_t amount;       /* tasks per steal from another rank, 0: half */
    uint64_t local_amount; /* the same inside the rank */
    const struct jdi_steal_ops *steal;
    struct jdi_steal_config steal_config;
    const struct jdi_td_ops *detector; /* of all collections */
    struct jdi_data *data;             /* registered memory, futures: sched/data/data.h */
    struct jdi_channels *channels;     /* sched/wait/channel.c */
    struct jdi_events *events;         /* sched/wait/event.c */
    struct jdi_phasers *phasers;       /* sched/wait/phaser.h */
    struct jdi_fds *fds;               /* sched/wait/fd.c; NULL in virtual time */
    struct jdi_foreigners *foreigners; /* sched/wait/foreign.c */
    struct jdi_gather *gather; /* sched/launch/gather.h; NULL: JACKDAW_STATS is 0 */
    struct jdi_progress
        *progress; /* sched/live/progress.h; NULL: JACKDAW_PROGRESS is 0 */
    struct jdi_stealfile *stealfile; /* sched/stealfile.h; NULL: no steal log */
    struct jdi_live *live; /* sched/live/live.h; NULL before and after the workers */
    /* Constant after launch: hooks of the layers above. */
    void (*turn[JDI_RANK_TURNS])(struct jdi_rank *rank); /* see jdi_rank_on_turn */
    unsigned nturns;
    /* A message names a collection that is not here: make it and return it, or NULL.  Runs in a
     * handler. */
    jd_coll *(*on_unknown)(struct jdi_rank *rank, unsigned id);
    /* The mark of a ULT's innermost finish, which is set when the finish is cancelled; NULL if the
     * ULT has no finish. */
    const _Atomic bool *(*mark_of)(const jd_self *me);
    /* The name of a ULT's innermost finish, and of the one around it, if this rank knows that; number 0: none. */
    jd_finish_id (*finish_of)(const jd_self *me, jd_finish_id *around);
    /* Something that is no task counts in the innermost finish of `me`: false if there is none.  Later, on
     * any thread: it has ended, and its heap block, which begins with `h`, is freed. */
    bool (*hold_finish)(jd_self *me, struct jdi_counted *h);
    void (*release_finish)(struct jdi_counted *h);
    /* A ULT inside a finish goes on on another worker: its part becomes one of that worker. */
    void (*on_move)(jd_self *me);
    /* A task of a collection ends that is registered with phasers. */
    void (*on_phased)(jd_self *me);
    /* The first deadline has come.  Called by an idle worker of a rank where worker 0 polls. */
    void (*on_due)(struct jdi_rank *rank);
    /* What jd_select asks of each kind of cases: sched/wait/select.h.  NULL: no such kind. */
    const struct jdi_select_ops *cases[JD_CASE_KINDS];
    /* A phase of a collection has ended; its info is that of the phase.  NULL: nobody asks. */
    void (*on_phase_end)(const jd_coll *c);
    /* What was read of other ranks may be out of date.  `meets`: until the next call the body is in one in which it meets
     * the other ranks. */
    void (*on_meeting)(struct jdi_rank *rank, bool meets);
    /* The body opens a finish, or one that it has opened has ended.  NULL: nobody asks. */
    void (*on_finish)(struct jdi_rank *rank, jd_finish_id id, bool opened);
    /* The worker has nothing to do.  True: it has by now.  NULL: nobody asks. */
    bool (*on_rest)(struct jdi_worker *w);
    /* A worker falls asleep.  Shall not block.  NULL: likewise. */
    void (*on_sleep)(struct jdi_rank *rank);
    /* The ULT that the first worker begins with. */
    jd_self *(*new_body)(struct jdi_worker *first);
    jd_body body;
    int argc;
    char **argv;

    struct jdi_trace_file *trace; /* NULL: nothing is recorded; sched/traces.h */

    /* Writer: the communication thread. */
    struct jdi_tracer *tracer;     /* its own, if there is a trace */
    uint64_t rng;                  /* for the choice of victims */
    jd_coll *colls[JDI_COLLS_MAX]; /* those alive, by id */
    unsigned ncolls;               /* ids to look at */
    unsigned first_coll;           /* the id with which the next turn begins */
    struct jdi_collective *dying;  /* a destroy that waits, see coll_api.c */
    struct jdi_session *session;   /* a restore that balances, see session.h */
    uint64_t wake_at;              /* ns; see jdi_rank_again */
    uint64_t news, news_seen;      /* see jdi_rank_news */
    bool called;                   /* the last turn has had calls: see nap in comm.c */
    uint32_t looks_seen;           /* `looks` at the last nap */
    uint64_t loads[JDI_AM_WORDS];  /* as published, see ask.c */
    bool again;                    /* see jdi_rank_again_now */
    bool leaving;                  /* from now on no thief is remembered */
    /* Where the body waits for other ranks, and where theirs do. */
    struct jdi_standstill standstill;
    struct jdi_idle_round round;
    struct jdi_clock clock;    /* of a communication thread that runs no tasks */
    struct jdi_clock *turning; /* that, or worker 0's: of the thread that makes turns */
    struct jdi_call body_call; /* the body has returned */
    uint64_t status_word;      /* this body's status, then the job's: reduced */
    struct jdi_am_reduce end;
    bool finished;   /* every rank's body has returned */
    bool any_finish; /* the status is 0 and some rank has used finishes */
    int status;      /* the job's */
    /* Messages of sched/finish/cancel.c: cancels_ CANCELLED and OVER, asks_ CANCEL. */
    uint64_t cancels_sent, cancels_heard, asks_sent, asks_heard;

    _Atomic(void *) local; /* writer: the body; [pair: rank-local] */
    uint32_t made;         /* the body's: collections that it has made */
    _Atomic bool returned; /* writer: the body, which has; a hint */

    /* Writer: the communication thread; readers: workers. */
    JDI_ALIGNED _Atomic(struct jdi_pool *) pool; /* of finishes; [pair: rank-pool] */
    _Atomic(jd_coll *) active[JDI_COLLS_MAX];    /* [pair: coll-active] */
    _Atomic uint32_t nactive;                    /* slots of active[] to look at */
    _Atomic uint64_t epoch; /* removals from active[], destroys; [pair: coll-epoch] */
    _Atomic bool stop;      /* workers end; [pair: rank-stop] */
    _Atomic bool
        starved; /* a stack was not to be had: sched/crowd.h.  Writers: workers */
    _Atomic bool refused;     /* a thief was refused: a hint for ranges */
    _Atomic uint64_t due;     /* ns; see jdi_rank_due_news */
    _Atomic uint32_t thieves; /* remembered ones; [pair: thieves-wait] */

    /* Writers: workers. */
    JDI_ALIGNED _Atomic uint32_t hungry; /* workers without work; a hint for the thief */
    _Atomic uint32_t sleeping;           /* workers asleep; seq_cst, [pair: idle-wake] */
    _Atomic uint32_t looks;              /* worker 0's, see sched/look.c; a hint */
    _Atomic bool crowded;                /* it was said: sched/crowd.c */
    _Atomic bool asks_kernel;            /* on_rest does; a hint */
    struct jdi_said said;                /* sched/live/progress.c */
    struct jdi_lock spares_lock;         /* for the next one */
    jd_self *spares;                     /* loops for any worker: sched/crowd.h */
    struct jdi_mailbox mailbox;          /* calls for the communication worker */
    struct jdi_inspect inspect;
    /* sched/live/panel.h; NULL: there is none.  Constant while the workers run. */
    struct jdi_panel *panel;
};

/* The streams of the rank shall end. */
static inline bool jdi_rank_stops(const struct jdi_rank *r)
{
    /* [pair: rank-stop] acquire: everything that was done for the job. */
    return atomic_load_explicit(&r->stop, memory_order_acquire);
}
/* Time in ns by the rank's clock, which may be simulated.  Threads of the rank only. */
static inline uint64_t jdi_rank_now(const struct jdi_rank *r)
{
    return jdi_time_now(r->am->time);
}

/*
 * What has passed on the calling thread, whose clock this is, since the last booking was `a`.  Only with
 * JACKDAW_STATS, because a look at the clock may cost as much as what it measures: without it such pieces of
 * time go to what is booked next.  NULL: the thread has no clock yet, or no longer.
 */
static inline void jdi_rank_measure(const struct jdi_rank *r, struct jdi_clock *c,
                                    enum jdi_activity a)
{
    if (JDI_UNLIKELY(r->timed) && c)
        jdi_clock_book(c, a, jdi_rank_now(r));
}

/* Something has happened: if the communication worker waits, its wait begins again. */
static inline void jdi_rank_news(struct jdi_rank *r)
{
    r->news++;
}
/* The communication worker shall have another turn at `ns` or earlier. */
static inline void jdi_rank_again(struct jdi_rank *r, uint64_t ns)
{
    r->wake_at = ns < r->wake_at ? ns : r->wake_at;
}
/* Another turn shall follow at once, because something came after this turn had looked for it. */
static inline void jdi_rank_again_now(struct jdi_rank *r)
{
    r->again = true;
}

/* Add a hook: every turn of the communication worker calls fn after the messages and before the
 * collections.  Only before the workers start. */
static inline void jdi_rank_on_turn(struct jdi_rank *r, void (*fn)(struct jdi_rank *rank))
{
    JD_CHECK(r->nturns < JDI_RANK_TURNS);
    r->turn[r->nturns++] = fn;
}
/* Have a hook make the collection that a message names.  Returns it, or NULL. */
static inline jd_coll *jdi_rank_unknown(struct jdi_rank *r, unsigned id)
{
    return r->on_unknown ? r->on_unknown(r, id) : NULL;
}

/* For assertions: is this the communication thread; the stream of that worker, or, one behind the
 * last of them, the communication thread? */
static inline bool jdi_rank_is_comm(const struct jdi_rank *r)
{
    return jdi_owner_is_me(&r->am->comm);
}
/* Assert that nobody is counted who has gone: when all streams have ended. */
void jdi_rank_check(const struct jdi_rank *r);
bool jdi_rank_is_owner(const struct jdi_rank *r, unsigned owner);

/* Any thread: have call->run called by the communication worker. */
void jdi_rank_post(struct jdi_rank *r, struct jdi_call *call);
/* Any thread: wake one sleeping worker, or all.  Costs one load if no worker sleeps. */
void jdi_rank_wake_one(struct jdi_rank *r);
void jdi_rank_wake_all(struct jdi_rank *r);
/* As jdi_rank_wake_one, where the caller has passed a full fence after it published what is no task. */
void jdi_rank_wake_sleeper(struct jdi_rank *r);
/* Any thread: the first deadline of all waits of the rank; UINT64_MAX: none. */
uint64_t jdi_rank_first_due(const struct jdi_rank *r);
/*
 * Each worker says when the first deadline of its waits is; rank->due is the first of those that the
 * communication worker knows of, UINT64_MAX if there is none.  True if a worker has an earlier one.  Whoever
 * is about to sleep as the communication worker asks after its announcement.
 */
bool jdi_rank_due_news(const struct jdi_rank *r);
/* True once every worker has seen `epoch`, so no worker uses a collection as it was before.  It
 * need not have seen a later epoch, because nobody wakes sleeping workers for that.
 * Communication thread. */
bool jdi_rank_forgot(const struct jdi_rank *r, uint64_t epoch);

#endif
