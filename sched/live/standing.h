/*
 * standing.h - could anything happen on this rank by itself?
 *
 * Role: one look of the watchdog at a rank: what could go on without a message, and what was counted.
 * Owner: the communication thread.
 * Invariants: I1 if two looks find no reason and the same `steps`, nothing has happened on the rank in between but
 *                messages that `sent` and `came` count.
 * See: doc/watchdog.md "The proof"; sched/live/watchdog.c.
 */
#ifndef JDI_SCHED_LIVE_STANDING_H
#define JDI_SCHED_LIVE_STANDING_H

#include "am/messages.h"
#include "core/text.h"
#include "sched/rank.h"

/* Why a rank may go on without a message, in bits: jdi_standing_say has the words. */
enum {
    JDI_GOES_RUNS = 1,     /* a task or the body runs, or is ready */
    JDI_GOES_QUEUED = 2,   /* tasks lie in a collection */
    JDI_GOES_AWAKE = 4,    /* a worker does not sleep */
    JDI_GOES_CALLS = 8,    /* calls have not been run */
    JDI_GOES_TIMER = 16,   /* something has a deadline */
    JDI_GOES_KERNEL = 32,  /* a descriptor is waited for */
    JDI_GOES_FOREIGN = 64, /* a thread of the program may wake something */
    JDI_GOES_HANDLE = 128, /* whoever has the handle of a jd_suspend may */
    JDI_GOES_COMM = 256,   /* the communication thread has something in hand */
    JDI_GOES = 9           /* bits */
};

enum { JDI_STANDING_COLLS = (JDI_COLLS_MAX + 63) / 64 };

struct jdi_standing {
    uint64_t goes; /* JDI_GOES_* */
    uint64_t
        steps; /* how often tasks have ended, ULTs stopped and gone on, other workers slept */
    uint64_t done;       /* of these, what is progress: tasks that ended or went on */
    uint64_t waits;      /* ULTs and others that wait */
    uint64_t sent, came; /* messages that may change something */
    /* By number: phases that are under way, and those of them that this rank keeps from their end. */
    uint64_t open[JDI_STANDING_COLLS], kept[JDI_STANDING_COLLS];
};

void jdi_standing_take(struct jdi_rank *r, struct jdi_standing *s);
/* The sum of two ranks. */
void jdi_standing_add(struct jdi_standing *to, const struct jdi_standing *s);
/* Is a phase under way that no rank keeps from its end? */
bool jdi_standing_ends(const struct jdi_standing *sum);
/* The reasons, in words. */
void jdi_standing_say(const struct jdi_standing *s, struct jdi_text *t);

#endif
