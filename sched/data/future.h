/*
 * future.h - futures at their home, and who listens to a future wherever its home is.
 *
 * Role: what can be asked of a future of this rank, and of another rank's.
 * Owner: any thread of the rank; a future has a lock of its own.
 * Invariants: F1 to F5 of doc/data.md.
 * See: doc/data.md "Futures"; sched/data/future.c; sched/data/future_far.c.
 */
#ifndef JDI_SCHED_DATA_FUTURE_H
#define JDI_SCHED_DATA_FUTURE_H

#include "core/line.h"
#include "sched/data/request.h"

/* What a FUTURE message asks: doc/data.md "Futures". */
enum jdi_future_what {
    JDI_FUTURE_SET = 1,
    JDI_FUTURE_WAIT,
    JDI_FUTURE_READY,
    JDI_FUTURE_DESTROY,
    JDI_FUTURE_DROP
};

/* ---- who listens -------------------------------------------------------------------- */

struct jdi_listener;
struct jdi_listener_ops {
    /* The future is set, or will never be.  Under a lock, after the listener was taken out.  False: it is
     * not told, and is not touched again. */
    bool (*claim)(struct jdi_listener *l);
    /* After that, without a lock: the error, or the value and as `word` its size.  `by` is the worker that
     * runs this; NULL: the communication thread.  The listener may be gone when this returns. */
    void (*tell)(struct jdi_rank *r, struct jdi_worker *by, struct jdi_listener *l,
                 const struct jdi_answer *a);
    /* It sees no error.  So it is not told that another rank has no memory, but that rank is asked again. */
    bool blind;
};

struct jdi_future_far; /* what is asked of another rank: sched/data/future_far.c */

/* Whoever listens provides the storage. */
struct jdi_listener {
    const struct jdi_listener_ops *ops;
    struct jdi_link link; /* in the line of a future of this rank; under its lock */
    struct jdi_listener *chain;
    struct jdi_future_far *far; /* NULL: the future's home is here */
};

/*
 * Listen to a future, with its value or without.  0: `l` will be claimed once, perhaps before this
 * returns, unless it is taken away.  1: the future is set, or is not there, and nobody listens.  JD_ENOMEM.
 * A ULT, on the stream of its worker.
 */
int jdi_future_listen(jd_self *me, jd_future f, bool with_value, struct jdi_listener *l);
/* The listener, for which jdi_future_listen has returned 0, goes away.  `told`: it was claimed, and not by
 * the caller's guess.  Any thread. */
void jdi_future_unlisten(struct jdi_rank *r, jd_future f, struct jdi_listener *l,
                         bool told);

/* ---- at home ------------------------------------------------------------------------ */

/* False if no such future can exist. */
bool jdi_future_plausible(const struct jdi_rank *r, jd_future f);
/* These take the number of a future of this rank, and return 0 or JD_E*: JD_EINVAL if it is not there.
 * `by` as above. */
int jdi_future_set(struct jdi_rank *r, struct jdi_worker *by, uint64_t number,
                   const void *value, size_t n);
int jdi_future_destroy(struct jdi_rank *r, struct jdi_worker *by, uint64_t number);
/* 1: it is set. */
int jdi_future_ready(struct jdi_rank *r, uint64_t number);
/* Copy a value of *size bytes, or if `value` is NULL only say how many it has.  JD_EAGAIN: it is unset, and
 * from now on `l` listens, if it is not NULL. */
int jdi_future_fetch(struct jdi_rank *r, struct jdi_worker *by, uint64_t number,
                     void *value, size_t *size, struct jdi_listener *l);
/* What somebody who was told of a future does with its value, which is a->word bytes long. */
int jdi_future_take(const struct jdi_answer *a, void *value, size_t *size);

/* For jd_select.  The lock of a future of this rank; NULL: there can be none.  With that lock: does it live;
 * its value, or JD_EAGAIN; listen. */
struct jdi_lock *jdi_future_lock(const struct jdi_rank *r, uint64_t number);
bool jdi_future_lives(struct jdi_lock *l, uint64_t number);
int jdi_future_look(struct jdi_lock *l, void *value, size_t *size);
void jdi_future_join(struct jdi_lock *l, struct jdi_listener *listener);

void jdi_future_init(struct jdi_rank *r);
void jdi_future_free_all(struct jdi_rank *r);

/* ---- elsewhere: sched/data/future_far.c ---------------------------------------------- */

/* Ask the home of a future: SET, READY or DESTROY.  Suspends the caller until it has answered. */
int jdi_future_far_ask(jd_self *me, jd_future f, enum jdi_future_what what,
                       const void *value, size_t n);
/* The two of jdi_future_listen and jdi_future_unlisten.  The first in two halves: get memory, or JD_ENOMEM; then,
 * also under a lock, ask. */
int jdi_future_far_listen(jd_self *me, jd_future f, bool with_value,
                          struct jdi_listener *l);
int jdi_future_far_prepare(jd_self *me, jd_future f, bool with_value,
                           struct jdi_listener *l);
void jdi_future_far_begin(jd_self *me, struct jdi_listener *l);
void jdi_future_far_unlisten(struct jdi_rank *r, struct jdi_listener *l);

/* Install the cases of jd_select: sched/data/future_case.c. */
void jdi_future_case_init(struct jdi_rank *r);

#endif
