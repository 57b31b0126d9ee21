/*
 * future.h - futures at their home.
 *
 * Role: carries out what is asked of a future if this rank is its home, else asks the home.
 * Owner: the communication thread; jdi_future_plausible is for any thread.
 * Invariants: F1 to F3 of doc/data.md.
 * See: doc/data.md "Futures"; sched/data/future.c.
 */
#ifndef JDI_SCHED_DATA_FUTURE_H
#define JDI_SCHED_DATA_FUTURE_H

#include "sched/data/request.h"

/* What a FUTURE message asks: doc/data.md "Futures". */
enum jdi_future_what {
    JDI_FUTURE_SET = 1,
    JDI_FUTURE_WAIT,
    JDI_FUTURE_READY,
    JDI_FUTURE_DESTROY,
    JDI_FUTURE_DROP
};
struct jdi_future_request {
    enum jdi_future_what what;
    uint64_t number;
    struct jdi_asker asker;
    uint64_t word; /* WAIT: with the value; DROP: the request of the WAIT */
    const void *data;
    uint32_t len;
};

/* Carry the order out here, or send it to the home of the future.  The answer may come before this
 * returns. */
void jdi_future_ask(struct jdi_rank *r, uint32_t home,
                    const struct jdi_future_request *o);
/* False if no such future can exist.  Any thread. */
bool jdi_future_plausible(const struct jdi_rank *r, jd_future f);
void jdi_future_init(struct jdi_rank *r);
void jdi_future_free_all(struct jdi_rank *r);

#endif
