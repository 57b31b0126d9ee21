/*
 * mem.h - registered memory: one name, shared by all ranks, for the bytes that each rank has.
 *
 * Role: finds and checks ranges, at the rank whose memory it is.
 * Owner: the communication thread registers and forgets; any thread finds.
 * Invariants: I1 and I2 of mem.c.
 * See: doc/data.md "Memory and copies".
 */
#ifndef JDI_SCHED_DATA_MEM_H
#define JDI_SCHED_DATA_MEM_H

#include "sched/data/data.h"

/* This rank's part of registered memory; constant while it is there. */
struct jdi_mem {
    uint64_t number;
    unsigned char *bytes; /* not NULL, even if size is 0 */
    size_t size;
    void *own; /* what to free: the bytes if the library allocated them, else NULL */
};

/* This rank's bytes [offset, offset + n) of mem, or NULL if there is no such range.  Any thread. */
unsigned char *jdi_mem_at(const struct jdi_rank *r, jd_mem mem, uint64_t offset,
                          uint64_t n);
void jdi_mem_free_all(struct jdi_rank *r);

#endif
