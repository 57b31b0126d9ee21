/*
 * calls.c - the small public calls: rank, worker, local data, time, abort.
 *
 * Role: one-line answers from the rank object.
 * Owner: the caller.
 * See: include/jackdaw.h.
 */
#include "sched/wait/causes.h"
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

void jd_set_local(jd_self *me, void *data)
{
    /* [pair: rank-local] release: the contents of the data. */
    atomic_store_explicit(&me->rank->local, data, memory_order_release);
}

void *jd_local(const jd_self *me)
{
    /* [pair: rank-local] acquire: a task from another rank may look without any other order. */
    return atomic_load_explicit(&me->rank->local, memory_order_acquire);
}

double jd_now(const jd_self *me)
{
    return 1e-9 * (double)(me ? jdi_rank_now(me->rank) : jdi_time_ns());
}

void jd_compute(jd_self *me, uint64_t ns)
{
    const struct jdi_time *time = me->rank->am->time;
    if (time) {
        time->charge(time->ctx, ns);
        return;
    }
    /* By the thread's own CPU time, because time lost to other threads is not computing. */
    for (uint64_t end = jdi_time_thread_ns() + ns; jdi_time_thread_ns() < end;)
        jdi_idle_pause(JDI_IDLE_SPIN);
}

int jd_task_find(const jd_self *me, const char *name)
{
    return name ? jdi_registry_find(&me->rank->registry, name) : JD_EINVAL;
}

static void log_line(void *log, const char *line)
{
    jdi_log(log, JDI_LOG_INFO, "%s", line);
}

void jd_abort(jd_self *me, int status, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (me->rank->am->log.level >= JDI_LOG_INFO)
        jdi_causes_tell(me->rank, log_line, &me->rank->am->log);
    jdi_die(&me->rank->am->log, status < 1 || status > 125 ? 1 : status, "worker %u: %s",
            me->worker->index, text);
}
