/*
 * recall.h - which rank ran which task last time, and a phase that begins with that.
 *
 * Role: names the tasks of a collection, logs which of them change rank, and in a later phase sends each to
 *       where it went, as soon as it is made.
 * Owner: the communication thread, but for the *outbox*, which is any worker's under its lock, and for
 *        `fate`, which workers read while the phase is open.
 * Invariants: I1 a task in the outbox or in the room is counted in, and not out; so the phase does not end.
 *             I2 a rank passes a task on once in a phase, so no log can keep a task on its way.
 *             I3 whatever the log says, each task runs once; and a rank that trusts in it waits, in all, no
 *                longer than in the phase of the log, and TRUST_LEAST_NS or a TRUST_PART-th of this phase.
 * Order: [pair: lock] the outbox; [pair: coll-active] `fate`, before workers see the phase.
 * See: doc/steallog.md; sched/name.h, sched/steallog.h; test/sim/sched_replays_need_no_steals.sh.
 *
 *   a promised task   event                                             next     who
 *   MADE              its maker's next add, or end                      OUTBOX   that worker
 *   MADE              a thief takes it, or its maker waits              (runs)   anybody
 *   OUTBOX            a turn                                            sent     comm
 *   arrived           the log says that it went on from here            OUTBOX   comm
 *   arrived           the log says that it ran here                     ROOM     comm
 *   arrived           the same, before one that has left the room       (runs)   comm: onto a shelf
 *   arrived           the log does not know it                          (runs)   comm: onto a shelf
 *   ROOM              nothing else is to do here, and it is the first   (runs)   comm: onto a shelf
 *   ROOM              workers are busy, and no task ends for RUSH_NS     (runs)   comm: onto a shelf
 *   ROOM              another rank asks, and nothing is open            (runs)   comm: onto a shelf
 */
#ifndef JDI_SCHED_RECALL_H
#define JDI_SCHED_RECALL_H

#include "sched/coll.h"
#include "sched/guests.h"
#include "sched/steallog.h"

/* What a log says of a task. */
struct jdi_fate {
    uint64_t name;
    uint32_t rank;  /* where it went from here; JDI_FATE_STAYS: it ran here */
    uint32_t batch; /* number of the batch with which it came; 0: it was made here */
    uint32_t place; /* in the log */
    uint32_t used;  /* it has been sent, or has come.  The communication thread's */
};
enum { JDI_FATE_STAYS = UINT32_MAX, JDI_FATE_NONE = UINT32_MAX - 1 };

struct jdi_recall {
    jd_coll *coll;
    uint32_t serial;  /* how many collections were made before this one */
    uint64_t unnamed; /* tasks of finishes that have left, and are not in the log */
    bool again;       /* a phase begins with the log of the one before */
    struct jdi_steallog log, before;
    /* What is foretold in this phase: a table by name; mask 0: nothing is. */
    struct jdi_fate *fate;
    uint64_t mask;
    uint64_t expected, came; /* tasks that shall run here, and are made elsewhere */
    struct jdi_guests room;
    uint32_t last_batch,
        last_place; /* the last one, as they should run, that has left it */
    /* When the room was looked at although workers are busy, and how many tasks had ended then. */
    uint64_t rushed_at, rushed_ran;
    /* Since when, and for how long before, this rank had nothing for its hungry workers; for how long in
     * the phase of the log. */
    uint64_t since, waited, foretold;
    /* The outbox. */
    struct jdi_lock lock;
    struct jdi_record out;
    struct jdi_record sending; /* comm: what was taken out of it */
    bool posted; /* the call is, or will be, in the mailbox, and has not run */
    struct jdi_call call;
};

/* Does this rank log, or replay, or has the program asked for it?  Then its collections have names. */
bool jdi_recall_wanted(const struct jdi_rank *r, bool again);
/* 0, or JD_ENOMEM. */
int jdi_recall_new(jd_coll *c, bool again);
void jdi_recall_free(jd_coll *c);
/* Between ending a phase and beginning one; and for assertions, at any turn. */
void jdi_recall_check(const jd_coll *c);

/* ---- a phase: communication thread --------------------------------------------------- */

void jdi_recall_begin(jd_coll *c);
void jdi_recall_end(jd_coll *c);
/* Send what lies in the outbox.  Handlers may run. */
void jdi_recall_turn(jd_coll *c);
/* Workers are hungry and nothing lies on a shelf: put tasks from the room onto one.  False: it is empty. */
bool jdi_recall_feed(jd_coll *c, uint64_t now);
/* Workers are busy.  If nothing of the collection has ended for long, what they run may wait for tasks in the room, and
 * yield meanwhile: then do the same. */
void jdi_recall_rush(jd_coll *c, uint64_t now);
/* Shall this rank wait for what is foretold, and not ask others?  Sees to another turn if so. */
bool jdi_recall_trusts(jd_coll *c, uint64_t now);
/* The rank has work. */
void jdi_recall_fed(jd_coll *c, uint64_t now);
/* How many tasks other ranks could have of the room.  Have one of its batches lie on a shelf. */
static inline uint64_t jdi_recall_spare(const jd_coll *c)
{
    return c->recall ? c->recall->room.n : 0;
}
void jdi_recall_open(jd_coll *c);
/* Does a task of the collection lie here, and on no shelf: in the room, or on its way out? */
bool jdi_recall_holds(jd_coll *c);

/* Tasks leave for another rank. */
void jdi_recall_gave(jd_coll *c, uint32_t to, const struct jdi_claim *claim);
/* A task comes from a rank; `first`: of a message.  False: the caller lands it. */
bool jdi_recall_took(jd_coll *c, uint32_t from, bool first, const struct jdi_task *head,
                     const void *arg);

/* ---- tasks of finishes: communication thread; their collection has one phase, the job ---------- */

/* A task of that name leaves for another rank because of the log. */
void jdi_recall_goes(jd_coll *c, uint32_t to, uint64_t name);
/* It comes from a rank, and its argument begins with its name; `first`: of a message.  Returns the rank to which it
 * goes on; JDI_FATE_STAYS: it waits in the room; JDI_FATE_NONE: the caller lands it. */
uint32_t jdi_recall_comes(jd_coll *c, uint32_t from, bool first,
                          const struct jdi_task *head, const void *arg);

/* ---- workers ------------------------------------------------------------------------ */

/* Where a task shall go that this worker makes in an open phase; JDI_FATE_NONE: nowhere. */
static inline uint32_t jdi_recall_fate(const struct jdi_recall *k, uint64_t name)
{
    if (!k->mask)
        return JDI_FATE_NONE;
    for (uint64_t i = name & k->mask;; i = (i + 1) & k->mask) {
        const struct jdi_fate *f = &k->fate[i];
        if (f->rank == JDI_FATE_NONE || f->name == name)
            return f->rank;
    }
}
/* The youngest task on the shelf, which was promised, is complete: into the outbox with it, unless somebody
 * has it already. */
void jdi_recall_divert(jd_coll *c, struct jdi_seat *seat);
/* The phase has begun: the same for the seeds on the body's shelf.  The body. */
void jdi_recall_seeds(jd_coll *c, struct jdi_seat *seat);

#endif
