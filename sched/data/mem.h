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

#include "sched/collective.h"
#include "sched/data/data.h"

/* This rank's part of registered memory; constant while it is there. */
struct jdi_mem {
    uint64_t number;
    unsigned char *bytes; /* not NULL, even if size is 0 */
    size_t size;
    void *own;   /* what to free: the bytes if the library allocated them, else NULL */
    bool sealed; /* objects of the library, which jd_put and its kin do not reach */
};

/* This rank's bytes [offset, offset + n) of mem, or NULL if there is no such range.  Any thread. */
unsigned char *jdi_mem_at(const struct jdi_rank *r, jd_mem mem, uint64_t offset,
                          uint64_t n);
/* The sealed part of that number, or NULL.  Any thread. */
struct jdi_mem *jdi_mem_sealed(const struct jdi_rank *r, uint64_t number);

/* Register `size` bytes of each rank, or if ptr is NULL zeroed ones of the library's, in a call that is
 * called `what`.  Sealed ones are a block that the library frees; NULL: there was no memory for it.  Body;
 * collective. */
int jdi_mem_create(jd_self *me, enum jdi_collective_what what, void *ptr, size_t size,
                   bool sealed, uint64_t *number);
/* Meet, call between(m), which may be NULL, forget, and free what is the library's.  Likewise. */
int jdi_mem_destroy(jd_self *me, enum jdi_collective_what what, struct jdi_mem *m,
                    void (*between)(jd_self *me, struct jdi_mem *m));
void jdi_mem_free_all(struct jdi_rank *r);

#endif
