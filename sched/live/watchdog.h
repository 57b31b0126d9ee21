/*
 * watchdog.h - sees that a job hangs, and says so.
 *
 * Role: rank 0 looks at all ranks in waves; two that show that nothing can happen any more prove a hang; a job that does
 *       nothing for long is suspected.
 * Owner: the communication thread; `turns` is read by the listener, `times` is written by it too.
 * Invariants: I1 a job is called hung for certain only if it can never go on.
 *             I2 a job is suspected JDI_WATCHDOG_TIMES times at the most.
 * See: doc/watchdog.md has the protocol and the proof; sched/live/standing.h.
 */
#ifndef JDI_SCHED_LIVE_WATCHDOG_H
#define JDI_SCHED_LIVE_WATCHDOG_H

#include "sched/live/standing.h"

/* After 1, 2, 4, 8 and 16 times the interval. */
enum { JDI_WATCHDOG_TIMES = 5 };

struct jdi_watchdog {
    uint64_t interval; /* ns; 0: there is none */
    bool aborts;
    uint32_t asked;    /* a wave that the next turn answers; 0: none */
    _Atomic bool over; /* the job ends: nobody watches the next one any more; relaxed */
    _Atomic uint64_t turns; /* of the communication thread; relaxed */
    _Atomic unsigned
        times; /* suspicions of the job, also those of the listener; relaxed */
    /* Of rank 0. */
    uint32_t number;               /* of the wave */
    uint32_t missing;              /* ranks that have not answered in it */
    bool *answered;                /* by rank */
    uint64_t began, next_at;       /* when the wave did; when the next one shall, ns */
    struct jdi_standing sum, last; /* of this wave, and of the one before */
    bool was_quiet;                /* that one has found no reason anywhere */
    uint64_t since;                /* the wave since which nothing was done, ns */
    bool ended;                    /* nothing is left to say */
    bool ends_job;                 /* when the state has been shown */
};

/* After the knobs were read, while there are no workers. */
void jdi_watchdog_begin(struct jdi_rank *r);
void jdi_watchdog_end(struct jdi_rank *r);
/* Each turn. */
void jdi_watchdog_turn(struct jdi_rank *r);
/* Is it time to say that nothing has happened since then?  The number of that suspicion, or 0.  Any thread of rank 0. */
unsigned jdi_watchdog_suspects(struct jdi_watchdog *d, uint64_t since, uint64_t now);
/* A STATE of the ways that are the watchdog's. */
void jdi_watchdog_on_state(struct jdi_rank *r, const struct jdi_am_in *in);

#endif
