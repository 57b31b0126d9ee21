/*
 * on_comm.h - run a function of a measurement in the communication thread.
 *
 * Role: only that thread may call GASNet, and bodies run elsewhere.
 * Owner: the body, whose thread sleeps meanwhile: no task runs in its place.
 * See: bench/steal.c, bench/data.c.
 */
#ifndef JDI_BENCH_ON_COMM_H
#define JDI_BENCH_ON_COMM_H

#include "sched/worker.h"

#include <semaphore.h>

struct on_comm {
    struct jdi_call call;
    void (*fn)(void *arg);
    void *arg;
    sem_t done;
};

static void on_comm_run(struct jdi_rank *r, struct jdi_call *call)
{
    struct on_comm *o = jdi_container_of(call, struct on_comm, call);
    (void)r;
    o->fn(o->arg);
    sem_post(&o->done);
}

static inline void on_comm_start(struct on_comm *o, jd_self *me, void (*fn)(void *arg),
                                 void *arg)
{
    *o = (struct on_comm){.fn = fn, .arg = arg};
    o->call.run = on_comm_run;
    sem_init(&o->done, 0, 0);
    jdi_rank_post(me->rank, &o->call);
}

static inline void on_comm_wait(struct on_comm *o)
{
    while (sem_wait(&o->done))
        ;
    sem_destroy(&o->done);
}

static inline void on_comm(jd_self *me, void (*fn)(void *arg), void *arg)
{
    struct on_comm o;
    on_comm_start(&o, me, fn, arg);
    on_comm_wait(&o);
}

#endif
