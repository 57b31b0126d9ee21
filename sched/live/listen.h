/*
 * listen.h - the thread that hears SIGUSR1.
 *
 * Role: has the communication thread show the state of the job; shows that of this rank by itself if that thread
 *       does not come to it.
 * Owner: the listener's thread; `wanted` and `heard` as they say.
 * Invariants: I1 no handler runs: SIGUSR1 is blocked in all threads, and this one reads it from a descriptor.
 *             I2 the call is in the mailbox exactly while POSTED is set.
 * Order: [pair: live-wanted] acq_rel by both who change `wanted`: the call is free again, and `heard`.
 * See: sched/live/listen.c has the states; doc/watchdog.md "SIGUSR1".
 */
#ifndef JDI_SCHED_LIVE_LISTEN_H
#define JDI_SCHED_LIVE_LISTEN_H

#include "sched/rank.h"

#include <signal.h>

struct jdi_listen {
    struct jdi_rank *rank;
    bool runs; /* constant while the workers run */
    pthread_t thread;
    int signals, bell;
    _Atomic uint32_t
        wanted; /* WANTED, POSTED.  Writers: listener, communication thread */
    _Atomic uint64_t
        heard; /* when the last signal came, ns; relaxed.  Writer: listener */
    struct jdi_call call;
    /* Of the listener. */
    uint64_t until;    /* when it shows the state itself, ns; 0: nobody waits */
    uint64_t alone_at; /* when it has done that, ns */
    bool relays;       /* and then passes the signal on */
    /* The same, on rank 0 with a watchdog: of the communication thread. */
    uint64_t turns, turned; /* its turns, and when they last became more, ns */
};

/* First of all, while the process has one thread: SIGUSR1 is blocked from here on, unless the program has a handler for
 * it.  `old` is for who comes back from the job. */
void jdi_listen_block(sigset_t *old);
/* Last of all: as it was.  A signal that nobody has heard any more is forgotten. */
void jdi_listen_unblock(const sigset_t *old);
/* Without a listener if SIGUSR1 is not blocked, if JACKDAW_STATE says so, and in virtual time; ends the job when out of
 * threads. */
void jdi_listen_begin(struct jdi_listen *l, struct jdi_rank *r);
void jdi_listen_end(struct jdi_listen *l);
/* Any thread of another rank of this host: the process shall show its state by itself.  False: there is no such
 * process of this program. */
bool jdi_listen_poke(uint64_t pid);

#endif
