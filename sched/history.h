/*
 * history.h - what the tasks of a timed collection took in the last phase, at one rank.
 *
 * Role: the load of each worker; the seeds that ran here, sorted by the time that they took.
 * Owner: a worker writes its sheet in a phase, the communication thread between phases.  Between DONE and
 *        SEEDING the body has all of it.
 * Invariants: I1 a seed's times stand in its origin, in the record of the worker on which it began
 *                (sched/record.h).  So the store is one descriptor for each seed, and the bins.
 *             I2 descriptors point into the records, so they hold until the next phase or restore.
 * Order: [pair: account-out] what a worker has written before its task was counted out.
 * See: doc/history.md; sched/origin.h for the bins; paper 003, section 5.
 */
#ifndef JDI_SCHED_HISTORY_H
#define JDI_SCHED_HISTORY_H

#include "sched/record.h"
#include "sched/stopwatch.h"

/* A seed that ended on another worker than it began on: its time, for the record of that worker. */
struct jdi_late {
    size_t at;
    uint64_t ns;
    unsigned owner;
    bool null;
};

/* What one owner has measured in this phase.  A seed counts where it began, another task where it ended. */
struct jdi_sheet {
    JDI_ALIGNED uint64_t load; /* ns */
    uint64_t longest;          /* task, ns */
    uint64_t null;             /* seeds that had nothing to do */
    struct jdi_late *late;
    size_t nlate, room;
};

/* A bin of the last phase: its seeds are descriptors [first, first + n). */
struct jdi_bin {
    uint16_t time;
    uint64_t first, n;
};

/* A seed that had nothing to do: sched/prune.h.  `rank` is where it was seeded first; in `told`, who has told
 * this rank of it. */
struct jdi_pruned_seed {
    uint32_t rank, index;
};
struct jdi_pruned_list {
    struct jdi_pruned_seed *seed;
    size_t n, room;
};
struct jdi_pruned {
    struct jdi_pruned_list here; /* found here; the body's */
    struct jdi_pruned_list told; /* added here; the communication thread's, as the rest */
    uint64_t sent, received;     /* messages of this restore */
    uint32_t over;               /* the phase after which the last such restore was */
};

struct jdi_history {
    unsigned nowners;
    struct jdi_sheet *sheet; /* by owner */
    /* The body's: see jdi_history_sort. */
    struct jdi_task **seed; /* descriptors, shortest time first */
    uint64_t nseeds;
    struct jdi_bin *bin;
    uint32_t nbins;
    bool sorted;
    struct jdi_pruned pruned;
};

/* NULL when out of memory. */
struct jdi_history *jdi_history_new(unsigned nowners, struct jdi_fault *f);
void jdi_history_free(struct jdi_history *h);

/* A task with this watch has ended on `owner`, and has taken `ns`; `kept` is the record of that owner.  The
 * owner, before it counts the task out.  False when out of memory. */
bool jdi_history_ran(struct jdi_history *h, unsigned owner, struct jdi_record *kept,
                     const struct jdi_stopwatch *watch, uint64_t ns, struct jdi_fault *f);

/* A phase begins.  Communication thread. */
void jdi_history_begin(struct jdi_history *h);
/* A phase has ended: see to the seeds that ended elsewhere; add load and null seeds to `info`.
 * Communication thread. */
void jdi_history_end(jd_coll *c, jd_coll_info *info);

/* Sort the seeds of the last phase by their time.  The body, between DONE and SEEDING.  0, or
 * JD_ENOMEM. */
int jdi_history_sort(jd_coll *c);
/* Forget that order, because seeds have left the records, or moved in them.  The body. */
void jdi_history_forget(struct jdi_history *h);
/* Sort n seeds by their last time, the shortest first; seeds of one bin stay in their order.  `spare` has room for as
 * many.  Any thread that has the seeds. */
void jdi_history_order(struct jdi_task **seed, struct jdi_task **spare, uint64_t n);
/* The owner in whose record a descriptor lies. */
unsigned jdi_history_owner(const jd_coll *c, const struct jdi_task *seed);

#endif
