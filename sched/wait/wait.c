/*
 * wait.c - a wait that several events may end, and exactly one does.
 *
 * Role: see wait.h.
 * Invariants: those of wait.h.
 * Order: [pair: wait-end].
 * See: wait.h; doc/waiting.md has the table of states.
 */
#include "sched/wait/wait.h"

#include "sched/unblock.h"
#include "sched/wait/waits.h"

int jdi_wait_open(struct jdi_wait *w, jd_self *me, jd_time deadline)
{
    const _Atomic bool *mark = jdi_rank_mark(me);
    struct jdi_waits *waits = NULL;
    if (mark && atomic_load_explicit(mark, memory_order_relaxed))
        return JD_ECANCELED;
    if (deadline != JD_FOREVER && deadline <= jdi_rank_now(me->rank))
        return JD_ETIMEDOUT;
    if (mark || deadline != JD_FOREVER) {
        waits = jdi_waits_of(me->worker);
        if (!waits)
            return JD_ENOMEM;
    }
    *w = (struct jdi_wait){.me = me, .waits = waits, .timer.at = deadline, .mark = mark};
    return 0;
}

/* True if the wait was ended before, so that nobody else sees to whoever waits. */
static bool park(struct jdi_wait *w)
{
    /* [pair: wait-end] acquire: what was done for the wait.  Release: the ULT has stopped. */
    uint32_t before =
        atomic_fetch_or_explicit(&w->state, JDI_WAIT_PARKED, memory_order_acq_rel);
    JD_ASSERT(!(before & JDI_WAIT_PARKED));
    return before & JDI_WAIT_ENDED;
}

static void publish_wait(jd_self *me, void *wait)
{
    if (park(wait))
        jdi_unblock(me->worker, me);
}

void jdi_wait_close(struct jdi_wait *w)
{
    if (w->waits && !w->taken_out)
        jdi_waits_remove(w);
}

void jdi_wait_be_of_none(struct jdi_wait *w, const struct jdi_wait_ops *ops)
{
    JD_ASSERT(w->mark && w->waits); /* so an inspection finds it */
    w->of_none = true;
    w->ops = ops;
}

void jdi_wait_arm(struct jdi_worker *by, struct jdi_wait *w)
{
    const struct jdi_wait_ops *ops = w->ops;
    JD_ASSERT(w->of_none);
    if (w->waits)
        jdi_waits_add(w);
    if (park(w))
        ops->done(by, w);
}

int jdi_wait_park(struct jdi_wait *w, const struct jdi_cause *why)
{
    if (w->waits)
        jdi_waits_add(w);
    /* [pair: wait-end] acquire: it has been ended already, so nobody will make the ULT ready. */
    if (!(atomic_load_explicit(&w->state, memory_order_acquire) & JDI_WAIT_ENDED))
        jdi_self_suspend(w->me, why, publish_wait, w);
    JD_ASSERT(atomic_load_explicit(&w->state, memory_order_relaxed) & JDI_WAIT_ENDED);
    jdi_wait_close(w);
    return w->result;
}

bool jdi_wait_claim(struct jdi_wait *w)
{
    /* Relaxed: nothing is handed over here, and who claims has found the wait under a lock. */
    return !(atomic_fetch_or_explicit(&w->state, JDI_WAIT_CLAIMED, memory_order_relaxed) &
             JDI_WAIT_CLAIMED);
}

void jdi_wait_end(struct jdi_worker *by, struct jdi_wait *w, int result)
{
    bool of_none = w->of_none;
    jd_self *me = of_none ? NULL : w->me;
    const struct jdi_wait_ops *ops = of_none ? w->ops : NULL;
    w->result = result;
    /* [pair: wait-end] release: the result, and what was done for the wait.  Acquire: the ULT has
     * stopped. */
    uint32_t before =
        atomic_fetch_or_explicit(&w->state, JDI_WAIT_ENDED, memory_order_acq_rel);
    JD_ASSERT(before & JDI_WAIT_CLAIMED && !(before & JDI_WAIT_ENDED));
    if (!(before & JDI_WAIT_PARKED))
        return;
    if (ops)
        ops->done(by, w);
    else
        jdi_unblock(by, me);
}
