/*
 * accumulate.h - doubles that are added to memory in which others add too.
 *
 * Role: see accumulate.c; jd_accumulate itself is in copy.c, as the other transfers are.
 * Owner: nobody; any thread.
 * Invariants: I1 of accumulate.c.
 * See: doc/data.md "Memory and copies".
 */
#ifndef JDI_SCHED_DATA_ACCUMULATE_H
#define JDI_SCHED_DATA_ACCUMULATE_H

#include <stdint.h>

/* Add the doubles of [from, from + bytes) to those at `to`, which are aligned; those at `from` need not be.
 * Any thread; does not block. */
void jdi_accumulate_add(unsigned char *to, const unsigned char *from, uint64_t bytes);

#endif
