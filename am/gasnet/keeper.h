/*
 * keeper.h - who sweeps if the process that watches over a starting job is killed.
 *
 * Role: starts and stops the keeper; keeper.c says what it does.
 * Owner: the process that starts it: the guardian, or a rank that has none.
 * See: am/gasnet/keeper.c.
 */
#ifndef JDI_AM_GASNET_KEEPER_H
#define JDI_AM_GASNET_KEEPER_H

#include "am/gasnet/page.h"

/* Before any other thread exists.  -1: there is none, errno says why. */
pid_t jdi_keeper_start(const struct jdi_page *p);
/* All ranks are up, or this process sees to the rest itself. */
void jdi_keeper_stop(pid_t keeper);

#endif
