/*
 * info.h - what the files of jackdaw-info share.
 *
 * Role: see each function.
 * Owner: one thread.
 * See: tools/jackdaw-info.c.
 */
#ifndef JDI_TOOLS_INFO_H
#define JDI_TOOLS_INFO_H

#include <stdbool.h>

/* Print what is in a checkpoint, and whether its shares are whole.  The status: 0, or 1 after a message. */
int info_checkpoint(const char *path, bool json);
/* Does a file begin like a steal log?  Print what is in one; the status likewise. */
bool info_is_steallog(const char *path);
int info_steallog(const char *path, bool json);

#endif
