/*
 * data.h - what a rank has of registered memory and futures.
 *
 * Role: the object behind jd_put, jd_get, jd_copy, jd_future_* and jd_async_await.
 * Owner: the communication thread, but for the fields so marked.
 * Invariants: I1 this rank has registered its part of a memory before any rank can name the memory.
 *             I2 numbers of memories and requests are never used twice; nor are those of futures: names.h.
 * Order: [pair: mem-slot] the fields of a part before whoever finds the part.
 * See: doc/data.md.
 */
#ifndef JDI_SCHED_DATA_DATA_H
#define JDI_SCHED_DATA_DATA_H

#include "core/keyed.h"
#include "sched/data/cache.h"
#include "sched/names.h"

struct jdi_mem;

/* Parts by number; [pair: mem-slot]. */
struct jdi_mem_slots {
    _Atomic(struct jdi_mem *) part[JDI_MEMS];
};

struct jdi_data {
    struct jdi_keytable requests; /* open ones of this rank, by number */
    uint64_t nrequests;           /* the last numbers given */
    uint64_t nmems;
    struct jdi_mem *retired; /* the body's: destroyed ones that stay until the end */
    /* Made with the first part.  Writer: the communication thread; readers: any thread.  [pair: mem-slot] */
    _Atomic(struct jdi_mem_slots *) mems;
    struct jdi_cache cache;   /* any thread */
    struct jdi_names futures; /* those whose home is here; any thread */
};

/* Make the object and install its handlers.  Called once, before the first message. */
void jdi_data_init(struct jdi_rank *r);
/* At the end of the job, after the streams were joined: poll until no request of this rank is open.
 * Then comes a barrier, then jdi_data_free. */
void jdi_data_settle(struct jdi_rank *r);
void jdi_data_free(struct jdi_rank *r);

#endif
