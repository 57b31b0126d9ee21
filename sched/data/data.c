/*
 * data.c - what a rank has of registered memory, futures and requests.
 *
 * Role: makes the object before the first message, and frees it after the last.
 * Owner: the communication thread.
 * See: data.h.
 */
#include "sched/data/data.h"

#include "sched/data/cache.h"
#include "sched/data/copy.h"
#include "sched/data/future.h"
#include "sched/data/mem.h"
#include "sched/data/request.h"

void jdi_data_init(struct jdi_rank *r)
{
    struct jdi_data *d = jdi_zalloc(NULL, sizeof *d);
    if (!d)
        jdi_die(&r->am->log, JDI_EXIT_START, "no memory for the rank");
    jdi_keyed_init(&d->requests, &r->am->fault);
    r->data = d;
    jdi_request_init(r);
    jdi_copy_init(r);
    jdi_cache_init(r, &d->cache);
    jdi_future_init(r);
}

void jdi_data_settle(struct jdi_rank *r)
{
    while (r->data->requests.n) {
        jdi_am_poll(r->am);
        jdi_time_pause(r->am->time, JDI_IDLE_YIELD);
    }
}

void jdi_data_free(struct jdi_rank *r)
{
    struct jdi_data *d = r->data;
    jdi_future_free_all(r);
    jdi_cache_free_all(r);
    jdi_mem_free_all(r);
    jdi_keyed_fini(&d->requests);
    jdi_free(d);
}
