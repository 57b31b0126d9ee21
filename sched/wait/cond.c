/*
 * cond.c - conditions: tasks wait until another one has changed what a mutex protects.
 *
 * Role: jd_cond_wait, jd_cond_signal, jd_cond_broadcast.
 * Owner: the line is under the lock of the condition.
 * Invariants: I1 a wait that was claimed here gets the mutex next: its ULT waits for nothing else.
 *             I2 no lock is held while a ULT is made ready, and no two locks at a time.
 * Order: [pair: lock]; those of mutex.c.
 * See: doc/waiting.md "Conditions"; sched/wait/mutex.h.
 */
#include "sched/wait/mutex.h"

/* All zero: nobody waits. */
struct cond {
    struct jdi_lock lock;
    struct jdi_line line; /* of struct sleeper */
};
_Static_assert(sizeof(struct cond) <= sizeof(jd_cond), "it lies in a jd_cond");

struct sleeper {
    struct jdi_mutex_wait of; /* first */
    struct jdi_mutex *mutex;
};

static struct cond *cond_in(jd_cond *c)
{
    return (struct cond *)(void *)c;
}

/* The first who still waits, claimed and out of the line; NULL if there is none.  Under the lock. */
static struct sleeper *claim_sleeper(struct cond *c)
{
    while (c->line.first) {
        struct sleeper *s = jdi_container_of(c->line.first, struct sleeper, of.link);
        jdi_line_leave(&c->line, &s->of.link);
        if (jdi_wait_claim(&s->of.wait))
            return s;
    }
    return NULL;
}

int jd_cond_wait(jd_self *me, jd_cond *cond, jd_mutex *mutex, jd_time deadline)
{
    struct cond *c = cond_in(cond);
    struct sleeper s = {.mutex = jdi_mutex_in(mutex)};
    if (!jdi_mutex_is_mine(s.mutex, me))
        return JD_ESTATE;
    int error = jdi_wait_open(&s.of.wait, me, deadline);
    if (error)
        return error;
    jdi_lock(&c->lock);
    jdi_line_join(&c->line, &s.of.link);
    jdi_unlock(&c->lock);
    error = jd_mutex_unlock(me, mutex);
    JD_CHECK(!error);
    struct jdi_cause why = {
        .kind = JDI_CAUSE_COND, .number = (uintptr_t)c, .deadline = deadline};
    int result = jdi_wait_park(&s.of.wait, &why);
    if (result < 0) { /* nobody has claimed it here, so it was not moved */
        jdi_lock(&c->lock);
        if (jdi_link_is_in(&s.of.link))
            jdi_line_leave(&c->line, &s.of.link);
        jdi_unlock(&c->lock);
    }
    jdi_mutex_retake(me, s.mutex, &s.of, result);
    return result < 0 ? result : 0;
}

void jd_cond_signal(jd_self *me, jd_cond *cond)
{
    struct cond *c = cond_in(cond);
    jdi_lock(&c->lock);
    struct sleeper *s = claim_sleeper(c);
    jdi_unlock(&c->lock);
    if (s)
        jdi_mutex_move(me->worker, s->mutex, &s->of);
}

void jd_cond_broadcast(jd_self *me, jd_cond *cond)
{
    struct cond *c = cond_in(cond);
    struct jdi_wait *chain = NULL, **last = &chain;
    jdi_lock(&c->lock);
    for (struct sleeper *s; (s = claim_sleeper(c)); last = &s->of.wait.chain)
        *last = &s->of.wait;
    jdi_unlock(&c->lock);
    while (chain) {
        struct sleeper *s = (struct sleeper *)(void *)chain;
        chain = chain->chain;
        jdi_mutex_move(me->worker, s->mutex, &s->of);
    }
}
