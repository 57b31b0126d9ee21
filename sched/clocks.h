/*
 * clocks.h - how far apart the clocks of hosts are, for traces.
 *
 * Role: at the start and at the end of a job on several hosts, lets each rank write down when it came to some barriers and
 *       when it left them; who reads the traces finds the distances of the clocks in that.
 * Owner: the communication thread, before the streams begin and after they have ended.
 * Invariants: I1 all ranks call it, or none.
 * See: doc/trace.md "Clocks"; tools/trace_hosts.c.
 */
#ifndef JDI_SCHED_CLOCKS_H
#define JDI_SCHED_CLOCKS_H

#include "sched/rank.h"

enum { JDI_CLOCKS_ROUNDS = 32 }; /* barriers at the start, and as many at the end */

/* Came to barrier `round` at `came`, left it at `left`, ns of this rank's clock. */
typedef void jdi_clocks_note(struct jdi_rank *r, unsigned round, uint64_t came,
                             uint64_t left);

/* This rank's clock has that name: has another rank another one?  Blocks; collective. */
bool jdi_clocks_differ(struct jdi_rank *r, const char *name);
/* Meet the other ranks in barriers, numbered from `first` on.  Blocks; collective.  Ends the job if they do not come
 * together. */
void jdi_clocks_meet(struct jdi_rank *r, unsigned first, jdi_clocks_note *note);

#endif
