/*
 * data.h - what a rank has of registered memory and futures.
 *
 * Role: the object behind jd_put and its kin, jd_future_* and jd_async_await.
 * Owner: the communication thread, but for the fields so marked.
 * Invariants: I1 a part of registered memory is known here before any rank can name it.
 *             I2 numbers of memory, futures and requests are never used twice.
 * Order: [pair: mem-slot] what is in a part of memory before who finds it.
 *        [pair: mailbox-head] a new future.
 * See: doc/data.md.
 */
#ifndef JDI_SCHED_DATA_DATA_H
#define JDI_SCHED_DATA_DATA_H

#include "core/keyed.h"
#include "sched/rank.h"

enum { JDI_MEMS = 64 };

struct jdi_mem;
struct jdi_future_wait;

struct jdi_data {
    struct jdi_keytable requests; /* of this rank, open; by number */
    struct jdi_keytable futures;  /* whose home is here; by number */
    struct jdi_future_wait *waits;
    uint64_t nrequests; /* the last numbers given */
    uint64_t nmems;
    /* Writer: the communication thread; readers: any.  Release/acquire. */
    _Atomic(struct jdi_mem *) mem[JDI_MEMS]; /* by number; [pair: mem-slot] */
    /* Any thread. */
    _Atomic uint64_t nfutures; /* relaxed: only the number matters */
    struct jdi_mailbox fresh;  /* futures that the table does not have yet */
};

/* Start of the rank: before the first message. */
void jdi_data_init(struct jdi_rank *r);
/* The end of the job, streams joined: poll until no request of this rank is open.  Before a
 * barrier; jdi_data_free comes after it. */
void jdi_data_settle(struct jdi_rank *r);
void jdi_data_free(struct jdi_rank *r);

#endif
