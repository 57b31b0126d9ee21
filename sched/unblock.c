/*
 * unblock.c - the one place through which a stopped ULT becomes ready again.
 *
 * Role: the choice of the worker; jd_resume.
 * Invariants: I1 of unblock.h. I2 a ULT goes on on the worker on which it stopped, because the
 *             finishes on its stack count in parts of that worker (sched/finish/finish.c).
 * Order: [pair: mailbox-head].
 * See: unblock.h.
 */
#include "sched/unblock.h"

void jdi_unblock(struct jdi_worker *by, jd_self *stopped)
{
    struct jdi_worker *w = stopped->worker;
    (void)by; /* I2: the caller's worker makes no difference */
    jdi_mailbox_put(&w->ready, &stopped->ready);
    jdi_idle_wake(w->idle);
}

void jd_resume(jd_self *me, jd_self *suspended)
{
    if (!atomic_exchange_explicit(&suspended->suspended, false, memory_order_relaxed))
        jdi_die(&suspended->rank->am->log, JDI_EXIT_AUDIT,
                "jd_resume: what it names is not suspended, or was resumed before");
    jdi_unblock(me ? me->worker : NULL, suspended);
}
