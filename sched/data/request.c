/*
 * request.c - what this rank asks of another rank, or of its own communication thread.
 *
 * Role: the table of open requests; sending and receiving ANSWER.
 * Owner: the communication thread.
 * Invariants: I1 and I2 of request.h.
 * Order: a ULT's request comes by a call: [pair: mailbox-head].
 * See: doc/data.md "Requests".
 */
#include "sched/data/request.h"

#include "sched/data/data.h"

void jdi_request_open(struct jdi_rank *r, struct jdi_request *q, uint8_t what,
                      uint32_t home,
                      const char *(*answered)(struct jdi_rank *, struct jdi_request *,
                                              const struct jdi_answer *))
{
    JD_ASSERT(jdi_rank_is_comm(r));
    q->key.key[0] = ++r->data->nrequests;
    q->key.key[1] = 0;
    q->home = q->target = home;
    q->what = what;
    q->answered = answered;
    jdi_keyed_put(&r->data->requests, &q->key);
}

void jdi_request_close(struct jdi_rank *r, struct jdi_request *q)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    jdi_keyed_remove(&r->data->requests, &q->key);
}

struct jdi_request *jdi_request_find(struct jdi_rank *r, uint64_t number)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    return (struct jdi_request *)(void *)jdi_keyed_find(&r->data->requests, number, 0);
}

struct jdi_asker jdi_request_asker(const struct jdi_rank *r, const struct jdi_request *q)
{
    return (struct jdi_asker){q->key.key[0], r->am->rank, r->am->rank, q->what};
}

static void must(struct jdi_rank *r, int error)
{
    if (error)
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for a message");
}

void jdi_request_post(struct jdi_rank *r, uint32_t dst, const struct jdi_am_msg *m)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    must(r, jdi_am_post(r->am, dst, m));
}

void jdi_request_post_in_place(struct jdi_rank *r, uint32_t dst,
                               const struct jdi_am_msg *m)
{
    must(r, jdi_am_post_in_place(r->am, dst, m));
}

/* Does the request wait for an answer of rank src to the message that `as` says?  The answer to a
 * COPY comes from its source, or from its target, to which the source has named the request. */
static bool is_awaited(const struct jdi_rank *r, const struct jdi_request *q,
                       uint32_t src, const struct jdi_asker *as)
{
    bool by_target = q->what == JDI_MSG_COPY && as->what == JDI_MSG_PUT;
    if (by_target)
        return src == q->target && as->namer == q->home;
    return as->what == q->what && src == q->home && as->namer == r->am->rank;
}

static const char *deliver_answer(struct jdi_rank *r, uint32_t src,
                                  const struct jdi_asker *as, const struct jdi_answer *a)
{
    struct jdi_request *q = jdi_request_find(r, as->request);
    if (!q || !is_awaited(r, q, src, as))
        return "no such request";
    return q->answered(r, q, a);
}

void jdi_request_answer(struct jdi_rank *r, const struct jdi_am_in *in,
                        struct jdi_asker to, const struct jdi_answer *a)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    if (to.rank == r->am->rank) {
        JD_CHECK(!deliver_answer(r, to.rank, &to, a));
        return;
    }
    struct jdi_am_msg m = {.type = JDI_MSG_ANSWER,
                           .nargs = 4,
                           .arg = {to.request, (uint64_t)(int64_t)a->error, a->word,
                                   to.namer | (uint64_t)to.what << 32},
                           .data = a->data,
                           .len = a->len};
    if (!in || !in->token || in->src != to.rank)
        jdi_request_post(r, to.rank, &m);
    else
        must(r, jdi_am_reply(in, &m));
}

/* If the answer is wrong, the sender or the rank that named the request to the sender is at fault.
 * The text names both. */
static void on_answer(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    const struct jdi_am_msg *m = in->msg;
    struct jdi_answer a = {.error = (int)(int64_t)JDI_GET(m, ANSWER, error),
                           .word = JDI_GET(m, ANSWER, word),
                           .data = m->data,
                           .len = m->len};
    struct jdi_asker as = {.request = JDI_GET(m, ANSWER, request),
                           .namer = (uint32_t)JDI_GET(m, ANSWER, namer),
                           .what = (uint8_t)JDI_GET(m, ANSWER, what)};
    jdi_rank_news(r);
    const char *fault = deliver_answer(r, in->src, &as, &a);
    if (fault)
        jdi_am_peer_fault(r->am, in->src, m->type,
                          "%s; or else rank %u sent it a bad %s, with request %llu",
                          fault, as.namer, jdi_am_messages_form(as.what)->name,
                          (unsigned long long)as.request);
}

void jdi_request_init(struct jdi_rank *r)
{
    jdi_am_set_handler(r->am, JDI_MSG_ANSWER, on_answer, r);
}
