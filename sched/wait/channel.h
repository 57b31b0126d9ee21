/*
 * channel.h - queues of a rank through which its tasks hand items to each other.
 *
 * Role: what a rank has of channels; made and freed with the rank.
 * Owner: any worker of the rank: each channel has a lock of its own.
 * Invariants: I1 to I4 of channel.c.
 * See: doc/waiting.md "Channels".
 */
#ifndef JDI_SCHED_WAIT_CHANNEL_H
#define JDI_SCHED_WAIT_CHANNEL_H

#include "sched/rank.h"

/* Before and after the workers.  The latter frees channels that were not destroyed. */
void jdi_channel_init(struct jdi_rank *r);
void jdi_channel_free_all(struct jdi_rank *r);

#endif
