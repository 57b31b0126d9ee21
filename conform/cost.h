/*
 * cost.h - what a detector costs after quiescence, by the account of the world.
 *
 * Role: counts messages, calls and time itself, because a detector's figures may lie; too much of
 *       one is rule O4.
 * Owner: as world.h.
 * Invariants: I1 a message is after quiescence if the phase of its sender was quiescent and not
 *                announced there when it was sent.  What is sent while a task is imported is
 *                not: in such a phase, that task is of the next one.
 *             I2 a wave needs one message from a rank to another, or one call of a lone rank.  So
 *                with max_failed waves that fail there are max_failed + 1, and one for the end.
 *             I3 time counts if only the clock could move, since no message was under way and no
 *                rank had a call to come.
 * See: world.h, oracle.h; doc/jackdaw-tdtest.1.md "ORACLE".
 */
#ifndef JDI_CONFORM_COST_H
#define JDI_CONFORM_COST_H

#include "conform/world.h"

/* A rank enters its next phase: its account begins again. */
void jdi_cost_entered(struct jdi_world *w, unsigned me);
/* It has sent a control message to a column. */
void jdi_cost_sent(struct jdi_world *w, unsigned me, unsigned dst);
/* It has stepped; its wake is what the step has said.  One that sends something and asks for
 * another one is at work: its messages count. */
void jdi_cost_stepped(struct jdi_world *w, unsigned me);
/* The clock is about to move. */
void jdi_cost_time(struct jdi_world *w, uint64_t to);

#endif
