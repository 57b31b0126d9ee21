/*
 * causes.h - what all waiting tasks of a rank wait for.
 *
 * Role: every wait of a rank, of ULTs and of none; who can end it; the same as text.
 * Owner: any thread of the rank, while its body has not returned.
 * Invariants: I1 the text is bounded, however many tasks wait.
 * See: doc/waiting.md "What a task waits for"; sched/inspect.h; sched/wait/waits.h.
 */
#ifndef JDI_SCHED_WAIT_CAUSES_H
#define JDI_SCHED_WAIT_CAUSES_H

#include "sched/inspect.h"

/* Call fn once for each wait, with `wakers`.  As for jdi_inspect_each. */
void jdi_causes_each(struct jdi_rank *r, jdi_inspect_fn *fn, void *ctx);

/* Give lines of text to `line`: how many tasks wait, and then one for all that wait for the same. */
void jdi_causes_tell(struct jdi_rank *r, void (*line)(void *ctx, const char *text),
                     void *ctx);

#endif
