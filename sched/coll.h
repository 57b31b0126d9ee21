/*
 * coll.h - a task collection: accounts, store, detector, place in the steal protocol.
 *
 * Role: holds the tasks of one process() and knows when they have ended.
 * Owner: a worker owns its seat.  The communication thread owns the last seat and the fields so
 *        marked.  The communication thread changes the state; so does the body while the
 *        collection is not started.
 * Invariants: I1 and I2 of account.h.
 * Order: [pair: account-out] see jdi_coll_settled.
 * See: ARCHITECTURE.md "Life of a task"; doc/termination.md.
 *
 *   state     event                          next      who
 *   SEEDING   jd_coll_start                  OPEN      comm (detector entered)
 *   OPEN      detector announces             DONE      comm
 *   DONE      jd_coll_restore                SEEDING   comm
 *   DONE      jd_coll_add by the body        SEEDING   body (records cleared)
 *   SEEDING   jd_coll_load                   DONE      body (records are those of the file)
 *   SEEDING, DONE   jd_coll_destroy          DYING     comm
 *   DYING     some rank has tasks or holds   as before body (JD_ESTATE on all)
 */
#ifndef JDI_SCHED_COLL_H
#define JDI_SCHED_COLL_H

#include "sched/account.h"
#include "sched/history.h"
#include "sched/kind.h"
#include "sched/model.h"
#include "sched/origin.h"
#include "sched/retain.h"
#include "sched/steal/steal.h"
#include "sched/store.h"
#include "sched/worker.h"
#include "sched/worth.h"
#include "termination/detector.h"

enum jdi_coll_state {
    JDI_COLL_SEEDING = 1,
    JDI_COLL_OPEN,
    JDI_COLL_DONE,
    JDI_COLL_DYING
};

/* One owner's part of a collection.  Shelf and account lie side by side, so that one pointer leads
 * to both. */
struct jdi_seat {
    struct jdi_shelf shelf;
    struct jdi_account account;
    struct jdi_retained retained;
    uint64_t
        promised; /* name of the youngest task, which goes elsewhere: sched/recall.h; or 0 */
};

/* A read of another rank's load. */
struct jdi_look {
    struct jdi_am_get get;
    jd_coll *coll;
    uint32_t victim;
    bool open;
};

/* A message with tasks that arrived before this rank entered their phase (sched/phase.h). */
struct jdi_held {
    struct jdi_held *next;
    uint32_t src;
    struct jdi_am_msg m; /* its payload is `bytes` */
    _Alignas(16) unsigned char bytes[];
};

struct jd_coll {
    /* Constant after create. */
    struct jdi_rank *rank;
    const struct jdi_kind *kind;
    uint16_t id;
    bool uniform, restorable;
    uint32_t arg_size, slot_size;
    uint32_t origin; /* bytes before the argument of a seed; 0: not timed */
    uint32_t room;   /* of a slot for origin and argument; what is larger spills */
    uint32_t
        ntasks; /* rows of the registry before the first with hooks; 0: they have names */
    const jd_task_def *row; /* these rows, kept near at hand */
    void *local;
    char name[32];
    struct jdi_history *history; /* NULL: not timed */
    struct jdi_recall *recall;   /* NULL: its tasks have no names */
    unsigned nowners;            /* workers + 1 */
    struct jdi_seat *seat;       /* by owner; the last is the communication thread's */
    struct jdi_store store;
    /* Writer: any thread that may hold. */
    _Atomic uint64_t hold_in, hold_out;
    _Atomic int state; /* enum jdi_coll_state */
    /* How many lists of retained seeds wait.  Writer: comm; subtracts: whoever has fetched one. */
    _Atomic uint32_t lists;
    /* The body's. */
    struct jdi_record seeds; /* what the body added, for JD_RESTORE_SEED */
    uint32_t
        nseeds; /* seeds of a timed collection, or one with names, that it has added */
    enum jd_stealing stealing; /* in the next phase */
    struct jdi_model model;    /* of its seeds, if it is timed */
    struct jdi_worth worth;    /* of AUTO */
    /* The communication thread's. */
    void *td;
    uint32_t phase;
    uint64_t began;           /* when it began, ns */
    enum jd_stealing sharing; /* `stealing` of this phase */
    struct jdi_held *held;
    uint32_t nheld; /* messages in that list */
    struct jdi_steal steal;
    struct jdi_steal_counts counted; /* steal.count when the phase began */
    struct jdi_look look[JDI_STEAL_LOOKS];
    _Atomic uint64_t load;  /* this rank's, as published; readers: worker 0 */
    uint32_t waiting;       /* how many thieves of c rank->thieves includes */
    uint64_t opened_at;     /* time when the last lists of retained seeds began to wait */
    uint64_t rest_seen;     /* time of the last look while all workers were busy */
    bool at_rest;           /* whether c was idle at that look */
    uint64_t pried;         /* time of the last look for hidden tasks */
    struct jd_self *waiter; /* the body in jd_coll_wait */
    jd_coll_info info;      /* of this rank, this phase */
};

/* Set me->seat, because `me` is about to run tasks of c or has moved to another worker. */
static inline void jdi_coll_sit(jd_self *me, jd_coll *c)
{
    JD_ASSERT(jdi_rank_is_owner(c->rank, me->worker->index));
    me->coll = c;
    me->seat = &c->seat[me->worker->index];
}
/* The seat on which tasks from other ranks land: the communication thread's, or worker 0's if that is
 * the same thread.  Communication thread. */
static inline struct jdi_shelf *jdi_coll_landing(const jd_coll *c)
{
    return &c->seat[c->rank->place.apart ? c->nowners - 1 : 0].shelf;
}
/* The account that counts tasks which ranks exchange. */
static inline struct jdi_account *jdi_coll_network(const jd_coll *c)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    return &c->seat[c->nowners - 1].account;
}

/* Has this worker tasks of c of its own?  A guess as far as open tasks are concerned. */
static inline bool jdi_coll_has_own(const jd_coll *c, unsigned worker)
{
    return jdi_store_has_own(&c->seat[worker].shelf) ||
           jdi_retained_waits(&c->seat[worker].retained);
}

static inline enum jdi_coll_state jdi_coll_state(const jd_coll *c)
{
    return (enum jdi_coll_state)atomic_load_explicit(&c->state, memory_order_relaxed);
}
/* How messages name a collection and its phase. */
static inline uint64_t jdi_coll_word(const jd_coll *c)
{
    return c->id | (uint64_t)c->phase << 32;
}
void jdi_coll_set_state(jd_coll *c, enum jdi_coll_state from, enum jdi_coll_state to);

/* Make storage, accounts and store; coll_api.c does what needs other ranks.  0, JD_ENOMEM,
 * JD_EINVAL. */
int jdi_coll_new(struct jdi_rank *r, const struct jdi_kind *kind,
                 const jd_coll_props *props, jd_coll **out);
void jdi_coll_free(jd_coll *c);

/* The shelf onto which `me` adds tasks of c. */
static inline struct jdi_shelf *jdi_coll_shelf(const jd_self *me, const jd_coll *c)
{
    return &c->seat[me->worker->index].shelf;
}

/*
 * Make a task for the shelf of `me`, and count it.  The caller writes the argument, then publishes the
 * task (jdi_store_put, jdi_store_drafted; after jdi_coll_add_fast also jdi_store_pushed).  Returns
 * NULL and sets *error on failure.  Handles every case; jdi_coll_add_fast handles the common one.
 * The argument is at jdi_coll_arg.
 */
struct jdi_task *jdi_coll_new_task(jd_self *me, jd_coll *c, jd_task fn, size_t size,
                                   int *error);

/* Where the program's argument of t is. */
static inline void *jdi_coll_arg(const jd_coll *c, struct jdi_task *t)
{
    return (char *)jdi_task_arg(t) + (t->flags & JDI_TASK_SEED ? c->origin : 0);
}

/* Inlined fast path of jdi_coll_new_task: a task of c adds a task to c, and the argument fits into
 * the slot.  Returns NULL in every other case. */
static inline struct jdi_task *jdi_coll_add_fast(jd_self *me, jd_coll *c, jd_task fn,
                                                 size_t size, struct jdi_place *at)
{
    if (JDI_UNLIKELY(me->coll != c || !c || size > c->arg_size || fn >= c->ntasks))
        return NULL;
    struct jdi_task *t = jdi_store_push_fast(&me->seat->shelf, c->slot_size, at);
    return JDI_LIKELY(t) ? jdi_account_new(&me->seat->account, t, fn, 0, size) : NULL;
}

/* True if this rank has no live task of c and holds nothing (TERMINATION 4.3).  Communication
 * thread. */
static inline bool jdi_coll_idle(const jd_coll *c)
{
    return c->kind->idle(c);
}
/* True if the accounts and holds of c say that nothing is left. */
bool jdi_coll_settled(const jd_coll *c);
/* Compute this rank's audit words.  They are exact only right after jdi_coll_settled. */
void jdi_coll_audit(const jd_coll *c, uint64_t out[JDI_TD_STATS]);
/* Assert what holds between two turns of the communication thread: states, counters, seats
 * against the store, and what is open at other ranks.  It asks. */
void jdi_coll_check(jd_coll *c);
/* A phase begins: remember the values of the counters. */
void jdi_coll_begin(jd_coll *c);
/* A phase has ended: fill info. */
void jdi_coll_end(jd_coll *c);
/* The next phase begins without a restore: the record of seeds begins anew, too.  The body. */
void jdi_coll_seed_anew(jd_coll *c);
/* Record the seeds that the body added since the last phase.  The body. */
int jdi_coll_note_seeds(jd_self *me, jd_coll *c);
/* Add the recorded seeds again.  The body. */
int jdi_coll_reseed(jd_self *me, jd_coll *c, enum jd_restore how);

/* Enter c into the list that workers look at, or take c out.  Communication thread. */
void jdi_coll_activate(jd_coll *c);
void jdi_coll_deactivate(jd_coll *c);

#endif
