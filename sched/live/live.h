/*
 * live.h - what can be asked of a job while it runs.
 *
 * Role: the object behind SIGUSR1 and the watchdog; its start and end.
 * Owner: the communication thread makes and frees it; the fields say who writes them.
 * Invariants: I1 it exists from before the first question until no message comes; it answers while `runs`, which is while the workers run.
 * Order: [pair: live-wanted].
 * See: doc/watchdog.md; sched/live/listen.h, collect.h, state.h.
 */
#ifndef JDI_SCHED_LIVE_LIVE_H
#define JDI_SCHED_LIVE_LIVE_H

#include "sched/live/collect.h"
#include "sched/live/listen.h"
#include "sched/live/watchdog.h"

struct jdi_live {
    struct jdi_rank *rank;
    uint64_t
        *pid; /* of the ranks of this host, in the order of host_peers; NULL: not known */
    bool runs; /* the communication thread's */
    struct jdi_listen listen;
    struct jdi_collect collect;
    struct jdi_watchdog watchdog;
};

/* Before the first barrier: handlers. */
void jdi_live_init(struct jdi_rank *r);
/* Before the barrier after which others may ask; `peers`: the ranks of this host, or NULL.  Without them, or without memory,
 * their processes stay unknown.  Makes nothing in virtual time without a watchdog. */
void jdi_live_make(struct jdi_rank *r, const struct jdi_topo_peer *peers);
/* Around the time in which the workers run.  The first ends the job if something is missing. */
void jdi_live_begin(struct jdi_rank *r);
void jdi_live_end(struct jdi_rank *r);
/* When no message comes any more. */
void jdi_live_free(struct jdi_rank *r);

#endif
