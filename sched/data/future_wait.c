/*
 * future_wait.c - those who wait for futures, and the calls that ask a future's home.
 *
 * Role: jd_future_set, get, wait, ready, destroy; the end of waits in a cancelled finish.
 * Owner: of a struct future_call: its ULT until it is posted, then the communication thread.
 * Invariants: I1 a wait is in data->waits exactly while it has no answer and belongs to a finish
 *                that can be cancelled.
 *             I2 at most one DROP is under way for a wait.
 * Order: calls: [pair: mailbox-head]; the mark of a part is relaxed, and whoever sets the mark
 *        calls jdi_future_wait_cancelled afterwards.
 * See: doc/data.md "Futures", "Cancellation"; sched/data/future.c is the home's side.
 */
#include "sched/data/future_wait.h"

#include "sched/data/data.h"
#include "sched/task.h"
#include "sched/unblock.h"

#include <string.h>

/* ---- waits -------------------------------------------------------------------------- */

/* A DROP under way; a heap block. */
struct dropping {
    struct jdi_request request; /* first, for the cast from a request */
    uint64_t wait;              /* the number of the WAIT's request */
};

static const char *drop_answered(struct jdi_rank *r, struct jdi_request *q,
                                 const struct jdi_answer *a);

static void send_drop(struct jdi_rank *r, struct jdi_future_wait *w)
{
    struct dropping *d = jdi_zalloc(&r->am->fault, sizeof *d);
    if (!d)
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for a cancellation");
    w->dropping = true;
    d->wait = w->request.key.key[0];
    jdi_request_open(r, &d->request, JDI_MSG_FUTURE, w->future.home, drop_answered);
    struct jdi_future_request o = {.what = JDI_FUTURE_DROP,
                                   .number = w->future.number,
                                   .asker = jdi_request_asker(r, &d->request),
                                   .word = d->wait};
    jdi_future_ask(r, w->future.home, &o);
}

/* Send the DROP again if it has overtaken its WAIT. */
static const char *drop_answered(struct jdi_rank *r, struct jdi_request *q,
                                 const struct jdi_answer *a)
{
    struct dropping *d = (struct dropping *)(void *)q;
    struct jdi_future_wait *w =
        (struct jdi_future_wait *)(void *)jdi_request_find(r, d->wait);
    bool again = !a->word && w;
    if (a->error || a->len || a->word > 1)
        return "an answer to a DROP that none can have";
    jdi_request_close(r, q);
    jdi_free(d);
    if (again)
        send_drop(r, w);
    return NULL;
}

static void list(struct jdi_data *d, struct jdi_future_wait *w)
{
    w->next = d->waits;
    w->link = &d->waits;
    if (d->waits)
        d->waits->link = &w->next;
    d->waits = w;
}

static bool is_cancelled(const struct jdi_future_wait *w)
{
    return w->cancelled && atomic_load_explicit(w->cancelled, memory_order_relaxed);
}

void jdi_future_wait_begin(struct jdi_rank *r, struct jdi_future_wait *w, bool with_value,
                           const char *(*answered)(struct jdi_rank *,
                                                   struct jdi_request *,
                                                   const struct jdi_answer *))
{
    JD_ASSERT(jdi_rank_is_comm(r));
    jdi_request_open(r, &w->request, JDI_MSG_FUTURE, w->future.home, answered);
    uint64_t number = w->request.key.key[0];
    w->dropping = false;
    if (w->cancelled)
        list(r->data, w);
    struct jdi_future_request o = {.what = JDI_FUTURE_WAIT,
                                   .number = w->future.number,
                                   .asker = jdi_request_asker(r, &w->request),
                                   .word = with_value};
    jdi_future_ask(r, w->future.home, &o);
    /* The wait may have been answered meanwhile; then w is gone. */
    w = (struct jdi_future_wait *)(void *)jdi_request_find(r, number);
    if (w && is_cancelled(w))
        send_drop(r, w);
}

void jdi_future_wait_end(struct jdi_rank *r, struct jdi_future_wait *w)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    jdi_request_close(r, &w->request);
    if (!w->cancelled)
        return;
    *w->link = w->next;
    if (w->next)
        w->next->link = w->link;
}

void jdi_future_wait_cancelled(struct jdi_rank *r)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    for (struct jdi_future_wait *w = r->data->waits, *next; w; w = next) {
        next = w->next; /* an answer inside removes w, but no other wait */
        if (!w->dropping && is_cancelled(w))
            send_drop(r, w);
    }
}

/* ---- requests of a ULT -------------------------------------------------------------- */

/* What a ULT asks; lies on the stack of that ULT. */
struct future_call {
    struct jdi_call call;
    struct jdi_future_wait wait; /* only a WAIT uses more than `request` and `future` */
    enum jdi_future_what what;
    jd_self *me;
    const void *data; /* SET only */
    void *value;      /* room for `size` bytes; NULL: only the size is wanted */
    size_t size;
    int error;
};

static struct future_call *future_call_of(struct jdi_request *q)
{
    return (struct future_call *)(void *)((char *)q - offsetof(struct future_call, wait));
}

static const char *future_answered(struct jdi_rank *r, struct jdi_request *request,
                                   const struct jdi_answer *a)
{
    struct future_call *q = future_call_of(request);
    if (a->len || a->word > (q->what == JDI_FUTURE_READY))
        return "an answer of another kind";
    q->error = a->error ? a->error : (int)a->word;
    jdi_request_close(r, request);
    jdi_unblock(NULL, q->me);
    return NULL;
}

static const char *wait_answered(struct jdi_rank *r, struct jdi_request *request,
                                 const struct jdi_answer *a)
{
    struct future_call *q = future_call_of(request);
    bool value = q->value != NULL;
    if (a->word > JDI_TASK_ARG_MAX || (a->error && a->word) ||
        a->len != (value ? a->word : 0))
        return "a value of another size";
    q->error = a->error;
    if (value && !a->error && a->word != q->size)
        q->error = JD_EINVAL;
    if (!value)
        q->size = a->word;
    else if (!q->error && a->len)
        memcpy(q->value, a->data, a->len);
    jdi_future_wait_end(r, &q->wait);
    jdi_unblock(NULL, q->me);
    return NULL;
}

static void run_future_call(struct jdi_rank *r, struct jdi_call *call)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    struct future_call *q = jdi_container_of(call, struct future_call, call);
    if (q->what == JDI_FUTURE_WAIT) {
        jdi_future_wait_begin(r, &q->wait, q->value != NULL, wait_answered);
        return;
    }
    jdi_request_open(r, &q->wait.request, JDI_MSG_FUTURE, q->wait.future.home,
                     future_answered);
    struct jdi_future_request o = {.what = q->what,
                                   .number = q->wait.future.number,
                                   .asker = jdi_request_asker(r, &q->wait.request),
                                   .data = q->data,
                                   .len = (uint32_t)q->size};
    jdi_future_ask(r, q->wait.future.home, &o);
}

static int ask_home(jd_self *me, jd_future future, struct future_call *q)
{
    if (!jdi_future_plausible(me->rank, future))
        return JD_EINVAL;
    q->call.run = run_future_call;
    q->me = me;
    q->wait.future = future;
    jdi_self_call(me, &q->call);
    return q->error;
}

int jd_future_set(jd_self *me, jd_future future, const void *value, size_t n)
{
    if (n > JDI_TASK_ARG_MAX)
        return JD_ETOOBIG;
    if (n && !value)
        return JD_EINVAL;
    struct future_call q = {.what = JDI_FUTURE_SET, .data = value, .size = n};
    return ask_home(me, future, &q);
}

int jd_future_get(jd_self *me, jd_future future, void *value, size_t n)
{
    unsigned char none;
    if (n && !value)
        return JD_EINVAL;
    struct future_call q = {.what = JDI_FUTURE_WAIT, .size = n};
    q.wait.cancelled = jdi_rank_mark(me);
    q.value = n ? value : &none;
    return ask_home(me, future, &q);
}

int jd_future_wait(jd_self *me, jd_future future, size_t *size)
{
    struct future_call q = {.what = JDI_FUTURE_WAIT};
    q.wait.cancelled = jdi_rank_mark(me);
    int error = ask_home(me, future, &q);
    if (!error && size)
        *size = q.size;
    return error;
}

int jd_future_ready(jd_self *me, jd_future future)
{
    struct future_call q = {.what = JDI_FUTURE_READY};
    return ask_home(me, future, &q);
}

int jd_future_destroy(jd_self *me, jd_future future)
{
    struct future_call q = {.what = JDI_FUTURE_DESTROY};
    return ask_home(me, future, &q);
}
