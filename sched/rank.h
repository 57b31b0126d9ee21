/*
 * rank.h - everything that one rank is.
 *
 * Role: the object that all state hangs off (law 1): transport, knobs, workers, collections.
 * Owner: made and freed by launch.c on the communication thread; fields say their writers.
 * Invariants: I1 no state of a rank lies anywhere else, so a process can hold many ranks.
 * See: ARCHITECTURE.md "Objects".
 */
#ifndef JDI_SCHED_RANK_H
#define JDI_SCHED_RANK_H

#include "am/am.h"
#include "core/knobs.h"
#include "core/registry.h"
#include "core/stats.h"
#include "core/topo.h"
#include "sched/mailbox.h"
#include "sched/ult.h"

struct jdi_rank;
struct jdi_call;
struct jdi_worker;
struct jdi_steal_ops;

enum { JDI_COLLS_MAX = 64 }; /* collections alive at once */

/* Message types: doc/transfer.md and doc/termination.md have the layouts. */
enum jdi_msg_type {
    JDI_MSG_STEAL = 8, /* thief -> victim: give me tasks of a collection */
    JDI_MSG_TASKS,     /* victim -> thief, a reply: here they are */
    JDI_MSG_NOWORK,    /* victim -> thief, a reply: nothing */
    JDI_MSG_TD         /* a detector's message */
};

/* A request to the communication worker; lives with the ULT that waits for it. */
struct jdi_mail {
    struct jdi_letter letter;
    void (*run)(struct jdi_rank *rank, struct jdi_mail *mail);
};

struct jdi_rank {
    /* Constant after launch. */
    struct jdi_am *am;
    struct jdi_knobs knobs;
    struct jdi_registry registry;
    struct jdi_topo *topo;
    struct jdi_placement place;
    struct jdi_idle_policy patience;
    const struct jdi_ult_ops *ult;
    struct jdi_engine *engine;
    struct jdi_worker *workers;
    unsigned nworkers;
    uint64_t amount; /* tasks per steal, 0: half */
    const struct jdi_steal_ops *steal;
    jd_body body;
    int argc;
    char **argv;

    /* Writer: the communication thread. */
    uint64_t rng;                  /* victim choice */
    jd_coll *colls[JDI_COLLS_MAX]; /* by id; alive ones */
    unsigned ncolls;               /* ids to look at */
    struct jdi_call *dying;        /* a destroy that waits, see coll_api.c */
    uint64_t wake_at;              /* ns: a detector wants its next step then */
    uint64_t events, events_seen;  /* something happened: waiting starts anew */
    struct jdi_idle_round round;
    struct jdi_clock clock;    /* of a communication thread of its own */
    struct jdi_stats stats;    /* likewise */
    struct jdi_mail body_mail; /* the body has returned */
    uint64_t status_word;      /* its status, then the job's, in a reduction */
    struct jdi_am_reduce end;
    bool finished; /* every rank's body has returned */
    int status;    /* the job's */

    /* Writer: the communication thread; readers: workers. */
    JDI_ALIGNED _Atomic(jd_coll *) active[JDI_COLLS_MAX]; /* [pair: coll-active] */
    _Atomic uint32_t nactive; /* slots of active[] to look at */
    _Atomic uint64_t epoch;   /* counts removals from active[]; [pair: coll-epoch] */
    _Atomic bool stop;        /* workers go home; [pair: rank-stop] */

    /* Writers: workers. */
    JDI_ALIGNED _Atomic uint32_t hungry; /* workers without work; a hint for the thief */
    _Atomic uint32_t sleeping;           /* workers asleep; seq_cst, [pair: idle-wake] */
    struct jdi_mailbox mailbox;          /* requests for the communication worker */
};

/* ns by this rank's clock, which may be a simulated one.  Its own threads. */
static inline uint64_t jdi_rank_now(const struct jdi_rank *r)
{
    return jdi_time_now(r->am->time);
}

/* Any thread: have mail->run called by the communication worker. */
void jdi_rank_post(struct jdi_rank *r, struct jdi_mail *mail);
/* Any thread: wake one sleeping worker, or all.  One load if none sleeps. */
void jdi_rank_wake_one(struct jdi_rank *r);
void jdi_rank_wake_all(struct jdi_rank *r);

/* xorshift64*: the next number from a state that is never 0. */
static inline uint64_t jdi_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1DULL;
}
/* A number below n > 0, without a division. */
static inline uint32_t jdi_random_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(((jdi_random(state) >> 32) * n) >> 32);
}

#endif
