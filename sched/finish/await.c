/*
 * await.c - tasks that start when futures are set.
 *
 * Role: jd_async_await.
 * Owner: a waiting task: the caller, then the communication thread until its futures are set,
 *        then the hand of its part, for which it is a task like any other.
 * Invariants: I1 a waiting task is counted live in its part from the call on, so part and hand
 *                still exist when the task is pushed.
 *             I2 the task is counted created when it is pushed.
 * Order: calls: [pair: mailbox-head].
 * See: doc/data.md "Tasks that wait for futures"; doc/async.md.
 */
#include "sched/data/future_wait.h"
#include "sched/finish/pool.h"

/* A heap block; the waits follow. */
struct await {
    struct jdi_call call;
    struct jdi_part *part;
    size_t left; /* futures that are not set, plus one while run_await runs */
    size_t nwaits;
    void *spill; /* the argument if it does not fit into a slot */
    jd_task fn;
    uint32_t len;
    _Alignas(JDI_TASK_ALIGN) unsigned char arg[JDI_TASK_ARG_DEFAULT];
    struct one {
        struct jdi_future_wait wait; /* first, for the cast from a request */
        struct await *of;
    } one[];
};

/* Runs on the part's hand, which owns the shelf. */
static void push_awaited(struct jdi_rank *r, struct jdi_call *call)
{
    struct await *w = jdi_container_of(call, struct await, call);
    struct jdi_seat *seat = w->part->hand->any;
    struct jdi_task *t = jdi_store_land(&seat->shelf);
    if (!t)
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for tasks of a finish");
    *t = (struct jdi_task){.id = (uintptr_t)w->part, .fn = w->fn, .len = w->len};
    if (w->spill)
        jdi_task_set_spill(t, w->spill);
    else
        jdi_task_copy(t->arg, w->arg, sizeof w->arg);
    jdi_account_in(&seat->account, 1);
    jdi_free(w);
    jdi_store_arrived(&seat->shelf, 1);
}

static void one_less(struct await *w)
{
    if (--w->left)
        return;
    w->call.run = push_awaited;
    jdi_hand_post(w->part->hand, &w->call);
}

/* The future is set or destroyed, or the finish is cancelled.  No case is told apart here: the task
 * sees the first two, and a cancelled task is dropped where it would start. */
static const char *await_answered(struct jdi_rank *r, struct jdi_request *q,
                                  const struct jdi_answer *a)
{
    struct one *one = (struct one *)(void *)q;
    if (a->len)
        return "a value that nobody has asked for";
    jdi_future_wait_end(r, &one->wait);
    one_less(one->of);
    return NULL;
}

static void run_await(struct jdi_rank *r, struct jdi_call *call)
{
    struct await *w = jdi_container_of(call, struct await, call);
    for (size_t i = 0; i < w->nwaits; i++)
        jdi_future_wait_begin(r, &w->one[i].wait, false, await_answered);
    one_less(w);
}

static int check(const jd_self *me, const jd_future *futures, size_t nfutures, jd_task fn,
                 size_t size)
{
    if (!me->part)
        return JD_ESTATE;
    if (fn >= me->rank->registry.count || (nfutures && !futures))
        return JD_EINVAL;
    for (size_t i = 0; i < nfutures; i++)
        if (!jdi_future_plausible(me->rank, futures[i]))
            return JD_EINVAL;
    return size > JDI_TASK_ARG_MAX ? JD_ETOOBIG : 0;
}

static struct await *new_await(struct jdi_rank *r, size_t nfutures, size_t size)
{
    if (nfutures > SIZE_MAX / 2 / sizeof(struct one))
        return NULL;
    struct await *w =
        jdi_zalloc(&r->am->fault, sizeof *w + nfutures * sizeof(struct one));
    if (!w || size <= JDI_TASK_ARG_DEFAULT)
        return w;
    w->spill = jdi_alloc(&r->am->fault, size);
    if (w->spill)
        return w;
    jdi_free(w);
    return NULL;
}

int jd_async_await(jd_self *me, const jd_future *futures, size_t nfutures, jd_task task,
                   const void *arg, size_t size)
{
    int error = !arg && size ? JD_EINVAL : check(me, futures, nfutures, task, size);
    if (error)
        return error;
    if (!nfutures)
        return jd_async(me, task, arg, size);
    struct await *w = new_await(me->rank, nfutures, size);
    if (!w)
        return JD_ENOMEM;
    w->part = me->part;
    w->fn = task;
    w->len = (uint32_t)size;
    w->nwaits = nfutures;
    w->left = nfutures + 1;
    if (size)
        memcpy(w->spill ? w->spill : w->arg, arg, size);
    for (size_t i = 0; i < nfutures; i++) {
        w->one[i].wait.future = futures[i];
        w->one[i].wait.cancelled = &me->part->root->cancelled;
        w->one[i].of = w;
    }
    w->call.run = run_await;
    me->part->live++;
    jdi_rank_post(me->rank, &w->call);
    return 0;
}
