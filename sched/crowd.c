/*
 * crowd.c - how many ULTs wait on a worker.
 *
 * See: crowd.h.
 */
#include "sched/crowd.h"

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
        w->stats.most_stopped = w->stopped;
}
