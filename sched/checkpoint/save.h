/*
 * save.h - jd_coll_save over any file layer.
 *
 * Role: the seam at which a test puts a file layer of its own.
 * Owner: the body.
 * See: doc/checkpoint.md "Saving".
 */
#ifndef JDI_SCHED_CHECKPOINT_SAVE_H
#define JDI_SCHED_CHECKPOINT_SAVE_H

#include "sched/checkpoint/files.h"

/* jd_coll_save.  Collective; blocks. */
int jdi_save(jd_self *me, jd_coll *c, const jd_checkpoint *what,
             const struct jdi_files *files);

#endif
