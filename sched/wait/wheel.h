/*
 * wheel.h - a hierarchical timer wheel: deadlines in nanoseconds, found in order.
 *
 * Role: a pure data structure that keeps timers and gives back those whose deadline has come.
 * Owner: the caller, under whatever lock the caller has; the caller provides each timer's storage.
 * Invariants: I1 a timer of level L and slot S has the time of the wheel in all digits above digit L,
 *                and S, which is larger than the wheel's, as digit L; on level 0 S may be equal.
 *             I2 bit S of bits[L] is set exactly while slot[L][S] has timers.
 *             I3 timers leave in the order of their deadlines; equal ones in the order of adding.
 * See: doc/waiting.md "The wheel"; test/unit/sched_wheel_follows_a_sorted_list.c; Varghese and Lauck, 1987.
 *
 * A deadline is a number of 11 digits of 6 bits.  One wheel for each digit makes the lowest level
 * exact to the nanosecond, so nothing is rounded.  I1 means that each timer of a level comes before
 * all timers of the levels above it.  So the first timers are in the lowest slot of the lowest level
 * that has any.
 */
#ifndef JDI_SCHED_WAIT_WHEEL_H
#define JDI_SCHED_WAIT_WHEEL_H

#include "core/base.h"

enum {
    JDI_WHEEL_BITS = 6,
    JDI_WHEEL_SLOTS = 1 << JDI_WHEEL_BITS,
    JDI_WHEEL_LEVELS = 11 /* 64 bits, rounded up to digits */
};

/* A timer.  In a wheel exactly while `home` is not NULL. */
struct jdi_timer {
    uint64_t at;                   /* the deadline, ns */
    struct jdi_timer *next, *prev; /* a ring, whose first one is *home */
    struct jdi_timer **home;
};

struct jdi_wheel {
    uint64_t now;  /* no timer has an earlier deadline */
    size_t timers; /* in the wheel */
    uint64_t bits[JDI_WHEEL_LEVELS];
    struct jdi_timer *moving; /* of a slot that `now` has reached, not yet placed anew */
    struct jdi_timer *slot[JDI_WHEEL_LEVELS][JDI_WHEEL_SLOTS];
};

void jdi_wheel_init(struct jdi_wheel *w, uint64_t now);
/* Add t, whose `at` is set.  A deadline in the past counts as `now` of the wheel. */
void jdi_wheel_add(struct jdi_wheel *w, struct jdi_timer *t);
void jdi_wheel_remove(struct jdi_wheel *w, struct jdi_timer *t);
/*
 * Take out up to `most` timers whose deadline is not after `until`; a ring of them by `next`, ended by
 * NULL, is appended to *list.  Returns their number.  One call moves a bounded number of timers
 * from level to level, so it may return fewer than there are: ask jdi_wheel_next.
 */
unsigned jdi_wheel_expire(struct jdi_wheel *w, uint64_t until, unsigned most,
                          struct jdi_timer **list);
/* A time at which jdi_wheel_expire should be called: that of the first timer or, if many timers are
 * close together, an earlier one, at which the wheel has to turn.  UINT64_MAX: the wheel is empty. */
uint64_t jdi_wheel_next(const struct jdi_wheel *w);

/* Assert I1 and I2 for all timers. */
void jdi_wheel_check(const struct jdi_wheel *w);

#endif
