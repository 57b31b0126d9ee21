/*
 * shm.h - the names of a job's segments: noted before the segments exist, removed in the end.
 *
 * Role: the removal; noting needs no call.
 * Owner: the guardian or the keeper, when no process of the job is left.
 * See: am/gasnet/shm.c.
 */
#ifndef JDI_AM_GASNET_SHM_H
#define JDI_AM_GASNET_SHM_H

#include "am/gasnet/page.h"

/* Remove whatever of the job's segments is left.  Allocates nothing. */
void jdi_shm_remove(const struct jdi_page *p);

#endif
