/*
 * future_far.c - futures whose home is another rank.
 *
 * Role: asks the home: a wait, which its listener may give up, and what is answered at once.
 * Owner: a struct jdi_future_far: `listener` and `refs` under its lock, the rest the communication thread.
 * Invariants: I1 a WAIT has two references: its request's, from when it is asked until the answer, and its
 *                listener's, until that has given up or gone on; the latter's may pass to the call that
 *                sends DROP.
 *             I2 a listener is claimed once, by the answer to its WAIT, under the lock.
 *             I3 at most one DROP is under way for a WAIT.
 * Order: [pair: lock]; calls: [pair: mailbox-head].
 * See: doc/data.md "Futures", "Cancellation"; sched/data/future.c is the home's side.
 */
#include "sched/data/data.h"
#include "sched/data/future.h"
#include "sched/task.h"
#include "sched/unblock.h"

enum { FUTURE_ARGS = 4 };

static void send_future(struct jdi_rank *r, const struct jdi_request *q, jd_future f,
                        enum jdi_future_what what, uint64_t word, const void *data,
                        uint32_t len)
{
    struct jdi_am_msg m = {.type = JDI_MSG_FUTURE,
                           .nargs = FUTURE_ARGS,
                           .arg = {f.number, what, q->key.key[0], word},
                           .data = data,
                           .len = len};
    JD_ASSERT(f.home != r->am->rank);
    jdi_request_post(r, f.home, &m);
}

/* ---- a wait that can be given up ------------------------------------------------------ */

/* A heap block. */
struct jdi_future_far {
    struct jdi_request request; /* first, for the cast from a request */
    struct jdi_call begin, give_up;
    struct jdi_lock lock;
    unsigned refs;                 /* I1 */
    struct jdi_listener *listener; /* NULL: claimed, or it has given up */
    jd_future future;
    bool with_value;
};

/* A DROP under way; a heap block. */
struct dropping {
    struct jdi_request request; /* first, as above */
    jd_future future;
    uint64_t wait; /* the number of the WAIT's request */
};

/* Under the lock, which is given up.  The block may be gone when this returns. */
static void unlock_and_release(struct jdi_future_far *w)
{
    bool last = !--w->refs;
    jdi_unlock(&w->lock);
    if (last)
        jdi_free(w);
}

static const char *drop_answered(struct jdi_rank *r, struct jdi_request *q,
                                 const struct jdi_answer *a);
static const char *far_answered(struct jdi_rank *r, struct jdi_request *q,
                                const struct jdi_answer *a);

static void send_drop(struct jdi_rank *r, jd_future f, uint64_t wait)
{
    struct dropping *d = jdi_zalloc(&r->am->fault, sizeof *d);
    if (!d)
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for a cancellation");
    d->future = f;
    d->wait = wait;
    jdi_request_open(r, &d->request, JDI_MSG_FUTURE, f.home, drop_answered);
    send_future(r, &d->request, f, JDI_FUTURE_DROP, wait, NULL, 0);
}

/* Send the DROP again if it has overtaken its WAIT. */
static const char *drop_answered(struct jdi_rank *r, struct jdi_request *q,
                                 const struct jdi_answer *a)
{
    struct dropping *d = (struct dropping *)(void *)q;
    bool again = !a->word && jdi_request_find(r, d->wait);
    if (a->error || a->len || a->word > 1)
        return "an answer to a DROP that none can have";
    jdi_request_close(r, q);
    if (again)
        send_drop(r, d->future, d->wait);
    jdi_free(d);
    return NULL;
}

static void begin_wait(struct jdi_rank *r, struct jdi_call *call)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    struct jdi_future_far *w = jdi_container_of(call, struct jdi_future_far, begin);
    jdi_request_open(r, &w->request, JDI_MSG_FUTURE, w->future.home, far_answered);
    send_future(r, &w->request, w->future, JDI_FUTURE_WAIT, w->with_value, NULL, 0);
}

static const char *far_answered(struct jdi_rank *r, struct jdi_request *q,
                                const struct jdi_answer *a)
{
    struct jdi_future_far *w = (struct jdi_future_far *)(void *)q;
    if (a->word > JDI_TASK_ARG_MAX || (a->error && a->word) ||
        a->len != (w->with_value ? a->word : 0))
        return "a value of another size";
    jdi_request_close(r, q);
    jdi_lock(&w->lock);
    struct jdi_listener *l = w->listener;
    if (l && l->ops->blind && a->error == JD_ENOMEM) {
        jdi_unlock(&w->lock);
        begin_wait(r, &w->begin);
        return NULL;
    }
    w->listener = NULL;
    bool told = l && l->ops->claim(l);
    unlock_and_release(w);
    if (told)
        l->ops->tell(r, NULL, l, a);
    return NULL;
}

/* Comes after begin_wait, which was posted before. */
static void give_up_wait(struct jdi_rank *r, struct jdi_call *call)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    struct jdi_future_far *w = jdi_container_of(call, struct jdi_future_far, give_up);
    jdi_lock(&w->lock);
    bool open = w->refs == 2;
    uint64_t wait = w->request.key.key[0];
    jd_future f = w->future;
    unlock_and_release(w);
    if (open)
        send_drop(r, f, wait);
}

int jdi_future_far_prepare(jd_self *me, jd_future f, bool with_value,
                           struct jdi_listener *l)
{
    struct jdi_future_far *w = jdi_alloc(&me->rank->am->fault, sizeof *w);
    if (!w)
        return JD_ENOMEM;
    w->begin.run = begin_wait;
    w->give_up.run = give_up_wait;
    jdi_lock_init(&w->lock);
    w->refs = 1;
    w->listener = l;
    w->future = f;
    w->with_value = with_value;
    l->far = w;
    return 0;
}

void jdi_future_far_begin(jd_self *me, struct jdi_listener *l)
{
    l->far->refs++;
    jdi_rank_post(me->rank, &l->far->begin);
}

int jdi_future_far_listen(jd_self *me, jd_future f, bool with_value,
                          struct jdi_listener *l)
{
    int error = jdi_future_far_prepare(me, f, with_value, l);
    if (!error)
        jdi_future_far_begin(me, l);
    return error;
}

void jdi_future_far_unlisten(struct jdi_rank *r, struct jdi_listener *l)
{
    struct jdi_future_far *w = l->far;
    jdi_lock(&w->lock);
    w->listener = NULL;
    if (w->refs == 1) {
        unlock_and_release(w);
        return;
    }
    jdi_unlock(&w->lock); /* the reference is that of the call from now on */
    jdi_rank_post(r, &w->give_up);
}

/* ---- what is answered at once --------------------------------------------------------- */

/* Lies on the stack of the ULT that asks. */
struct future_call {
    struct jdi_call call;
    struct jdi_request request;
    jd_future future;
    enum jdi_future_what what;
    jd_self *me;
    const void *value; /* SET only, as the next */
    uint32_t len;
    int result;
};

static const char *future_answered(struct jdi_rank *r, struct jdi_request *request,
                                   const struct jdi_answer *a)
{
    struct future_call *q = jdi_container_of(request, struct future_call, request);
    if (a->len || a->word > (q->what == JDI_FUTURE_READY))
        return "an answer of another kind";
    q->result = a->error ? a->error : (int)a->word;
    jdi_request_close(r, request);
    jdi_unblock(NULL, q->me);
    return NULL;
}

static void run_future_call(struct jdi_rank *r, struct jdi_call *call)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    struct future_call *q = jdi_container_of(call, struct future_call, call);
    jdi_request_open(r, &q->request, JDI_MSG_FUTURE, q->future.home, future_answered);
    send_future(r, &q->request, q->future, q->what, 0, q->value, q->len);
}

int jdi_future_far_ask(jd_self *me, jd_future f, enum jdi_future_what what,
                       const void *value, size_t n)
{
    struct future_call q = {.call.run = run_future_call,
                            .future = f,
                            .what = what,
                            .me = me,
                            .value = value,
                            .len = (uint32_t)n};
    struct jdi_cause why = {.kind = JDI_CAUSE_ANSWER,
                            .home = f.home,
                            .number = f.number,
                            .deadline = JD_FOREVER};
    jdi_self_call(me, &why, &q.call);
    return q.result;
}
