/*
 * panel.h - the page in which a rank shows itself, as long as somebody looks at it.
 *
 * Role: makes the page, and fills it a few times a second while a viewer wants it.
 * Owner: the communication thread.
 * Invariants: I1 while nobody looks a turn costs one load of a word in the rank's own memory.
 *             I2 a rank without a page runs as well: the page is nobody's need.
 * See: core/view.h; doc/jackdaw-top.1.md.
 */
#ifndef JDI_SCHED_LIVE_PANEL_H
#define JDI_SCHED_LIVE_PANEL_H

#include "sched/rank.h"

/* After the ranks are placed, before the workers are made: all ranks. */
void jdi_panel_begin(struct jdi_rank *r);
/* The workers have ended. */
void jdi_panel_end(struct jdi_rank *r);

#endif
