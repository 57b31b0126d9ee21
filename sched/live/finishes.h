/*
 * finishes.h - the open finishes that a rank knows of, and what of it holds them.
 *
 * Role: a line for each: who has opened it, inside of which one, and what here keeps it from its end.
 * Owner: whoever asks, on any thread of the rank.
 * Invariants: I1 the text is bounded, however many there are.
 *             I2 nothing is said of a task that waits that was not so; of one that runs it is a guess.
 * See: sched/live/state.h; doc/watchdog.md "The state"; doc/async.md "Parts and hands".
 */
#ifndef JDI_SCHED_LIVE_FINISHES_H
#define JDI_SCHED_LIVE_FINISHES_H

#include "core/text.h"
#include "sched/rank.h"

/* Add lines to the text.  `comm`: the caller is the communication thread, which knows what goes over several ranks. */
void jdi_finishes_tell(struct jdi_rank *r, bool comm, struct jdi_text *t);

#endif
