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
    _Atomic bool frozen; /* nobody writes: jd_mem_freeze.  Writer: the body; relaxed */
    void *own; /* what to free: the bytes if the library allocated them, else NULL */
    /* Of objects of the library, which jd_put and its kin do not reach: called by the communication thread
     * when the number is known, before anybody can find the part.  NULL: bytes of the program. */
    void (*born)(struct jdi_mem *m);
    struct jdi_mem *next; /* of those that were destroyed, but stay */
};

/* This rank's bytes [offset, offset + n) of mem, or NULL if there is no such range.  Any thread. */
unsigned char *jdi_mem_at(const struct jdi_rank *r, jd_mem mem, uint64_t offset,
                          uint64_t n);
/* What lies in the slot of that number, which may be another one's; or NULL.  Any thread. */
struct jdi_mem *jdi_mem_slot(const struct jdi_rank *r, uint64_t number);
/* The part of that number with objects of the library, or NULL.  Any thread. */
struct jdi_mem *jdi_mem_objects(const struct jdi_rank *r, uint64_t number);
/* Bytes of a destroyed part with objects, of the same size, which `idle` says nobody uses any more; NULL.
 * Body. */
void *jdi_mem_again(struct jdi_rank *r, size_t size,
                    bool (*idle)(void *bytes, size_t size));

/* Does jd_mem_freeze hold for it?  Any thread. */
bool jdi_mem_is_frozen(const struct jdi_rank *r, uint64_t number);
/* Register `size` bytes of each rank, or if ptr is NULL zeroed ones of the library's, in a call that is
 * called `what`.  With `born`: objects, whose block belongs to the part; ptr NULL: there was no memory for them.
 * Body; collective. */
int jdi_mem_create(jd_self *me, enum jdi_collective_what what, void *ptr, size_t size,
                   void (*born)(struct jdi_mem *m), uint64_t *number);
/* Meet, call between(m), which may be NULL, forget, and free what is the library's; but objects stay until the
 * end of the rank, because whoever has found one may still come to it.  Likewise. */
int jdi_mem_destroy(jd_self *me, enum jdi_collective_what what, struct jdi_mem *m,
                    void (*between)(jd_self *me, struct jdi_mem *m));
void jdi_mem_free_all(struct jdi_rank *r);

#endif
