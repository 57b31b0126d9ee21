/*
 * finish.h - opening a finish, and waiting for its end.
 *
 * Role: what the other calls that open one share.
 * Owner: the ULT that opens it.
 * See: doc/async.md; sched/finish/finish.c.
 */
#ifndef JDI_SCHED_FINISH_FINISH_H
#define JDI_SCHED_FINISH_FINISH_H

#include "sched/self.h"

/* Have the rank make its pool if there is none yet.  Suspends. */
void jdi_finish_need(jd_self *me);

#endif
