/*
 * cache.h - bytes of other ranks that this rank has got, and need not get again.
 *
 * Role: ends the validity of what is cached; jd_get_cached, jd_borrow, jd_give_back and jd_forget are in jackdaw.h.
 * Owner: any thread; one lock.
 * Invariants: C1 to C4 of doc/data.md.
 * Order: [pair: lock].
 * See: doc/data.md "Cached reads"; sched/data/cache.c.
 */
#ifndef JDI_SCHED_DATA_CACHE_H
#define JDI_SCHED_DATA_CACHE_H

#include "core/line.h"
#include "core/lock.h"
#include "sched/rank.h"

enum { JDI_MEMS = 64 }; /* names of registered memory */

struct jdi_cache_table;

/* Part of struct jdi_data. */
struct jdi_cache {
    struct jdi_lock lock; /* of all that follows */
    bool closed;          /* the body is in a call in which all ranks meet: V1 */
    /* Entries in the table; read without the lock too, by those who have entered one or were told of one. */
    _Atomic uint64_t tabled;
    uint64_t used, most; /* bytes of all entries now, and the most there were */
    struct jdi_line
        idle; /* entries in the table that nobody uses; the next to go is the first */
    struct jdi_line loose; /* entries out of the table */
    struct jdi_cache_table
        *of; /* made with the first entry, so that ranks without one are small */
};

void jdi_cache_init(struct jdi_rank *r, struct jdi_cache *c);
/* Free it, at the end of the rank. */
void jdi_cache_free_all(struct jdi_rank *r);
/* A write of this rank to bytes of another one is complete (V3).  Any thread; does not block. */
void jdi_cache_wrote(struct jdi_rank *r, jd_mem mem, uint32_t rank, uint64_t offset,
                     uint64_t n);
/* Walk the cache under its lock, and assert its invariants. */
void jdi_cache_check(struct jdi_rank *r);

#endif
