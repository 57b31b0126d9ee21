/*
 * world.h - a world for detectors: ranks, a bag of messages, an exact ledger.
 *
 * Role: drive any detector of detector.h through one action at a time; who chooses the
 *       actions is a random walk (walk.h), an exhaustive search (explore.h) or a script.
 * Owner: one thread; a world is plain memory without pointers to itself but those in the
 *        detectors' env, so it may be copied away and back to the same address.
 * Invariants: I1 left[p] is the number of tasks of phase p that exist anywhere: the ledger.
 *             I2 a fault names the rule that broke: O1 a phase is announced while left > 0 or
 *                before all have entered; O2 its sums are wrong; O4 it is never announced, or
 *                more than max_failed waves fail after quiescence; O5 a message is left or
 *                comes after the end; O6 an invariant or the contract is broken.
 *                With two collections these are kept for each: jdi_world_entry.
 *             I3 `step` is called once after each change and at the time that the last
 *                step named, never otherwise: a detector that needs more than that hangs.
 * See: oracle.h, holds.h; doc/termination.md sections 1 and 6.
 */
#ifndef JDI_CONFORM_WORLD_H
#define JDI_CONFORM_WORLD_H

#include "core/base.h"
#include "termination/detector.h"

enum {
    JDI_WORLD_RANKS = 9,
    JDI_WORLD_COLLS = 2,
    JDI_WORLD_LEDGER = 6, /* phases in the ledger of a collection: a ring */
    JDI_WORLD_TASKS = 32, /* at most at a time */
    JDI_WORLD_BAG = 240,
    JDI_WORLD_TD = 1024,   /* bytes of a detector's state */
    JDI_WORLD_TRACE = 4096 /* the last actions are kept */
};

/* Kinds of actions; `rank` is who acts or receives. */
enum jdi_world_kind {
    JDI_WORLD_ENTER = 1, /* begin the next phase; variant: number of seeds */
    JDI_WORLD_SEND,      /* a live task spawns one on another rank; variant: which rank */
    JDI_WORLD_MOVE,   /* a live task goes to another rank, as a steal; variant: which */
    JDI_WORLD_FINISH, /* a live task ends */
    JDI_WORLD_STEP,   /* the detector's step */
    JDI_WORLD_TASK,   /* delivery of a task message; variant: which */
    JDI_WORLD_BACK,   /* a task message never left; its sender takes it back */
    JDI_WORLD_UP,     /* delivery of a control message; variant: which */
    JDI_WORLD_NEXT,
    JDI_WORLD_TERM,
    JDI_WORLD_TOKEN,
    JDI_WORLD_ACK,
    JDI_WORLD_WAKE, /* only in a wrong runtime: what was late happens */
    JDI_WORLD_TIME, /* the clock moves to the next time a step asked for; rank 0 */
    JDI_WORLD_HOLD, /* take a hold of the collection (rule R11), */
    JDI_WORLD_DROP, /* give one up, */
    JDI_WORLD_FEED, /* a live task adds one to the other collection, which is held: holds.c */
    JDI_WORLD_KINDS
};

struct jdi_world_packet {
    uint8_t kind; /* JDI_WORLD_TASK, or JDI_WORLD_UP .. JDI_WORLD_ACK */
    uint8_t src, dst;
    uint32_t phase;            /* TASK: the true one, counted from 1, whatever it says */
    struct jdi_td_stamp stamp; /* TASK */
    uint32_t task;             /* TASK: its number */
    struct jdi_td_msg msg;     /* the others */
};

struct jdi_world_rank {
    struct jdi_world *world;
    uint32_t phase; /* entered, or the last one; 1, 2, ... whatever number it has */
    uint32_t ended; /* phases announced here */
    bool changed;   /* since its last step (I3) */
    uint64_t wake;  /* when its last step wants to be called again */
    uint32_t nlive, nheld, nlate;
    uint32_t nholds; /* holds taken and not given up */
    uint32_t live[JDI_WORLD_TASKS];
    uint32_t held[JDI_WORLD_TASKS];  /* for the next phase */
    uint32_t late[JDI_WORLD_TASKS];  /* only in a wrong runtime */
    uint64_t created, executed, ids; /* in this phase: the words of the report */
};

/* What only the owner of a detector's state can tell; a world works without any of it. */
struct jdi_world_lens {
    uint32_t (*wave)(const void *td, uint32_t phase);
    int64_t (*balance)(const void *td, uint32_t phase); /* sent - received */
    /* Right after init: the first phase, and the waves that it has had. */
    void (*start)(void *td, uint32_t phase, uint64_t wave);
    /* Zero what does not influence what the detector does, as figures (explore.h). */
    void (*forget)(void *td);
};

/* Runtimes that break a promise to the detector; a right detector fails in them. */
enum jdi_world_wrong {
    JDI_WORLD_RIGHT,
    JDI_WORLD_LATE_LIVE, /* an import is counted now and live later */
    JDI_WORLD_LATE_HELD, /* the same for tasks kept until enter */
    JDI_WORLD_UNSEEN, /* idle does not see some tasks: suspended ones, timers, completions */
    JDI_WORLD_BUFFERED, /* nor tasks in a buffer, which are exported when it is flushed */
    /* With two collections. */
    JDI_WORLD_NO_ID, /* control messages go to the first collection that is in that phase */
    JDI_WORLD_BLIND_HOLD, /* idle does not see holds */
    JDI_WORLD_IDLE_HOLD   /* a hold is taken although nothing of the collection is live */
};

/* What a world has lived through before the first action: warm.h. */
struct jdi_world_past {
    uint32_t phases;  /* run from their begin to their end */
    uint32_t imports; /* in the phase that is open, */
    uint32_t waves; /* and waves that failed in it because task messages were under way */
};

struct jdi_world_config {
    const struct jdi_td_ops *ops;
    const struct jdi_world_lens *lens; /* NULL: no audit, no first_phase, no first_wave */
    bool audit; /* I1 to I3 of the protocol after each action, in a right detector */
    /* Two collections of the same ranks: rank[] and td[] hold one row of them after the
     * other, and `ranks` counts both rows.  0 is 1. */
    unsigned ranks, colls, arity, phases;
    unsigned sends; /* task messages, and tasks added to another collection, in all */
    struct jdi_world_past past;
    unsigned max_seeds; /* per rank and phase, up to 2 */
    unsigned max_failed;
    uint64_t pause_min, pause_max;
    uint32_t first_phase; /* its number; 0 is 1 */
    uint64_t first_wave;
    uint64_t first_time;   /* ns */
    bool held_blocks_idle; /* tasks kept for the next phase make idle false */
    bool one_bit_live;     /* finish ends all live tasks at once */
    bool no_stats;
    enum jdi_world_wrong wrong;
};

struct jdi_world_event {
    uint8_t kind, rank, peer, flag;
    uint8_t said;  /* the last control message sent meanwhile, a jdi_world_kind; or 0 */
    uint8_t ended; /* the phase was announced */
    uint32_t phase, wave;
    int32_t sum;
};

/* The memory of the last actions, outside of the world so that copies are cheap. */
struct jdi_world_trace {
    uint64_t count;
    struct jdi_world_event event[JDI_WORLD_TRACE];
};

/* What the detector does after quiescence, by the world's own account: cost.h. */
struct jdi_world_cost {
    uint8_t sent[JDI_WORLD_RANKS]
                [JDI_WORLD_RANKS];    /* control messages from a column to one */
    uint32_t again[JDI_WORLD_RANKS];  /* steps that wanted another one at once */
    uint64_t waited[JDI_WORLD_COLLS]; /* ns in which nothing else could happen, */
    uint32_t of[JDI_WORLD_COLLS];     /* in this phase */
    bool importing;                   /* a message that is sent meanwhile is no cost */
};

struct jdi_world {
    struct jdi_world_config c;
    struct jdi_world_trace *trace;
    uint64_t now, actions;
    uint32_t budget; /* task messages that may still be sent */
    uint32_t holds;  /* that may still be taken, but for those on entry */
    uint32_t last_task;
    uint32_t entered[JDI_WORLD_COLLS * JDI_WORLD_LEDGER]; /* ranks that have */
    uint32_t left[JDI_WORLD_COLLS * JDI_WORLD_LEDGER];    /* the ledger */
    uint32_t tasks[JDI_WORLD_COLLS * JDI_WORLD_LEDGER];   /* created */
    uint32_t failed_after[JDI_WORLD_COLLS]; /* waves that failed after quiescence */
    uint64_t failed_seen[JDI_WORLD_COLLS];
    uint32_t worst_failed;
    struct jdi_world_cost cost;
    bool over;       /* every phase has been announced on every rank */
    uint8_t said;    /* by the detector in this action, as in the event */
    char fault[160]; /* what the oracle says; empty: nothing wrong so far */
    struct jdi_world_rank rank[JDI_WORLD_RANKS];
    uint8_t waiting[JDI_WORLD_KINDS]
                   [JDI_WORLD_RANKS]; /* packets by kind and destination */
    uint8_t sent_by[JDI_WORLD_RANKS]; /* task packets by source */
    uint32_t nbag;
    struct jdi_world_packet bag[JDI_WORLD_BAG];
    _Alignas(16) unsigned char td[JDI_WORLD_RANKS][JDI_WORLD_TD];
};

/* A fresh world in which no rank has entered phase 1; w may be uninitialised. */
void jdi_world_init(struct jdi_world *w, const struct jdi_world_config *c,
                    struct jdi_world_trace *trace);
/* How many variants of an action are possible now; 0: not enabled. */
unsigned jdi_world_enabled(const struct jdi_world *w, enum jdi_world_kind kind,
                           unsigned rank);
/* Do it, and ask the oracle.  `variant` below jdi_world_enabled; STEP is always allowed. */
void jdi_world_do(struct jdi_world *w, enum jdi_world_kind kind, unsigned rank,
                  unsigned variant);
const char *jdi_world_kind_name(enum jdi_world_kind kind);

/* Ranks of one collection; the row of a column, and its place in that row. */
static inline unsigned jdi_world_ranks(const struct jdi_world *w)
{
    return w->c.ranks / w->c.colls;
}
static inline unsigned jdi_world_coll(const struct jdi_world *w, unsigned column)
{
    return column / jdi_world_ranks(w);
}
static inline unsigned jdi_world_place(const struct jdi_world *w, unsigned column)
{
    return column % jdi_world_ranks(w);
}
/* Where a task message of this variant goes; alone, to the rank itself. */
static inline unsigned jdi_world_target(const struct jdi_world *w, unsigned column,
                                        unsigned variant)
{
    unsigned n = jdi_world_ranks(w), base = column - jdi_world_place(w, column);
    return n == 1 ? column : base + (jdi_world_place(w, column) + 1 + variant) % n;
}
/* The entry of a phase in the ledger. */
static inline unsigned jdi_world_entry(const struct jdi_world *w, unsigned column,
                                       uint32_t phase)
{
    return jdi_world_coll(w, column) * JDI_WORLD_LEDGER + phase % JDI_WORLD_LEDGER;
}
/* What the detector calls a phase. */
static inline uint32_t jdi_world_number(const struct jdi_world *w, uint32_t phase)
{
    return (w->c.first_phase ? w->c.first_phase : 1) + phase - 1;
}
/* Phases of a run in all. */
static inline uint32_t jdi_world_phases(const struct jdi_world *w)
{
    return w->c.past.phases + w->c.phases;
}
/* A new task, live on this rank. */
void jdi_world_create(struct jdi_world *w, struct jdi_world_rank *r);

#endif
