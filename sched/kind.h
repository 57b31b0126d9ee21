/*
 * kind.h - what a collection is made of: how its tasks are run, counted and packed.
 *
 * Role: the seam between code that moves work (worker, communication worker, task messages) and
 *       code that knows what a task is: plain collections (sched/plain.c), the pools of finishes
 *       (sched/finish/pool.c).
 * Owner: constants; a collection gets its kind when it is made.
 * Invariants: I1 a kind says how a task is accounted and packed; the store says where the task
 *                lies.  So a kind never owns a deque.
 *             I2 one indirect call for a batch, a take or a message; none for a task.
 * See: ARCHITECTURE.md "Where do I put"; sched/plain.c, the one to copy.
 */
#ifndef JDI_SCHED_KIND_H
#define JDI_SCHED_KIND_H

#include "am/am.h"
#include "termination/detector.h"

struct jdi_claim;
struct jdi_seat;

/* How the payload of TASKS is laid out: the low byte of arg[2]. */
enum jdi_tasks_layout {
    JDI_TASKS_STRAIGHT = 0, /* the slots, as in the store */
    JDI_TASKS_PACKED = 1,   /* head and argument of each task */
    JDI_TASKS_FINISH = 2,   /* tasks of finishes: doc/async.md */
    JDI_TASKS_LAYOUT = 0xff
};

struct jdi_kind {
    /* Run up to `fuel` tasks of the caller's seat in c; return how many ran.  Runs on a ULT of the
     * worker that owns the seat.  A task may suspend and go on on another worker, so `me` may have
     * another seat after each task. */
    uint32_t (*run)(jd_self *me, jd_coll *c, uint32_t fuel);
    /* The n youngest tasks on the shelf of `mine` have just come from other owners of the rank.
     * Nobody else sees these tasks yet.  The owner of `mine`. */
    void (*taken)(jd_coll *c, struct jdi_seat *mine, uint64_t n);
    /* True if no task of c is queued, running, suspended or held on this rank.  The answer may
     * become true late, never early (TERMINATION 4.3).  Communication thread. */
    bool (*idle)(const jd_coll *c);
    /* The detector announces the end of the phase on all ranks, with the sums of their audit
     * words.  The kind judges these and calls jdi_phase_end, if its phases begin with
     * jdi_phase_begin.  Communication thread, inside the detector, so it must send nothing. */
    void (*announced)(jd_coll *c, uint32_t phase, const uint64_t stat[JDI_TD_STATS]);
    /* How many of the first claimed tasks fit into one message of that many bytes; at least one.
     * Communication thread. */
    uint64_t (*fit)(const jd_coll *c, const struct jdi_claim *claim, size_t bytes);
    /*
     * Make a message of claimed tasks.  Sets data, len, nargs, arg[1] (wave | tasks << 32) and the
     * low byte of arg[2] (the layout); may use arg[4] and up.  Counts the tasks out and has the
     * detector stamp them (rule R1).  Returns a block that the caller frees after sending, or
     * NULL.  Ends the job when out of memory.  Communication thread.
     */
    void *(*pack)(jd_coll *c, const struct jdi_claim *claim, struct jdi_am_msg *m);
    /* Check the whole of such a message.  Returns what is wrong, or NULL.  Writes nothing. */
    const char *(*fault)(const jd_coll *c, const struct jdi_am_msg *m);
    /* Take in a message that passed the check: count its tasks in and make them live (rule R2), if
     * jdi_phase_arrived says that their phase has begun here.  Communication thread, in a handler,
     * so it must send nothing. */
    void (*unpack)(jd_coll *c, const struct jdi_am_in *in);
    /* This rank enters the phase of m, which came early from src, and was kept: count its tasks in and make
     * them live.  Called before the detector is told of the phase; m is as unpack got it.  NULL for
     * a kind that does not ask jdi_phase_arrived.  Communication thread; it must send nothing. */
    void (*land)(jd_coll *c, uint32_t src, const struct jdi_am_msg *m);
    /* True if programs make such collections.  Then jd_coll_mine returns them, and tasks left in
     * one at the end of the job are an error. */
    bool visible;
    /* True if the id of a task is its name (sched/name.h). */
    bool names;
    /* True if tasks are recorded, so those that come from other ranks are, too. */
    bool recorded;
};

#endif
