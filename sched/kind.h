/*
 * kind.h - what a collection is made of: how its tasks are run, counted and packed.
 *
 * Role: the seam between whoever moves work (worker, communication worker, task messages) and
 *       those who know what a task is: plain collections (sched/plain.c), the pools of finishes
 *       (sched/finish/pool.c).
 * Owner: constants; a collection gets its kind when it is made.
 * Invariants: I1 a kind says how a task is accounted and packed, the store where it lies: a kind
 *                never owns a deque.
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
    JDI_TASKS_STRAIGHT = 0, /* slots as they lie in the store */
    JDI_TASKS_PACKED = 1,   /* head and argument */
    JDI_TASKS_FINISH = 2,   /* of finishes: doc/async.md */
    JDI_TASKS_LAYOUT = 0xff
};

struct jdi_kind {
    /* Run up to `fuel` tasks of the caller's seat in c; how many.  On a ULT of a worker, whose
     * seat it is; may suspend inside a task and go on elsewhere, so it sits down anew. */
    uint32_t (*run)(jd_self *me, jd_coll *c, uint32_t fuel);
    /* The n youngest tasks on the shelf of `mine` have just come from other owners of the rank;
     * nobody else sees them yet.  The owner of `mine`. */
    void (*taken)(jd_coll *c, struct jdi_seat *mine, uint64_t n);
    /* Has this rank nothing left to do in c: queued, running, suspended or held?  True may be
     * said late, never early (TERMINATION 4.3).  Communication thread. */
    bool (*idle)(const jd_coll *c);
    /* The detector says that the phase has ended on all ranks, with the sums of their audit
     * words.  Communication thread, inside the detector: nothing is sent. */
    void (*announced)(jd_coll *c, uint32_t phase, const uint64_t stat[JDI_TD_STATS]);
    /* How many of the claimed tasks, from the first on and one at least, go into one message with
     * up to so many bytes.  Communication thread. */
    uint64_t (*fit)(const jd_coll *c, const struct jdi_claim *claim, size_t bytes);
    /*
     * Make a message of claimed tasks: sets data, len, nargs, arg[1] (wave | tasks << 32), the
     * low byte of arg[2] (the layout), and arg[4] and up if it likes; counts the tasks out and
     * has the detector stamp them (rule R1).  Returns a block that the caller frees once the
     * message is sent, or NULL.  Ends the job when out of memory.  Communication thread.
     */
    void *(*pack)(jd_coll *c, const struct jdi_claim *claim, struct jdi_am_msg *m);
    /* What is wrong with such a message, all of it; NULL: nothing.  Writes nothing. */
    const char *(*fault)(const jd_coll *c, const struct jdi_am_msg *m);
    /* It has come, and nothing is wrong with it: its tasks are counted in and live, or held until
     * their phase begins (rule R2).  Communication thread, in a handler: nothing is sent. */
    void (*unpack)(jd_coll *c, const struct jdi_am_in *in);
    /* Programs made it: jd_coll_mine shows it, and tasks left in it at the end are an error. */
    bool visible;
};

#endif
