/*
 * load.h - jd_coll_load over any file layer.
 *
 * Role: the seam at which a test puts a file layer of its own.
 * Owner: the body.
 * See: doc/checkpoint.md "Loading".
 */
#ifndef JDI_SCHED_CHECKPOINT_LOAD_H
#define JDI_SCHED_CHECKPOINT_LOAD_H

#include "sched/checkpoint/files.h"

/* jd_coll_load.  Collective; blocks. */
int jdi_load(jd_self *me, jd_coll *c, const jd_checkpoint *what,
             const struct jdi_files *files);

#endif
