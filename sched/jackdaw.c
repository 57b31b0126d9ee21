/*
 * jackdaw.c - the small public calls: who and where am I, when is it, stop.
 *
 * Role: one-line answers from the rank object.
 * Owner: the caller.
 * Invariants: none of its own.
 * See: include/jackdaw.h.
 */
#include "sched/worker.h"

#include <stdarg.h>
#include <stdio.h>

uint32_t jd_rank(const jd_self *me)
{
    return me->rank->am->rank;
}

uint32_t jd_nranks(const jd_self *me)
{
    return me->rank->am->nranks;
}

unsigned jd_worker(const jd_self *me)
{
    return me->worker->index;
}

unsigned jd_nworkers(const jd_self *me)
{
    return me->rank->nworkers;
}

double jd_now(void)
{
    return 1e-9 * (double)jdi_now_ns();
}

int jd_task_find(const jd_self *me, const char *name)
{
    return name ? jdi_registry_find(&me->rank->registry, name) : JD_EINVAL;
}

void jd_abort(jd_self *me, int status, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    jdi_die(&me->rank->am->log, status < 1 || status > 125 ? 1 : status, "worker %u: %s",
            me->worker->index, text);
}
