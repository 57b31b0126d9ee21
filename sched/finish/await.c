/*
 * await.c - tasks that start when futures are set, or at a deadline.
 *
 * Role: jd_async_await, jd_async_await_at, jd_then, jd_async_after: waits without a stack.
 * Owner: a waiting task: the caller, then whoever ends its wait, then the hand of its part, for which
 *        it is a task like any other.
 * Invariants: I1 a waiting task is counted live in its part from the call on, so part and hand
 *                still exist when the task is pushed.
 *             I2 the task is counted created when it is pushed.
 *             I3 `left` is lowered once for each future, and whoever makes it 0 may end the wait.
 * Order: [pair: await-left]; calls: [pair: mailbox-head].
 * See: doc/data.md "Tasks that wait to begin"; doc/async.md; sched/wait/wait.h.
 */
#include "sched/data/future.h"
#include "sched/finish/label.h"
#include "sched/finish/pool.h"
#include "sched/finish/wire.h"
#include "sched/inspect.h"
#include "sched/wait/wait.h"

/* A heap block.  There may be very many, so it is small: doc/data.md says how large. */
struct await {
    union {
        struct jdi_wait wait;
        struct jdi_call call; /* once the wait has ended */
    };
    struct jdi_part *part;
    _Atomic uint32_t
        left; /* futures that are not set, and one while the caller sets up */
    uint32_t nfutures;
    uint32_t rank; /* where the task runs; ANYWHERE */
    uint32_t len;
    jd_task fn;
    bool spilled;
    bool labelled; /* the argument begins with a struct jdi_label */
    _Alignas(JDI_TASK_ALIGN) union {
        unsigned char inside[JDI_TASK_ARG_DEFAULT];
        void *spill;
    } arg;
    struct await_future {
        struct jdi_listener listener;
        uint64_t number; /* of the future, and its home */
        uint32_t home;
        uint32_t listens : 1, index : 31; /* in this array */
    } future[];
};
_Static_assert(sizeof(struct await) + sizeof(struct await_future) <= 232,
               "with the heap's own word a wait for one future takes 240 bytes");

enum { ANYWHERE = UINT32_MAX };

/* ---- the end of a wait ---------------------------------------------------------------- */

/* Take all listeners away.  `told`: each has been claimed. */
static void unlisten_all(struct jdi_rank *r, struct await *w, bool told)
{
    for (uint32_t i = 0; i < w->nfutures; i++) {
        struct await_future *f = &w->future[i];
        if (f->listens)
            jdi_future_unlisten(r, (jd_future){.number = f->number, .home = f->home},
                                &f->listener, told);
    }
}

static void free_await(struct await *w)
{
    if (w->spilled)
        jdi_free(w->arg.spill);
    jdi_free(w);
}

/* Runs on the part's hand, which owns the shelf. */
static void push_awaited(struct jdi_rank *r, struct jdi_call *call)
{
    struct await *w = jdi_container_of(call, struct await, call);
    bool here = w->rank != ANYWHERE;
    struct jdi_hand *hand = w->part->hand;
    struct jdi_seat *seat = here ? hand->here : hand->any;
    struct jdi_task head = {.id = (uintptr_t)w->part, .fn = w->fn, .len = w->len};
    head.flags = w->labelled ? JDI_TASK_LABELLED : 0;
    if (here && w->rank != r->am->rank) {
        const void *arg = w->spilled ? w->arg.spill : w->arg.inside;
        if (jdi_wire_send_counted(w->part, w->rank, &head, arg))
            jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for tasks of a finish");
        free_await(w);
        return;
    }
    struct jdi_task *t = jdi_store_land(&seat->shelf);
    if (!t)
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for tasks of a finish");
    *t = head;
    if (w->spilled)
        jdi_task_set_spill(t, w->arg.spill);
    else
        jdi_task_copy(t->arg, w->arg.inside, sizeof w->arg.inside);
    jdi_account_in(&seat->account, 1);
    jdi_free(w);
    jdi_store_arrived(&seat->shelf, 1);
}

/* A future that was destroyed, and a finish that was cancelled, are not told apart from one that is
 * set: the task sees the first, and a cancelled task is dropped where it would start. */
static void start_awaited(struct jdi_worker *by, struct jdi_wait *wait)
{
    struct await *w = jdi_container_of(wait, struct await, wait);
    struct jdi_hand *hand = w->part->hand;
    jdi_wait_close(&w->wait);
    unlisten_all(hand->rank, w, w->wait.result == 0);
    w->call.run = push_awaited;
    if (by && by == hand->worker)
        push_awaited(hand->rank, &w->call);
    else
        jdi_hand_post(hand, &w->call);
}

/* The wait has not ended.  A task that starts later has a deadline, the others have futures. */
static void describe_await(const struct jdi_wait *wait, struct jdi_waiting *to)
{
    const struct await *w = jdi_container_of(wait, const struct await, wait);
    const struct jdi_rank *r = w->part->hand->rank;
    to->task = r->registry.row[w->fn].name;
    to->finish = w->part->root->id;
    to->cause = (struct jdi_cause){.kind = JDI_CAUSE_SLEEP, .deadline = wait->timer.at};
    if (!w->nfutures)
        return;
    to->cause.kind = w->nfutures > 1 ? JDI_CAUSE_FUTURES : JDI_CAUSE_FUTURE;
    to->cause.home = w->future[0].home;
    to->cause.number = w->future[0].number;
}

static const struct jdi_wait_ops await_ops = {.done = start_awaited,
                                              .describe = describe_await};

/* True if that was the last one, and nothing else has ended the wait. */
static bool one_less(struct await *w)
{
    /* [pair: await-left] release and acquire: the last one uses the block after all others. */
    return atomic_fetch_sub_explicit(&w->left, 1, memory_order_acq_rel) == 1 &&
           jdi_wait_claim(&w->wait);
}

static struct await *await_of(struct jdi_listener *l)
{
    struct await_future *f = jdi_container_of(l, struct await_future, listener);
    return jdi_container_of(f - f->index, struct await, future[0]);
}

static bool claim_awaiter(struct jdi_listener *l)
{
    return one_less(await_of(l));
}

static void tell_awaiter(struct jdi_rank *r, struct jdi_worker *by,
                         struct jdi_listener *l, const struct jdi_answer *a)
{
    (void)r, (void)a;
    jdi_wait_end(by, &await_of(l)->wait, 0);
}

static const struct jdi_listener_ops awaiter_ops = {
    .claim = claim_awaiter, .tell = tell_awaiter, .blind = true};

/* ---- the beginning -------------------------------------------------------------------- */

/* What is spawned, and where. */
struct spawn {
    jd_task fn;
    uint32_t rank;
    const void *arg;
    size_t size;
};

static int spawn_now(jd_self *me, const struct spawn *s)
{
    return s->rank == ANYWHERE ? jd_async(me, s->fn, s->arg, s->size)
                               : jd_async_at(me, s->rank, s->fn, s->arg, s->size);
}

static int check_later(const jd_self *me, const struct spawn *s)
{
    if (!s->arg && s->size)
        return JD_EINVAL;
    if (!me->part)
        return JD_ESTATE;
    if (s->fn >= me->rank->registry.count ||
        (s->rank != ANYWHERE && s->rank >= me->rank->am->nranks))
        return JD_EINVAL;
    return s->size > JDI_TASK_ARG_MAX ? JD_ETOOBIG : 0;
}

static struct await *new_await(jd_self *me, const struct spawn *s, size_t nfutures)
{
    struct jdi_fault *fault = &me->rank->am->fault;
    struct await *w = NULL;
    if (nfutures < INT32_MAX && nfutures <= SIZE_MAX / 2 / sizeof(struct await_future))
        w = jdi_alloc_small(fault, sizeof *w + nfutures * sizeof(struct await_future));
    if (!w)
        return NULL;
    w->part = me->part;
    w->nfutures = (uint32_t)nfutures;
    w->rank = s->rank;
    struct jdi_label n;
    size_t head = jdi_label_new(me, &n);
    w->len = (uint32_t)(head + s->size);
    w->fn = s->fn;
    w->spilled = w->len > JDI_TASK_ARG_DEFAULT;
    w->labelled = head;
    atomic_init(&w->left, w->nfutures + 1);
    if (w->spilled && !(w->arg.spill = jdi_alloc(fault, w->len))) {
        jdi_free(w);
        return NULL;
    }
    unsigned char *arg = w->spilled ? w->arg.spill : w->arg.inside;
    if (head)
        memcpy(arg, &n, head);
    if (s->size)
        memcpy(arg + head, s->arg, s->size);
    return w;
}

/* Listen to all futures.  A future that cannot be asked for want of memory ends the wait as well, and
 * nothing was spawned. */
static int listen_to_all(jd_self *me, struct await *w, const jd_future *futures)
{
    for (uint32_t i = 0; i < w->nfutures; i++)
        w->future[i] = (struct await_future){.listener.ops = &awaiter_ops,
                                             .number = futures[i].number,
                                             .home = futures[i].home,
                                             .listens = true,
                                             .index = i};
    for (uint32_t i = 0; i < w->nfutures; i++) {
        int error = jdi_future_listen(me, futures[i], false, &w->future[i].listener);
        if (!error)
            continue;
        w->future[i].listens = false;
        if (error < 0) {
            w->nfutures = i; /* the others do not listen yet */
            return error;
        }
        (void)one_less(w); /* never the last one, because the caller is one more */
    }
    return 0;
}

/* Take back what listens.  Some may have been told, but none of these has ended the wait. */
static void give_up_all(jd_self *me, struct await *w)
{
    unlisten_all(me->rank, w, false);
    free_await(w);
}

static int spawn_later(jd_self *me, const struct spawn *s, const jd_future *futures,
                       size_t nfutures, jd_time deadline)
{
    struct await *w = new_await(me, s, nfutures);
    if (!w)
        return JD_ENOMEM;
    int error = jdi_wait_open(&w->wait, me, deadline);
    if (error) {
        free_await(w);
        return error == JD_ENOMEM ? error : spawn_now(me, s);
    }
    jdi_wait_be_of_none(&w->wait, &await_ops);
    error = listen_to_all(me, w, futures);
    if (error) {
        give_up_all(me, w);
        return error;
    }
    me->part->live++;
    if (nfutures && one_less(w))
        jdi_wait_end(me->worker, &w->wait, 0);
    jdi_wait_arm(me->worker, &w->wait);
    return 0;
}

/* ---- public -------------------------------------------------------------------------- */

static int await_futures(jd_self *me, const struct spawn *s, const jd_future *futures,
                         size_t nfutures)
{
    int error = check_later(me, s);
    if (error || (nfutures && !futures))
        return error ? error : JD_EINVAL;
    for (size_t i = 0; i < nfutures; i++)
        if (!jdi_future_plausible(me->rank, futures[i]))
            return JD_EINVAL;
    return nfutures ? spawn_later(me, s, futures, nfutures, JD_FOREVER)
                    : spawn_now(me, s);
}

int jd_async_await(jd_self *me, const jd_future *futures, size_t nfutures, jd_task task,
                   const void *arg, size_t size)
{
    struct spawn s = {task, ANYWHERE, arg, size};
    return await_futures(me, &s, futures, nfutures);
}

int jd_async_await_at(jd_self *me, uint32_t rank, const jd_future *futures,
                      size_t nfutures, jd_task task, const void *arg, size_t size)
{
    struct spawn s = {task, rank, arg, size};
    return rank == ANYWHERE ? JD_EINVAL : await_futures(me, &s, futures, nfutures);
}

int jd_then(jd_self *me, jd_future future, jd_task task, const void *arg, size_t size)
{
    return jd_async_await(me, &future, 1, task, arg, size);
}

int jd_async_after(jd_self *me, jd_time deadline, jd_task task, const void *arg,
                   size_t size)
{
    struct spawn s = {task, ANYWHERE, arg, size};
    int error = check_later(me, &s);
    return error ? error : spawn_later(me, &s, NULL, 0, deadline);
}
