/*
 * copy.h - one-sided copies: jd_put, jd_get, jd_copy.
 *
 * Role: installs the handlers of PUT, GET and COPY; the calls are in jackdaw.h.
 * Owner: the communication thread.
 * See: doc/data.md "Memory and copies"; sched/data/copy.c.
 */
#ifndef JDI_SCHED_DATA_COPY_H
#define JDI_SCHED_DATA_COPY_H

#include "sched/rank.h"

void jdi_copy_init(struct jdi_rank *r);

#endif
