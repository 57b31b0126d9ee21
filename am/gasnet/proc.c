/*
 * proc.c - what /proc says about processes that are no children of this one.
 *
 * Role: reads /proc/PID/stat and /proc/PID/exe.
 * Owner: the caller's; nothing is kept.
 * Invariants: I1 a process that cannot be read has ended.
 * See: proc.h; proc(5), fields 3 (state) and 52 (exit_code).
 */
#include "am/gasnet/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATE = 3, EXIT_CODE = 52 };

bool jdi_proc_has_ended(pid_t pid, int *status)
{
    char path[64], line[1024];
    *status = JDI_PROC_UNKNOWN;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    if (!f)
        return true;
    size_t n = fread(line, 1, sizeof line - 1, f);
    fclose(f);
    line[n] = '\0';
    /* The name is in brackets and may contain anything, so look for the last bracket. */
    char *at = strrchr(line, ')');
    if (!at || (at[1] && at[2] != 'Z' && at[2] != 'X'))
        return !at;
    for (int field = STATE - 1; at && field < EXIT_CODE; field++)
        at = strchr(at + 1, ' ');
    if (at)
        *status = atoi(at + 1);
    return true;
}

bool jdi_proc_is_other(pid_t pid)
{
    char path[64], mine[4096], theirs[4096];
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    ssize_t a = readlink("/proc/self/exe", mine, sizeof mine);
    ssize_t b = readlink(path, theirs, sizeof theirs);
    return a > 0 && b > 0 && (a != b || memcmp(mine, theirs, (size_t)a));
}
