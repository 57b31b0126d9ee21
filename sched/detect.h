/*
 * detect.h - between a collection and its detector.
 *
 * Role: the detector's env: control messages, the idle test, the announcement.
 * Owner: the communication thread.
 * See: termination/detector.h; doc/termination.md.
 */
#ifndef JDI_SCHED_DETECT_H
#define JDI_SCHED_DETECT_H

#include "sched/coll.h"

/* The handler of TD. */
void jdi_detect_init(struct jdi_rank *r);
/* Make the detector of a collection that has just got its id. */
void jdi_detect_open(jd_coll *c);

#endif
