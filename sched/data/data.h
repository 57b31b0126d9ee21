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
#ifndef JDI_SCHED_DATA_H
#define JDI_SCHED_DATA_H

#include "sched/data/request.h"
#include "sched/worker.h"

enum { JDI_MEMS = 64 };

/* This rank's part of registered memory; constant while it is there. */
struct jdi_mem {
    uint64_t number;
    unsigned char *bytes; /* not NULL, even if there are none */
    size_t size;
    void *own; /* the bytes, if the library has allocated them */
};

/* One of this rank who waits for a future; lies with who waits. */
struct jdi_wait {
    struct jdi_request request; /* first: a request is a wait */
    jd_future future;
    struct jdi_part *part;         /* whose cancellation ends the wait; NULL: none */
    struct jdi_wait *next, **link; /* in data->waits, if there is a part */
    bool dropping;                 /* a DROP is on its way */
};

struct jdi_data {
    struct jdi_keytable requests; /* of this rank, open; by number */
    struct jdi_keytable futures;  /* whose home is here; by number */
    struct jdi_wait *waits;
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

/* mem.c: this rank's bytes [offset, offset + n) of it, or NULL: no such range.  Any thread. */
unsigned char *jdi_mem_at(const struct jdi_rank *r, jd_mem mem, uint64_t offset,
                          uint64_t n);
void jdi_mem_free_all(struct jdi_rank *r);

/* copy.c: the handlers. */
void jdi_move_init(struct jdi_rank *r);

/* What a FUTURE message asks: doc/data.md "Futures". */
enum jdi_future_what {
    JDI_FUTURE_SET = 1,
    JDI_FUTURE_WAIT,
    JDI_FUTURE_READY,
    JDI_FUTURE_DESTROY,
    JDI_FUTURE_DROP
};
struct jdi_future_order {
    enum jdi_future_what what;
    uint64_t number;
    struct jdi_asker asker;
    uint64_t word; /* WAIT: with the value; DROP: the request of the WAIT */
    const void *data;
    uint32_t len;
};

/* future.c.  Carry it out here, or send it to its home.  The answer may come inside. */
void jdi_future_order(struct jdi_rank *r, uint32_t home,
                      const struct jdi_future_order *o);
/* Could there be such a future?  Any thread. */
bool jdi_future_plausible(const struct jdi_rank *r, jd_future f);
void jdi_future_init(struct jdi_rank *r);
void jdi_future_free_all(struct jdi_rank *r);

/* future_wait.c.  Communication thread.  One answer will come, perhaps inside; then end it. */
void jdi_wait_begin(struct jdi_rank *r, struct jdi_wait *w, bool with_value,
                    bool (*answered)(struct jdi_rank *, struct jdi_request *,
                                     const struct jdi_answer *));
void jdi_wait_end(struct jdi_rank *r, struct jdi_wait *w);
/* Some scope of this rank has just been cancelled. */
void jdi_wait_cancelled(struct jdi_rank *r);

#endif
