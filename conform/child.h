/*
 * child.h - run something that may abort, in a process of its own.
 *
 * Role: a detector's own checks end the process that they run in; the caller wants to know what
 *       they said.
 * Owner: the parent; the child shares the memory from jdi_child_alloc.
 * Invariants: I1 the child is waited for before jdi_child_run returns.
 *             I2 a child ends with its parent.
 * See: walk.c, explore.c, failure.c.
 */
#ifndef JDI_CONFORM_CHILD_H
#define JDI_CONFORM_CHILD_H

#include <stddef.h>

enum jdi_child_end {
    JDI_CHILD_RETURNED = 1, /* fn came back */
    JDI_CHILD_ABORTED,      /* a broken invariant, whose text it has said */
    JDI_CHILD_CRASHED,      /* any other signal or status */
    JDI_CHILD_STUCK         /* the time is over */
};

/* Zeroed memory that parent and child share; the parent frees it. */
void *jdi_child_alloc(size_t bytes);
void jdi_child_free(void *p, size_t bytes);
/* Run fn(arg) in a child for at most `seconds`; said gets the last line it wrote, or, if it did not
 * return, what there is to say of that. */
enum jdi_child_end jdi_child_run(void (*fn)(void *arg), void *arg, unsigned seconds,
                                 char *said, size_t saidlen);

#endif
