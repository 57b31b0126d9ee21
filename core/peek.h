/*
 * peek.h - reading memory of this process that another thread may free meanwhile.
 *
 * Role: what a report says of a thread that runs and cannot be stopped: a guess, but never a fault.
 * Owner: any thread.
 * Invariants: I1 the bytes may be of anything; the caller believes nothing of them that it has not checked.
 * See: sched/live/finishes.c.
 */
#ifndef JDI_CORE_PEEK_H
#define JDI_CORE_PEEK_H

#include "core/base.h"

/* Copy n bytes.  False: there is no such memory, or the kernel does not say. */
bool jdi_peek(const void *from, void *to, size_t n);

#endif
