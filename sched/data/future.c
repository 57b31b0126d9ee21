/*
 * future.c - futures at their home.
 *
 * Role: keeps the values of this rank's futures and the list of who waits; jd_future_create.
 * Owner: the communication thread, but for `fresh` (data.h), where any thread puts futures.
 * Invariants: F1 to F3 of doc/data.md.
 *             I1 `fresh` is emptied before any look-up, so a name that somebody knows is found.
 * Order: [pair: mailbox-head] a new future before whoever looks for it.
 * See: doc/data.md "Futures"; sched/data/future_wait.c is the asker's side.
 */
#include "sched/data/future.h"

#include "sched/data/data.h"
#include "sched/self.h"

#include <string.h>

enum { FUTURE_ARGS = 4 };

/* An asker that waits for the value. */
struct future_waiter {
    struct future_waiter *next;
    struct jdi_asker asker;
    bool with_value;
};

struct future {
    struct jdi_keyed key;    /* first; by number */
    struct jdi_letter fresh; /* in use until the table has the future */
    struct future_waiter *first, **last;
    unsigned char *value; /* NULL: unset */
    uint32_t len;
};

/* ---- finding ------------------------------------------------------------------------ */

static void take_fresh(struct jdi_data *d)
{
    struct jdi_letter *l = jdi_mailbox_take_all(&d->fresh);
    while (l) {
        struct jdi_letter *next = l->next;
        struct future *f =
            (struct future *)(void *)((char *)l - offsetof(struct future, fresh));
        jdi_keyed_put(&d->futures, &f->key);
        l = next;
    }
}

static struct future *find_future(struct jdi_data *d, uint64_t number)
{
    take_fresh(d);
    return (struct future *)(void *)jdi_keyed_find(&d->futures, number, 0);
}

bool jdi_future_plausible(const struct jdi_rank *r, jd_future f)
{
    return f.number && f.home < r->am->nranks;
}

int jd_future_create(jd_self *me, jd_future *out)
{
    struct jdi_rank *r = me->rank;
    struct future *f = jdi_zalloc(&r->am->fault, sizeof *f);
    if (!f)
        return JD_ENOMEM;
    uint64_t number =
        atomic_fetch_add_explicit(&r->data->nfutures, 1, memory_order_relaxed) + 1;
    f->key.key[0] = number;
    f->last = &f->first;
    jdi_mailbox_put(&r->data->fresh, &f->fresh); /* no wake-up: find_future() reads it */
    *out = (jd_future){.number = number, .home = r->am->rank};
    return 0;
}

/* ---- answering ---------------------------------------------------------------------- */

static void tell_waiter(struct jdi_rank *r, const struct future *f,
                        const struct future_waiter *a, const struct jdi_am_in *in)
{
    struct jdi_answer answer = {.word = f->len};
    if (a->with_value && f->len) {
        answer.data = f->value;
        answer.len = f->len;
    }
    jdi_request_answer(r, in, a->asker, &answer);
}

/* Answer everybody who waits: f is set, or (`error`) will never be set. */
static void tell_all(struct jdi_rank *r, struct future *f, int error)
{
    struct future_waiter *a = f->first;
    f->first = NULL;
    f->last = &f->first;
    while (a) {
        struct future_waiter *next = a->next;
        if (error)
            jdi_request_answer(r, NULL, a->asker, &(struct jdi_answer){.error = error});
        else
            tell_waiter(r, f, a, NULL);
        jdi_free(a);
        a = next;
    }
}

static void forget(struct jdi_data *d, struct future *f)
{
    jdi_keyed_remove(&d->futures, &f->key);
    jdi_free(f->value);
    jdi_free(f);
}

/* ---- what is asked of a future ------------------------------------------------------ */

static int set(struct jdi_rank *r, struct future *f, const struct jdi_future_request *o)
{
    if (f->value)
        return JD_ESTATE;
    unsigned char *value = jdi_alloc(&r->am->fault, o->len);
    if (!value)
        return JD_ENOMEM;
    if (o->len)
        memcpy(value, o->data, o->len);
    f->value = value;
    f->len = o->len;
    tell_all(r, f, 0);
    return 0;
}

/* Answer at once if the future is set, else when it will be set. */
static void wait(struct jdi_rank *r, struct future *f, const struct jdi_future_request *o,
                 const struct jdi_am_in *in)
{
    struct future_waiter now = {.asker = o->asker, .with_value = o->word};
    if (f->value) {
        tell_waiter(r, f, &now, in);
        return;
    }
    struct future_waiter *a = jdi_alloc(&r->am->fault, sizeof *a);
    if (!a) {
        jdi_request_answer(r, in, o->asker, &(struct jdi_answer){.error = JD_ENOMEM});
        return;
    }
    *a = now;
    *f->last = a;
    f->last = &a->next;
}

/* Answer and drop an open WAIT.  Returns 1 if there was one. */
static uint64_t drop_wait(struct jdi_rank *r, struct future *f,
                          const struct jdi_future_request *o)
{
    struct future_waiter **at = &f->first;
    while (*at && ((*at)->asker.rank != o->asker.rank || (*at)->asker.request != o->word))
        at = &(*at)->next;
    struct future_waiter *a = *at;
    if (!a)
        return 0;
    *at = a->next;
    if (!*at)
        f->last = at;
    jdi_request_answer(r, NULL, a->asker, &(struct jdi_answer){.error = JD_ECANCELED});
    jdi_free(a);
    return 1;
}

static void carry_out(struct jdi_rank *r, const struct jdi_future_request *o,
                      const struct jdi_am_in *in)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    struct future *f = find_future(r->data, o->number);
    struct jdi_answer a = {.error = f || o->what == JDI_FUTURE_DROP ? 0 : JD_EINVAL};
    if (f && o->what == JDI_FUTURE_WAIT) {
        wait(r, f, o, in);
        return;
    }
    if (f && o->what == JDI_FUTURE_SET)
        a.error = set(r, f, o);
    if (f && o->what == JDI_FUTURE_READY)
        a.word = f->value != NULL;
    if (f && o->what == JDI_FUTURE_DROP)
        a.word = drop_wait(r, f, o);
    if (f && o->what == JDI_FUTURE_DESTROY) {
        tell_all(r, f, JD_EINVAL);
        forget(r->data, f);
    }
    jdi_request_answer(r, in, o->asker, &a);
}

void jdi_future_ask(struct jdi_rank *r, uint32_t home, const struct jdi_future_request *o)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    if (home == r->am->rank) {
        carry_out(r, o, NULL);
        return;
    }
    struct jdi_am_msg m = {.type = JDI_MSG_FUTURE,
                           .nargs = FUTURE_ARGS,
                           .arg = {o->number, o->what, o->asker.request, o->word},
                           .data = o->data,
                           .len = o->len};
    jdi_request_post(r, home, &m);
}

/* Check a FUTURE message.  Returns what is wrong, or NULL. */
static const char *fault_of_future(const struct jdi_future_request *o)
{
    bool wait = o->what == JDI_FUTURE_WAIT, drop = o->what == JDI_FUTURE_DROP;
    if (o->len && o->what != JDI_FUTURE_SET)
        return "a value where none is set";
    if (wait && o->word > 1)
        return "a WAIT neither with nor without the value";
    if (drop && !o->word)
        return "a DROP of no WAIT";
    if (!wait && !drop && o->word)
        return "a word that means nothing";
    return NULL;
}

static void on_future(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    const struct jdi_am_msg *m = in->msg;
    struct jdi_future_request o = {
        .number = JDI_GET(m, FUTURE, number),
        .what = (enum jdi_future_what)JDI_GET(m, FUTURE, what),
        .asker = jdi_request_asker_in(in, JDI_GET(m, FUTURE, request), in->src),
        .word = JDI_GET(m, FUTURE, word),
        .data = m->data,
        .len = m->len};
    const char *fault = fault_of_future(&o);
    if (fault)
        jdi_am_refuse(in, fault);
    jdi_rank_news(r);
    carry_out(r, &o, in);
}

void jdi_future_init(struct jdi_rank *r)
{
    jdi_am_set_handler(r->am, JDI_MSG_FUTURE, on_future, r);
}

/* Free the futures that nobody destroyed.  Nobody waits any more. */
void jdi_future_free_all(struct jdi_rank *r)
{
    struct jdi_keytable *t = &r->data->futures;
    take_fresh(r->data);
    for (uint32_t i = 0; i <= t->mask; i++)
        while (t->bucket[i])
            forget(r->data, (struct future *)(void *)t->bucket[i]);
}
