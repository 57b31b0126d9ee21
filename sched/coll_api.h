/*
 * coll_api.h - the collective halves of the calls on collections.
 *
 * Role: making a collection of any kind, destroying one.
 * Owner: the body; the communication thread where it says so.
 * See: sched/coll.h for the states; sched/kind.h.
 */
#ifndef JDI_SCHED_COLL_API_H
#define JDI_SCHED_COLL_API_H

#include "sched/coll.h"

/* jd_coll_create for any kind.  The body; collective. */
int jdi_coll_api_create(jd_self *me, const struct jdi_kind *kind,
                        const jd_coll_props *props, jd_coll **out);
/* Go on with the destroy that waits (rank->dying).  Communication thread. */
void jdi_coll_api_turn(struct jdi_rank *r);

#endif
