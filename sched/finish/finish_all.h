/*
 * finish_all.h - one finish of all ranks, ended by the detector of collections.
 *
 * Role: the two operations of the pool's kind that serve jd_finish_spmd.
 * Owner: the communication hand.
 * See: sched/kind.h; doc/async.md "jd_finish_spmd".
 */
#ifndef JDI_SCHED_FINISH_FINISH_ALL_H
#define JDI_SCHED_FINISH_FINISH_ALL_H

#include "sched/coll.h"

/* True if this rank has nothing to do in the finish of all ranks. */
bool jdi_finish_all_idle(const jd_coll *pool);
/* The finish of all ranks has ended: let the body go on. */
void jdi_finish_all_announced(jd_coll *pool, uint32_t phase,
                              const uint64_t stat[JDI_TD_STATS]);

#endif
