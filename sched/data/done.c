/*
 * done.c - the ends of transfers that nobody waits for one by one: jd_done.
 *
 * Role: counts the transfers that have ended; jd_done_wait, jd_done_wait_until, jd_done_test.
 * Owner: of a jd_done: its ULT; but the communication thread owns `ended`, `error` and `waiter`
 *        while transfers are under way.
 * Invariants: I1 when `ended` counts the last transfer and nobody is suspended, the communication
 *                thread does not touch the jd_done again.
 * Order: [pair: done-ended] the bytes and the error before whoever sees the transfer ended.
 * See: doc/data.md "Memory and copies"; sched/data/copy.c.
 */
#include "sched/data/done.h"

#include "sched/unblock.h"
#include "sched/wait/wait.h"

/* While there is a waiter, its ULT starts no other transfer. */
void jdi_done_landed(struct jdi_done *d, int error)
{
    struct jdi_wait *waiter = d->waiter;
    uint64_t ended = atomic_load_explicit(&d->ended, memory_order_relaxed) + 1;
    bool last = waiter && ended == d->started;
    if (error && !d->error)
        d->error = error;
    if (last)
        d->waiter = NULL;
    /* [pair: done-ended] release: the bytes of a GET, and the error. */
    atomic_store_explicit(&d->ended, ended, memory_order_release);
    if (last && jdi_wait_claim(waiter))
        jdi_wait_end(NULL, waiter, 0);
}

static bool all_ended(const struct jdi_done *d)
{
    /* [pair: done-ended] acquire: the bytes and errors of the transfers. */
    return atomic_load_explicit(&d->ended, memory_order_acquire) == d->started;
}

struct waiting {
    struct jdi_call call;
    struct jdi_wait wait;
    struct jdi_done *done;
};

static void run_done_wait(struct jdi_rank *r, struct jdi_call *call)
{
    struct waiting *w = jdi_container_of(call, struct waiting, call);
    (void)r;
    if (!all_ended(w->done))
        w->done->waiter = &w->wait;
    else if (jdi_wait_claim(&w->wait))
        jdi_wait_end(NULL, &w->wait, 0);
}

static void run_done_give_up(struct jdi_rank *r, struct jdi_call *call)
{
    struct waiting *w = jdi_container_of(call, struct waiting, call);
    (void)r;
    w->done->waiter = NULL;
    jdi_unblock(NULL, w->wait.me);
}

/* The communication thread may look for the wait until it has run the second call, which comes after
 * the first. */
static int wait_for_done(struct waiting *w, jd_time deadline)
{
    jd_self *me = w->wait.me;
    struct jdi_cause why = {
        .kind = JDI_CAUSE_DONE, .number = (uintptr_t)w->done, .deadline = deadline};
    w->call.run = run_done_wait;
    jdi_rank_post(me->rank, &w->call);
    int error = jdi_wait_park(&w->wait, &why);
    if (!error)
        return 0;
    struct waiting leave = {.call.run = run_done_give_up, .wait.me = me, .done = w->done};
    jdi_self_call(me, &jdi_self_asks_comm, &leave.call);
    return error;
}

static int end_of_done(struct jdi_done *d)
{
    int error = d->error;
    d->error = 0;
    return error;
}

int jd_done_wait_until(jd_self *me, jd_done *done, jd_time deadline)
{
    struct waiting w = {.done = jdi_done_of(done)};
    if (all_ended(w.done))
        return end_of_done(w.done);
    int error = jdi_wait_open(&w.wait, me, deadline);
    if (!error)
        error = wait_for_done(&w, deadline);
    return error ? error : end_of_done(w.done);
}

int jd_done_wait(jd_self *me, jd_done *done)
{
    struct waiting w = {.done = jdi_done_of(done)};
    jdi_wait_open_firm(&w.wait, me);
    if (!all_ended(w.done))
        (void)wait_for_done(&w, JD_FOREVER);
    return end_of_done(w.done);
}

int jd_done_test(const jd_done *done)
{
    return all_ended((const struct jdi_done *)(const void *)done);
}
