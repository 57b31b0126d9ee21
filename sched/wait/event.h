/*
 * event.h - what tasks of a rank wait for until it has been signalled often enough.
 *
 * Role: what a rank has of events; made and freed with the rank.
 * Owner: any thread: each event has a lock of its own.
 * Invariants: I1 and I2 of event.c.
 * See: doc/waiting.md "Events".
 */
#ifndef JDI_SCHED_WAIT_EVENT_H
#define JDI_SCHED_WAIT_EVENT_H

#include "sched/rank.h"

/* Before and after the workers.  The latter frees events that were not destroyed. */
void jdi_event_init(struct jdi_rank *r);
void jdi_event_free_all(struct jdi_rank *r);

/* Any thread: was a key of that event given out?  False if there is no such event. */
bool jdi_event_is_keyed(struct jdi_rank *r, uint64_t number);

#endif
