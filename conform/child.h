/*
 * child.h - run something that may abort, in a process of its own.
 *
 * Role: a detector's own checks end the process; the caller wants to know what it said.
 * Owner: the parent; the child shares the memory from guard_alloc.
 * Invariants: I1 the child is waited for before guard_run returns.
 * See: walk.c, explore.c, test/unit/termination_*.c.
 */
#ifndef JDI_CONFORM_CHILD_H
#define JDI_CONFORM_CHILD_H

#include <stddef.h>

enum guard_end {
    GUARD_RETURNED = 1, /* fn came back */
    GUARD_ABORTED,      /* a broken invariant; its text is in said */
    GUARD_CRASHED,      /* any other signal or status */
    GUARD_STUCK         /* the time is over */
};

/* Zeroed memory that parent and child share; the parent frees it. */
void *guard_alloc(size_t bytes);
void guard_free(void *p, size_t bytes);
/* Run fn(arg) in a child for at most `seconds`; said gets the last line it wrote. */
enum guard_end guard_run(void (*fn)(void *arg), void *arg, unsigned seconds, char *said,
                         size_t saidlen);

#endif
