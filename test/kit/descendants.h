/*
 * descendants.h - which processes come from this one, read from /proc.
 *
 * Role: finds the processes that programs of the kit end or stop.
 * Owner: one thread.
 * Invariants: I1 a process that has ended and waits to be reaped is no descendant.
 * See: test/kit/descendants.c.
 */
#ifndef KIT_DESCENDANTS_H
#define KIT_DESCENDANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct process {
    pid_t pid, parent;
    char name[32];
    bool mine;
};

/* All living descendants of this process, in all[0..count): count, of `most` processes of the
 * machine that are looked at. */
size_t kit_descendants(struct process *all, size_t most);

#endif
