/*
 * proc.h - what /proc says about processes that are no children of this one.
 *
 * Role: whether a process has ended, and how; whether it is of this program.
 * Owner: the caller's; nothing is kept.
 * See: proc(5); am/gasnet/guard.c, am/gasnet/keeper.c.
 */
#ifndef JDI_AM_GASNET_PROC_H
#define JDI_AM_GASNET_PROC_H

#include <stdbool.h>
#include <sys/types.h>

enum { JDI_PROC_UNKNOWN = -1 };

/* Has it ended?  Then *status is as of waitpid, or JDI_PROC_UNKNOWN if somebody else has asked. */
bool jdi_proc_has_ended(pid_t pid, int *status);
/* Does it run another program than this process?  A process that is just ending does not. */
bool jdi_proc_is_other(pid_t pid);

#endif
