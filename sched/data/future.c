/*
 * future.c - futures at their home.
 *
 * Role: keeps the values of this rank's futures, and the line of those who listen to each.
 * Owner: a future's fields are under its lock; a value that is set is constant while somebody holds it.
 * Invariants: F1 to F5 of doc/data.md.
 *             I1 no lock is held while somebody is told.
 *             I2 a place is given back when the future has died and nobody holds its value.
 * Order: [pair: lock]; those of sched/names.h.
 * See: doc/data.md "Futures"; sched/data/future_far.c is the side of who asks another rank.
 */
#include "sched/data/future_home.h"

#include "sched/worker.h"

#include <string.h>

bool jdi_future_plausible(const struct jdi_rank *r, jd_future f)
{
    return f.number && f.home < r->am->nranks;
}

static struct jdi_future *future_of(struct jdi_named *o)
{
    return (struct jdi_future *)(void *)o;
}

/* ---- finding ------------------------------------------------------------------------ */

static struct jdi_future *find_in_array(const struct jdi_rank *r, uint64_t number)
{
    const struct jdi_mem *m = jdi_mem_objects(r, jdi_future_array(number));
    uint32_t i = (uint32_t)number;
    return m && i < m->size / sizeof(struct jdi_future) ? jdi_future_of_array(m) + i
                                                        : NULL;
}

/* With the lock of f, or the lock of another one that was found by an old name. */
static bool is_named(const struct jdi_future *f, uint64_t number)
{
    return number & JDI_FUTURE_ARRAY
               ? atomic_load_explicit(&f->named.generation, memory_order_relaxed) ==
                     jdi_future_generation(jdi_future_array(number))
               : jdi_named_is(&f->named, number);
}

static struct jdi_future *lock_in_array(struct jdi_rank *r, uint64_t number)
{
    struct jdi_future *f = find_in_array(r, number);
    if (!f)
        return NULL;
    jdi_lock(&f->named.lock);
    if (is_named(f, number))
        return f;
    jdi_unlock(&f->named.lock);
    return NULL;
}

static struct jdi_future *lock_future(struct jdi_rank *r, uint64_t number)
{
    return JDI_UNLIKELY(number & JDI_FUTURE_ARRAY)
               ? lock_in_array(r, number)
               : future_of(jdi_names_lock(&r->data->futures, number));
}

static void unlock_future(struct jdi_future *f)
{
    jdi_unlock(&f->named.lock);
}

static const unsigned char *value_of(const struct jdi_future *f)
{
    return f->len <= JDI_FUTURE_INLINE ? f->value.bytes : f->value.block;
}

/* What is told of f, which is set or was destroyed.  Held, or under the lock. */
static struct jdi_answer answer_of(const struct jdi_future *f, bool with_value)
{
    if (f->len == JDI_FUTURE_UNSET)
        return (struct jdi_answer){.error = JD_EINVAL};
    struct jdi_answer a = {.word = f->len};
    if (with_value && f->len) {
        a.data = value_of(f);
        a.len = f->len;
    }
    return a;
}

/* ---- life --------------------------------------------------------------------------- */

static struct jdi_names_kept *kept_by(struct jdi_worker *by)
{
    return by ? &by->futures : NULL;
}

unsigned char *jdi_future_forget(struct jdi_future *f)
{
    JD_CHECK(!f->held && !f->listeners.first);
    bool has_block = f->len != JDI_FUTURE_UNSET && f->len > JDI_FUTURE_INLINE;
    f->len = 0;
    return has_block ? f->value.block : NULL;
}

/* Nobody holds f, which has died: free its value, under the lock, which is given up, and give its place back.
 * That of an array may be another array's at once. */
static void give_future(struct jdi_rank *r, struct jdi_worker *by, struct jdi_future *f)
{
    bool in_array = f->named.place == JDI_FUTURE_IN_ARRAY;
    unsigned char *block = jdi_future_forget(f);
    unlock_future(f);
    jdi_free(block);
    if (!in_array)
        jdi_names_give(&r->data->futures, kept_by(by), &f->named);
}

/* Whoever has held f does not any more. */
static void release_future(struct jdi_rank *r, struct jdi_worker *by,
                           struct jdi_future *f)
{
    jdi_lock(&f->named.lock);
    if (!--f->held && !jdi_named_lives(&f->named))
        give_future(r, by, f);
    else
        unlock_future(f);
}

int jd_future_create(jd_self *me, jd_future *out)
{
    struct jdi_rank *r = me->rank;
    struct jdi_named *o = jdi_names_take(&r->data->futures, &me->worker->futures);
    if (!o)
        return JD_ENOMEM;
    JD_ASSERT(!future_of(o)->listeners.first && !future_of(o)->held);
    future_of(o)->len = JDI_FUTURE_UNSET;
    *out = (jd_future){.number = jdi_named_born(o), .home = r->am->rank};
    return 0;
}

/* ---- telling ------------------------------------------------------------------------ */

/* Claim all who listen; under the lock.  Returns a chain of those who are to be told. */
static struct jdi_listener *claim_listeners(struct jdi_future *f)
{
    struct jdi_listener *first = NULL, **last = &first;
    while (f->listeners.first) {
        struct jdi_listener *l =
            jdi_container_of(f->listeners.first, struct jdi_listener, link);
        jdi_line_leave(&f->listeners, &l->link);
        if (!l->ops->claim(l))
            continue;
        l->chain = NULL;
        *last = l;
        last = &l->chain;
    }
    return first;
}

static void tell_listeners(struct jdi_rank *r, struct jdi_worker *by,
                           struct jdi_listener *l, const struct jdi_answer *a)
{
    while (l) {
        struct jdi_listener *next = l->chain;
        l->ops->tell(r, by, l, a);
        l = next;
    }
}

int jdi_future_set(struct jdi_rank *r, struct jdi_worker *by, uint64_t number,
                   const void *value, size_t n)
{
    unsigned char *block = NULL;
    if (n > JDI_FUTURE_INLINE) {
        block = jdi_alloc(&r->am->fault, n);
        if (!block)
            return JD_ENOMEM;
        memcpy(block, value, n);
    }
    struct jdi_future *f = lock_future(r, number);
    bool first = f && f->len == JDI_FUTURE_UNSET;
    if (!first) {
        if (f)
            unlock_future(f);
        jdi_free(block);
        return f ? JD_ESTATE : JD_EINVAL;
    }
    if (block)
        f->value.block = block;
    else if (n)
        memcpy(f->value.bytes, value, n);
    f->len = (uint32_t)n;
    struct jdi_listener *chain = claim_listeners(f);
    f->held += chain != NULL;
    unlock_future(f);
    if (chain) {
        struct jdi_answer a = answer_of(f, true);
        tell_listeners(r, by, chain, &a);
        release_future(r, by, f);
    }
    return 0;
}

void jdi_future_end(struct jdi_rank *r, struct jdi_worker *by, struct jdi_future *f)
{
    struct jdi_listener *chain = claim_listeners(f);
    jdi_named_dies(&f->named);
    if (f->held)
        unlock_future(f);
    else
        give_future(r, by, f);
    tell_listeners(r, by, chain, &(struct jdi_answer){.error = JD_EINVAL});
}

int jdi_future_destroy(struct jdi_rank *r, struct jdi_worker *by, uint64_t number)
{
    struct jdi_future *f = number & JDI_FUTURE_ARRAY ? NULL : lock_future(r, number);
    if (!f)
        return JD_EINVAL;
    jdi_future_end(r, by, f);
    return 0;
}

int jdi_future_ready(struct jdi_rank *r, uint64_t number)
{
    struct jdi_future *f = lock_future(r, number);
    if (!f)
        return JD_EINVAL;
    int set = f->len != JDI_FUTURE_UNSET;
    unlock_future(f);
    return set;
}

/* ---- listening ---------------------------------------------------------------------- */

int jdi_future_take(const struct jdi_answer *a, void *value, size_t *size)
{
    if (a->error)
        return a->error;
    if (!value)
        *size = a->word;
    else if (a->word != *size)
        return JD_EINVAL;
    else if (a->word)
        memcpy(value, a->data, a->word);
    return 0;
}

int jdi_future_fetch(struct jdi_rank *r, struct jdi_worker *by, uint64_t number,
                     void *value, size_t *size, struct jdi_listener *l)
{
    struct jdi_future *f = lock_future(r, number);
    int error = JD_EAGAIN;
    if (!f)
        return JD_EINVAL;
    struct jdi_answer a = answer_of(f, true);
    bool set = !a.error, here = set && f->len <= JDI_FUTURE_INLINE;
    if (here)
        error = jdi_future_take(&a, value, size);
    else if (set)
        f->held++;
    else if (l)
        jdi_line_join(&f->listeners, &l->link);
    unlock_future(f);
    if (set && !here) {
        error = jdi_future_take(&a, value, size);
        release_future(r, by, f);
    }
    return error;
}

int jdi_future_listen(jd_self *me, jd_future f, bool with_value, struct jdi_listener *l)
{
    size_t size;
    l->link.next = NULL;
    l->far = NULL;
    if (f.home != me->rank->am->rank)
        return jdi_future_far_listen(me, f, with_value, l);
    return jdi_future_fetch(me->rank, me->worker, f.number, NULL, &size, l) != JD_EAGAIN;
}

void jdi_future_unlisten(struct jdi_rank *r, jd_future name, struct jdi_listener *l,
                         bool told)
{
    if (l->far)
        jdi_future_far_unlisten(r, l);
    if (l->far || told)
        return;
    /* If it is not there any more, it took all out who listened, under the lock that was just held. */
    struct jdi_future *f = lock_future(r, name.number);
    if (!f)
        return;
    if (jdi_link_is_in(&l->link))
        jdi_line_leave(&f->listeners, &l->link);
    unlock_future(f);
}

/* ---- cases of jd_select ------------------------------------------------------------- */

struct jdi_lock *jdi_future_lock(const struct jdi_rank *r, uint64_t number)
{
    struct jdi_future *f = number & JDI_FUTURE_ARRAY
                               ? find_in_array(r, number)
                               : future_of(jdi_names_at(&r->data->futures, number));
    return f ? &f->named.lock : NULL;
}

static struct jdi_future *future_under(struct jdi_lock *l)
{
    return future_of(jdi_container_of(l, struct jdi_named, lock));
}

bool jdi_future_lives(struct jdi_lock *l, uint64_t number)
{
    return is_named(future_under(l), number);
}

int jdi_future_look(struct jdi_lock *l, void *value, size_t *size)
{
    const struct jdi_future *f = future_under(l);
    struct jdi_answer a = answer_of(f, true);
    return f->len == JDI_FUTURE_UNSET ? JD_EAGAIN : jdi_future_take(&a, value, size);
}

void jdi_future_join(struct jdi_lock *l, struct jdi_listener *listener)
{
    jdi_line_join(&future_under(l)->listeners, &listener->link);
}

/* ---- messages ----------------------------------------------------------------------- */

/* An asker that waits for the value; a heap block. */
struct asking {
    struct jdi_listener listener;
    struct jdi_call call;
    struct jdi_future *future;
    struct jdi_asker asker;
    bool with_value;
};

static struct asking *asking_of(struct jdi_listener *l)
{
    return jdi_container_of(l, struct asking, listener);
}

static bool hold_for_asker(struct jdi_listener *l)
{
    asking_of(l)->future->held++;
    return true;
}

static void answer_asker(struct jdi_rank *r, struct jdi_call *call)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    struct asking *w = jdi_container_of(call, struct asking, call);
    struct jdi_answer a = answer_of(w->future, w->with_value);
    jdi_request_answer(r, NULL, w->asker, &a);
    release_future(r, NULL, w->future);
    jdi_free(w);
}

static void tell_asker(struct jdi_rank *r, struct jdi_worker *by, struct jdi_listener *l,
                       const struct jdi_answer *a)
{
    struct asking *w = asking_of(l);
    (void)
        a; /* it is gone when the communication thread answers, and the future is held */
    if (!by) {
        answer_asker(r, &w->call);
        return;
    }
    w->call.run = answer_asker;
    jdi_rank_post(r, &w->call);
}

static const struct jdi_listener_ops asker_ops = {.claim = hold_for_asker,
                                                  .tell = tell_asker};

/* What another rank asks. */
struct future_order {
    enum jdi_future_what what;
    uint64_t number, word;
    struct jdi_asker asker;
    const void *data;
    uint32_t len;
};

/* Answer at once if the future is set, else when it will be set. */
static void wait_for_asker(struct jdi_rank *r, const struct future_order *o,
                           const struct jdi_am_in *in)
{
    struct asking *w = jdi_zalloc(&r->am->fault, sizeof *w);
    struct jdi_future *f = w ? lock_future(r, o->number) : NULL;
    if (!f) {
        struct jdi_answer none = {.error = w ? JD_EINVAL : JD_ENOMEM};
        jdi_free(w);
        jdi_request_answer(r, in, o->asker, &none);
        return;
    }
    if (f->len != JDI_FUTURE_UNSET) {
        f->held++;
        unlock_future(f);
        jdi_free(w);
        struct jdi_answer a = answer_of(f, o->word);
        jdi_request_answer(r, in, o->asker, &a);
        release_future(r, NULL, f);
        return;
    }
    w->listener.ops = &asker_ops;
    w->future = f;
    w->asker = o->asker;
    w->with_value = o->word;
    jdi_line_join(&f->listeners, &w->listener.link);
    unlock_future(f);
}

/* Take the asker of that WAIT out of the line; NULL: it is not there. */
static struct asking *find_asker(struct jdi_future *f, const struct future_order *o)
{
    struct jdi_link *at = f->listeners.first;
    if (!at)
        return NULL;
    do {
        struct jdi_listener *l = jdi_container_of(at, struct jdi_listener, link);
        struct asking *w = asking_of(l);
        if (l->ops == &asker_ops && w->asker.rank == o->asker.rank &&
            w->asker.request == o->word) {
            jdi_line_leave(&f->listeners, at);
            return w;
        }
    } while ((at = at->next) != f->listeners.first);
    return NULL;
}

/* Answer and drop an open WAIT.  Returns 1 if there was one. */
static uint64_t drop_asker(struct jdi_rank *r, const struct future_order *o)
{
    struct jdi_future *f = lock_future(r, o->number);
    if (!f)
        return 0;
    struct asking *w = find_asker(f, o);
    unlock_future(f);
    if (!w)
        return 0;
    jdi_request_answer(r, NULL, w->asker, &(struct jdi_answer){.error = JD_ECANCELED});
    jdi_free(w);
    return 1;
}

static void carry_out(struct jdi_rank *r, const struct future_order *o,
                      const struct jdi_am_in *in)
{
    struct jdi_answer a = {0};
    int ready;
    switch (o->what) {
    case JDI_FUTURE_WAIT:
        wait_for_asker(r, o, in);
        return;
    case JDI_FUTURE_SET:
        a.error = jdi_future_set(r, NULL, o->number, o->data, o->len);
        break;
    case JDI_FUTURE_READY:
        ready = jdi_future_ready(r, o->number);
        a.error = ready < 0 ? ready : 0;
        a.word = ready > 0;
        break;
    case JDI_FUTURE_DESTROY:
        a.error = jdi_future_destroy(r, NULL, o->number);
        break;
    case JDI_FUTURE_DROP:
        a.word = drop_asker(r, o);
        break;
    }
    jdi_request_answer(r, in, o->asker, &a);
}

/* Check a FUTURE message.  Returns what is wrong, or NULL. */
static const char *fault_of_future(const struct future_order *o)
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
    struct future_order o = {
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
    jdi_names_init(&r->data->futures, sizeof(struct jdi_future), &r->am->fault);
    jdi_am_set_handler(r->am, JDI_MSG_FUTURE, on_future, r);
    jdi_future_case_init(r);
}

static void forget_named(struct jdi_named *o)
{
    jdi_free(jdi_future_forget(future_of(o)));
}

/* Free the futures that nobody destroyed.  Nobody waits any more. */
void jdi_future_free_all(struct jdi_rank *r)
{
    jdi_future_array_free_all(r);
    jdi_names_fini(&r->data->futures, forget_named);
}
