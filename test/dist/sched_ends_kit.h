/*
 * sched_ends_kit.h - how many waits were ended by something else than what they were for.
 *
 * Role: counts waits of channels and of selects, and others, that a deadline or a cancellation has ended.  A call
 *       that had no time to wait, or whose finish was cancelled before, is no such wait.
 * Owner: any task; the counters are relaxed.
 * See: include/jackdaw.h; test/dist/sched_kit.h.
 */
#ifndef JDI_TEST_DIST_SCHED_ENDS_KIT_H
#define JDI_TEST_DIST_SCHED_ENDS_KIT_H

#include "test/dist/sched_kit.h"

enum end_kind { OF_SEND, OF_RECEIVE, OF_SELECT, OF_OTHERS, END_KINDS };

struct ends {
    _Atomic uint64_t by_deadline[END_KINDS], by_cancel[END_KINDS];
};

/* Would a call that begins now wait, if what it is for is not there? */
static inline bool would_wait(const jd_self *me, jd_time deadline)
{
    return jd_clock(me) < deadline && !jd_cancelled(me);
}

/* `waited`: what would_wait() has said before the call. */
static inline void count_end(struct ends *e, enum end_kind kind, bool waited, int error)
{
    _Atomic uint64_t *n = error == JD_ETIMEDOUT   ? &e->by_deadline[kind]
                          : error == JD_ECANCELED ? &e->by_cancel[kind]
                                                  : NULL;
    if (n && waited)
        atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
}

static inline uint64_t sum_of_ends(const _Atomic uint64_t *n)
{
    uint64_t sum = 0;
    for (int i = 0; i < END_KINDS; i++)
        sum += atomic_load_explicit(&n[i], memory_order_relaxed);
    return sum;
}

static inline void tell_ends(const struct ends *e)
{
    static const char *const name[] = {"sends", "receives", "selects", "other waits"};
    for (int i = 0; i < END_KINDS; i++)
        printf("# %s: %llu ended by a deadline, %llu by a cancellation\n", name[i],
               (unsigned long long)atomic_load_explicit(&e->by_deadline[i],
                                                        memory_order_relaxed),
               (unsigned long long)atomic_load_explicit(&e->by_cancel[i],
                                                        memory_order_relaxed));
}

/* What all ranks have counted.  Body; collective. */
static inline void add_up_ends(jd_self *me, struct ends *e)
{
    for (int i = 0; i < END_KINDS; i++) {
        atomic_store(&e->by_deadline[i], sum_of(me, atomic_load(&e->by_deadline[i])));
        atomic_store(&e->by_cancel[i], sum_of(me, atomic_load(&e->by_cancel[i])));
    }
}

#endif
