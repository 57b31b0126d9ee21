/*
 * early.c - exit(0) before the end of jd_launch is no success, also where ranks share a process.
 *
 * Role: an exit hook for networks whose ranks share a process, where nobody else would
 *       notice that the job has been cut off.
 * Owner: the thread that calls jd_launch; the hook runs on the thread that exits.
 * Invariants: I1 the word outlives the job: hooks cannot be taken back.  The hook frees the word
 *                of a job that is over.
 * Order: [pair: early-over] the last use of the word before it is freed.  An exit at the moment
 *        when jd_launch returns may count as early or not.
 * See: doc/am.md section 6, test/dist/sched_endings.sh.
 */
#include "am/am.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct jdi_early {
    _Atomic bool over; /* jd_launch | whoever exits */
};

static void on_early_exit(int status, void *arg)
{
    struct jdi_early *e = arg;
    const struct jdi_log log = {.level = JDI_LOG_WARN};
    /* Acquire [pair: early-over]. */
    bool over = atomic_load_explicit(&e->over, memory_order_acquire);
    if (over)
        jdi_free(e);
    if (over || status & 0xff)
        return;
    jdi_log(&log, JDI_LOG_ERROR, "left before the end of jd_launch");
    fflush(NULL);
    _exit(JDI_EXIT_EARLY);
}

struct jdi_early *jdi_early_watch(void)
{
    struct jdi_early *e = jdi_alloc(NULL, sizeof *e);
    if (!e)
        return NULL;
    atomic_init(&e->over, false);
    on_exit(on_early_exit, e);
    return e;
}

void jdi_early_over(struct jdi_early *e)
{
    /* Release [pair: early-over]: e may be gone right after this. */
    if (e)
        atomic_store_explicit(&e->over, true, memory_order_release);
}
