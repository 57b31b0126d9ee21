/*
 * display.h - what JACKDAW_DISPLAY_ENV and JACKDAW_DISPLAY_BINDING show.
 *
 * Role: the settings of the job, and where its threads are, on standard error.
 * Owner: the communication thread, at the start.
 * See: doc/jackdaw-env.7.md; test/unit/sched_display_shows_what_holds.sh.
 */
#ifndef JDI_SCHED_LAUNCH_DISPLAY_H
#define JDI_SCHED_LAUNCH_DISPLAY_H

#include "sched/rank.h"

/* All knobs, if JACKDAW_DISPLAY_ENV asks for them.  Rank 0, after the knobs were read; does not block. */
void jdi_display_env(const struct jdi_rank *r);
/*
 * All threads of this host, if JACKDAW_DISPLAY_BINDING asks for them.  The first rank of each host, when it knows
 * what the others of the host have published: peers[i] is that of am->host_peers[i].  Does not block.
 */
void jdi_display_binding(const struct jdi_rank *r, const struct jdi_topo_peer *peers);

#endif
