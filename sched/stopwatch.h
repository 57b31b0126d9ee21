/*
 * stopwatch.h - the clock of a task of a timed collection.
 *
 * Role: counts the time in which the task itself runs: the clock stands while the task waits, and while
 *       its frame of a finish runs other tasks.
 * Owner: the worker that runs the task.  It lies on the stack of its ULT.
 * Invariants: I1 me->watch is the watch of the task that runs on `me`; NULL if that is not timed, or if
 *                none runs.
 *             I2 whoever stops it starts it again before the task goes on.
 * See: doc/history.md; sched/plain.c, which begins and reads it; sched/self.c, sched/finish/finish.c,
 *      which stop it.
 */
#ifndef JDI_SCHED_STOPWATCH_H
#define JDI_SCHED_STOPWATCH_H

#include "sched/self.h"

struct jdi_stopwatch {
    uint64_t since; /* ns; when the clock was started */
    uint64_t spent; /* ns before that */
    size_t at; /* where the record has a copy of the seed; JDI_STOPWATCH_NO_SEED: none */
    unsigned owner; /* of that record */
    bool null;      /* jd_task_null */
};
#define JDI_STOPWATCH_NO_SEED SIZE_MAX

static inline void jdi_stopwatch_stop(jd_self *me)
{
    me->watch->spent += jdi_rank_now(me->rank) - me->watch->since;
}
static inline void jdi_stopwatch_start(jd_self *me)
{
    me->watch->since = jdi_rank_now(me->rank);
}

#endif
