/*
 * future_call.c - what tasks ask of futures.
 *
 * Role: jd_future_set, get, get_until, wait, ready, destroy.
 * Owner: a struct getting: its ULT, on whose stack it lies; whoever has claimed its wait writes `error`,
 *        `size` and the value.
 * See: include/jackdaw.h; doc/data.md "Futures".
 */
#include "sched/data/future.h"
#include "sched/task.h"
#include "sched/wait/wait.h"

/* A ULT that waits for a value. */
struct getting {
    struct jdi_listener listener;
    struct jdi_wait wait;
    void *value; /* NULL: only the size is wanted */
    size_t *size;
};

static bool claim_getter(struct jdi_listener *l)
{
    return jdi_wait_claim(&jdi_container_of(l, struct getting, listener)->wait);
}

static void tell_getter(struct jdi_rank *r, struct jdi_worker *by, struct jdi_listener *l,
                        const struct jdi_answer *a)
{
    struct getting *g = jdi_container_of(l, struct getting, listener);
    (void)r;
    jdi_wait_end(by, &g->wait, jdi_future_take(a, g->value, g->size));
}

static const struct jdi_listener_ops getter_ops = {.claim = claim_getter,
                                                   .tell = tell_getter};

static bool is_here(const jd_self *me, jd_future f)
{
    return f.home == me->rank->am->rank;
}

static int get_later(jd_self *me, jd_future f, void *value, size_t *size,
                     jd_time deadline)
{
    struct getting g = {.listener.ops = &getter_ops, .value = value, .size = size};
    int error = jdi_wait_open(&g.wait, me, deadline);
    if (error)
        return error;
    if (is_here(me, f)) {
        error =
            jdi_future_fetch(me->rank, me->worker, f.number, value, size, &g.listener);
        if (error != JD_EAGAIN)
            return error;
    } else {
        error = jdi_future_listen(me, f, value != NULL, &g.listener);
        if (error)
            return error;
    }
    error = jdi_wait_park(&g.wait, &(struct jdi_cause){.kind = JDI_CAUSE_FUTURE,
                                                       .home = f.home,
                                                       .number = f.number,
                                                       .deadline = deadline});
    bool told = error != JD_ETIMEDOUT && error != JD_ECANCELED;
    jdi_future_unlisten(me->rank, f, &g.listener, told);
    return error;
}

/* There is no time to wait: ask another rank once whether the future is set.  Then its answer to a wait
 * comes soon. */
static int get_far_now(jd_self *me, jd_future f, void *value, size_t *size)
{
    int ready = jdi_future_far_ask(me, f, JDI_FUTURE_READY, NULL, 0);
    if (ready < 0)
        return ready;
    return ready ? get_later(me, f, value, size, JD_FOREVER) : JD_ETIMEDOUT;
}

static int get_value(jd_self *me, jd_future f, void *value, size_t *size,
                     jd_time deadline)
{
    if (!jdi_future_plausible(me->rank, f))
        return JD_EINVAL;
    if (JDI_LIKELY(is_here(me, f))) {
        int error = jdi_future_fetch(me->rank, me->worker, f.number, value, size, NULL);
        if (JDI_LIKELY(error != JD_EAGAIN))
            return error;
    } else if (deadline <= jdi_rank_now(me->rank)) {
        return get_far_now(me, f, value, size);
    }
    return get_later(me, f, value, size, deadline);
}

int jd_future_get_until(jd_self *me, jd_future future, void *value, size_t n,
                        jd_time deadline)
{
    unsigned char none;
    if (n && !value)
        return JD_EINVAL;
    return get_value(me, future, n ? value : &none, &n, deadline);
}

int jd_future_get(jd_self *me, jd_future future, void *value, size_t n)
{
    return jd_future_get_until(me, future, value, n, JD_FOREVER);
}

int jd_future_wait_until(jd_self *me, jd_future future, size_t *size, jd_time deadline)
{
    size_t n;
    int error = get_value(me, future, NULL, &n, deadline);
    if (!error && size)
        *size = n;
    return error;
}

int jd_future_wait(jd_self *me, jd_future future, size_t *size)
{
    return jd_future_wait_until(me, future, size, JD_FOREVER);
}

int jd_future_set(jd_self *me, jd_future future, const void *value, size_t n)
{
    if (n > JDI_TASK_ARG_MAX)
        return JD_ETOOBIG;
    if ((n && !value) || !jdi_future_plausible(me->rank, future))
        return JD_EINVAL;
    return is_here(me, future)
               ? jdi_future_set(me->rank, me->worker, future.number, value, n)
               : jdi_future_far_ask(me, future, JDI_FUTURE_SET, value, n);
}

int jd_future_ready(jd_self *me, jd_future future)
{
    if (!jdi_future_plausible(me->rank, future))
        return JD_EINVAL;
    return is_here(me, future)
               ? jdi_future_ready(me->rank, future.number)
               : jdi_future_far_ask(me, future, JDI_FUTURE_READY, NULL, 0);
}

int jd_future_destroy(jd_self *me, jd_future future)
{
    if (!jdi_future_plausible(me->rank, future))
        return JD_EINVAL;
    return is_here(me, future)
               ? jdi_future_destroy(me->rank, me->worker, future.number)
               : jdi_future_far_ask(me, future, JDI_FUTURE_DESTROY, NULL, 0);
}
