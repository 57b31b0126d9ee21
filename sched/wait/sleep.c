/*
 * sleep.c - the clock of deadlines, and tasks that wait for nothing else.
 *
 * Role: jd_clock, jd_deadline, jd_sleep_until, jd_sleep.
 * Owner: the caller.
 * See: include/jackdaw.h; doc/waiting.md.
 */
#include "sched/wait/wait.h"

jd_time jd_clock(const jd_self *me)
{
    return me ? jdi_rank_now(me->rank) : jdi_time_ns();
}

jd_time jd_deadline(const jd_self *me, uint64_t ns)
{
    jd_time now = jd_clock(me);
    return ns < JD_FOREVER - now ? now + ns : JD_FOREVER;
}

int jd_sleep_until(jd_self *me, jd_time deadline)
{
    struct jdi_wait w;
    if (deadline <= jdi_rank_now(me->rank))
        return 0;
    int error = jdi_wait_open(&w, me, deadline);
    if (!error)
        error = jdi_wait_park(
            &w, &(struct jdi_cause){.kind = JDI_CAUSE_SLEEP, .deadline = deadline});
    return error == JD_ETIMEDOUT ? 0 : error;
}

int jd_sleep(jd_self *me, uint64_t ns)
{
    return jd_sleep_until(me, jd_deadline(me, ns));
}
