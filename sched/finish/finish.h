/*
 * finish.h - opening a finish, and waiting for its end.
 *
 * Role: shared by all calls that open a finish.
 * Owner: the ULT that opens it.
 * See: doc/async.md; sched/finish/finish.c.
 */
#ifndef JDI_SCHED_FINISH_FINISH_H
#define JDI_SCHED_FINISH_FINISH_H

#include "sched/self.h"

/* Make the rank's pool if the rank has none.  May suspend. */
void jdi_finish_need(jd_self *me);

#endif
