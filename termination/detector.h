/*
 * detector.h - termination detectors as pure state machines.
 *
 * Role: a detector is told what a rank sends and receives and whether the rank is idle.  It
 *       answers with control messages and, once, with "everything has ended".
 * Owner: the communication thread of the rank; nothing here is atomic.
 * Invariants: I1 no clock, thread, lock or network: time is an argument, messages leave by
 *                env->send, idleness is asked by env->idle.
 *             I2 announce is called once per phase, and never while any task of the phase
 *                is queued, running, suspended, held or in a message, anywhere.
 *             I3 the waves that may fail after quiescence are bounded: `francez` one, `safra`
 *                and `fourcounter` two, `diffuse` has none.
 * See: doc/termination.md; termination/francez.c; conform/.
 */
#ifndef JDI_TERMINATION_DETECTOR_H
#define JDI_TERMINATION_DETECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this interface; a loaded detector is refused if it was built for another. */
enum { JDI_TD_VERSION = 2 };

/* Words that ride on every report and are summed (the last one is xor-ed) up the tree. */
enum { JDI_TD_STATS = 4 };

/* In every message that carries tasks (rule R1).  `wave` is any 32 bits that the sender's
 * detector has for the receiver's; `diffuse` puts the sender's rank there. */
struct jdi_td_stamp {
    uint32_t phase, wave;
};

enum jdi_td_type {
    JDI_TD_UP = 1, /* from a rank to its parent */
    JDI_TD_NEXT,   /* from a rank to its children: again */
    JDI_TD_TERM,   /* the phase has ended */
    JDI_TD_TOKEN,  /* goes round */
    JDI_TD_ACK     /* answers one message or more */
};

/* A detector's own message.  Never duplicated; may be reordered against anything.  The detector
 * decides what the fields mean; in brackets: what they mean to `francez`. */
struct jdi_td_msg {
    enum jdi_td_type type;
    bool crossed; /* one bit (UP: some rank below imported over a wave's cut) */
    uint32_t phase;
    uint64_t wave;               /* one word (the number of the wave) */
    int64_t sum;                 /* one word (UP: sent - received below) */
    uint64_t stat[JDI_TD_STATS]; /* UP: below; TERM: of all ranks */
};

/*
 * What a detector asks of the world.  `ctx` is handed back.  None of these functions may call
 * the detector, so a send that polls has to queue the messages that arrive.  One exception:
 * announce, the last thing that a detector does, may call enter.
 */
struct jdi_td_env {
    void *ctx;
    void (*send)(void *ctx, uint32_t dst, const struct jdi_td_msg *m);
    /* True iff this rank has no live task of the phase, nothing held, nothing to flush:
     * rule R3 of doc/termination.md.  Called at the instant of a report (the cut), and once
     * more when the phase ends.  Tasks kept for the next phase (imported said false) may
     * count or not: while there are any, this phase needs no more reports. */
    bool (*idle)(void *ctx);
    /* This rank's words for the report, of all that has been in this phase, not since the last
     * report; called right after idle said true. */
    void (*stat)(void *ctx, uint64_t out[JDI_TD_STATS]);
    /* The phase has ended everywhere; stat: over all ranks.  Every message that has to go
     * on to other ranks has been passed to send before. */
    void (*announce)(void *ctx, uint32_t phase, const uint64_t stat[JDI_TD_STATS]);
    /* src has sent something that no right run contains, a message or a stamp, for the reason
     * in the text; nothing has changed because of it.  Does not return.  For `imported` src is
     * JDI_TD_CALLER_KNOWS.  NULL, as in tests: the detector ends the process by itself. */
    void (*impossible)(void *ctx, uint32_t src, const char *text);
};

#define JDI_TD_CALLER_KNOWS UINT32_MAX

struct jdi_td_config {
    uint32_t rank, nranks;
    unsigned arity;                /* children per rank of the tree, 1 to 64 */
    uint64_t pause_min, pause_max; /* ns the root waits after a failed wave, doubling */
};

/* Instead of a time: only a change makes another call necessary. */
#define JDI_TD_NEVER UINT64_MAX

/* Counters for statistics and for the bound of I3. */
struct jdi_td_figures {
    uint64_t waves;  /* this phase: reports made */
    uint64_t failed; /* waves that failed (root only) */
    uint64_t sent;   /* messages */
};

/*
 *   init      state for a new collection, before phase 1; env and config are copied.
 *             Phases are numbered 1, 2, 3, ... modulo 2^32.  The storage holds anything.
 *   enter     this rank begins `phase` (R9), the successor of the last one.
 *   exported  one message with tasks is about to leave (R1); returns its stamp.
 *   imported  one message with tasks has arrived (R2).  True: its phase is this one and is
 *             open, count the tasks as live.  False: keep the message until `enter`.  A
 *             message that could not leave is taken back by importing it with its own stamp.
 *   message   a detector's message from rank src (R5-R8).
 *   step      report, or start the next wave, if it is time (R4, R6).  `now` in ns.
 *             Cheap: called whenever something changed and on every poll while idle.
 *             Returns the time of the next call if nothing changes before, or
 *             JDI_TD_NEVER.  A caller that wants to wait until the rank has been idle for
 *             a while (R12) calls step later.
 *   figures   counters of the present or last phase.
 *   check     assert every invariant that one rank can see.
 */
struct jdi_td_ops {
    const char *name;
    size_t size;      /* bytes of state; the caller's storage, aligned to 16 */
    unsigned version; /* JDI_TD_VERSION; asked only of a detector that is loaded */
    void (*init)(void *td, const struct jdi_td_config *c, const struct jdi_td_env *env);
    void (*enter)(void *td, uint32_t phase);
    struct jdi_td_stamp (*exported)(void *td);
    bool (*imported)(void *td, struct jdi_td_stamp stamp);
    void (*message)(void *td, uint32_t src, const struct jdi_td_msg *m);
    uint64_t (*step)(void *td, uint64_t now);
    void (*figures)(const void *td, struct jdi_td_figures *out);
    void (*check)(const void *td);
};

/*
 * A shared object with a detector has `const struct jdi_td_ops jackdaw_detector`, and may have
 *
 *   void jackdaw_detector_forget(void *td)
 *             zero what has no influence on what the detector does next.
 *   void jackdaw_detector_start(void *td, uint32_t phase, uint64_t wave)
 *             right after init: the first phase has this number, and has had so many waves
 *             already, as far as their numbers go.
 *   const struct jdi_td_limits jackdaw_detector_limits
 *             what it costs after quiescence, if that is not what jackdaw-tdtest(1) expects.
 */
struct jdi_td_limits {
    unsigned failed; /* waves that may fail */
    /* For each rank of the job: messages in a row, messages of one rank.  0: as usual. */
    unsigned hops, sent;
};

/* The default detector of collections.  termination/find.h finds the others by name. */
extern const struct jdi_td_ops jdi_td_francez;

#ifdef __cplusplus
}
#endif

#endif
