/*
 * state.h - the state of a rank, in words.
 *
 * Role: what each worker runs, what waits for what, what is queued and under way, as text.
 * Owner: whoever asks, on any thread of the rank.
 * Invariants: I1 the text is bounded, however many tasks there are.
 *             I2 nothing of the rank changes, and no worker waits for who looks but for an inspection.
 * See: sched/inspect.h; sched/wait/causes.h; doc/watchdog.md "The state".
 */
#ifndef JDI_SCHED_LIVE_STATE_H
#define JDI_SCHED_LIVE_STATE_H

#include "core/text.h"
#include "sched/rank.h"

/* Add lines to the text.  `comm`: the caller is the communication thread, and tells what is that thread's, too. */
void jdi_state_tell(struct jdi_rank *r, bool comm, struct jdi_text *t);

#endif
