/*
 * crowd.c - how many ULTs wait on a worker, and what it does when these are too many.
 *
 * Role: the counts, and the pace at which such a worker begins tasks.
 * Invariants: those of crowd.h.
 * See: crowd.h; test/dist/sched_crowds.sh.
 *
 * Each ULT that waits keeps a stack.  Something has to be done when there are more of them than was
 * allowed, or no memory for one more.  Three things could be:
 *
 * - To begin no task until one of those that wait has gone on.  But what resumes them may be a task that has
 *   not begun.  The job would hang.
 * - To run tasks on the stack of the task that waits, on top of it.  But then that one cannot go on before
 *   they have ended, and if one of them waits for it, never.  A job that ran well with a larger number
 *   would hang, now and then.
 * - To go on, slowly.  Above JACKDAW_MAX_SUSPENDED a worker runs what was resumed, and begins tasks once in
 *   PACE_NS, up to the first one that waits.  So whatever ends with a larger number ends with this one, and
 *   memory grows by some MiB in a second, time enough for those that wait to go on.
 *
 * The last one it is.  Where memory has ended there is no stack to go on slowly with: the ULT that stops
 * jumps to the base context of its worker, which needs none (jdi_worker_relieve).  It runs what was
 * resumed, and tries once in PACE_NS whether there is memory, or a loop that another worker has no use
 * for.  If nobody but a task that has not begun can
 * resume anything, the rank then stands still; the message has said why.
 */
#include "sched/crowd.h"

enum { PACE_NS = 1000000 };

/* Take those off that went on elsewhere. */
static void count_left(struct jdi_worker *w)
{
    w->stopped -= atomic_exchange_explicit(&w->left, 0, memory_order_relaxed);
}

void jdi_crowd_note(struct jdi_worker *w)
{
    JD_ASSERT(jdi_rank_is_owner(w->rank, w->index));
    count_left(w);
    if (w->stopped > w->stats.most_stopped)
        jdi_stats_set(&w->stats.most_stopped, w->stopped);
}

/* Is it so long since the last time? */
static bool is_due(struct jdi_worker *w)
{
    uint64_t now = jdi_rank_now(w->rank);
    if (now - w->paced < PACE_NS)
        return false;
    w->paced = now;
    return true;
}

bool jdi_crowd_waits(struct jdi_worker *w)
{
    count_left(w);
    if (w->stopped <= (uint64_t)w->rank->knobs->max_suspended)
        return false;
    if (!atomic_exchange_explicit(&w->rank->crowded, true, memory_order_relaxed))
        jdi_log(&w->rank->am->log, JDI_LOG_WARN,
                "%llu tasks wait on worker %u: from now on it begins others slowly; "
                "raise JACKDAW_MAX_SUSPENDED if this is meant",
                (unsigned long long)w->stopped, w->index);
    return !is_due(w);
}

void jdi_crowd_starves(struct jdi_worker *w)
{
    w->paced = jdi_rank_now(w->rank);
    if (atomic_exchange_explicit(&w->rank->starved, true, memory_order_relaxed))
        return;
    jdi_log(
        &w->rank->am->log, JDI_LOG_WARN,
        "out of memory for a ULT stack of worker %u (%llu bytes), which has made %llu: "
        "tasks begin when others have ended",
        w->index, (unsigned long long)w->rank->knobs->stack_size,
        (unsigned long long)w->stats.stacks);
    jdi_rank_wake_all(w->rank); /* they may have spare loops */
}

void jdi_crowd_give(jd_self *loop, void *rank)
{
    struct jdi_rank *r = rank;
    jdi_lock(&r->spares_lock);
    loop->next = r->spares;
    r->spares = loop;
    jdi_unlock(&r->spares_lock);
}

void jdi_crowd_give_all(struct jdi_worker *w)
{
    while (w->spare) {
        jd_self *loop = w->spare;
        w->spare = loop->next;
        jdi_crowd_give(loop, w->rank);
    }
}

jd_self *jdi_crowd_take(struct jdi_rank *r)
{
    jdi_lock(&r->spares_lock);
    jd_self *loop = r->spares;
    if (loop)
        r->spares = loop->next;
    jdi_unlock(&r->spares_lock);
    return loop;
}

bool jdi_crowd_may_try(struct jdi_worker *w)
{
    return is_due(w);
}
