/*
 * request.c - questions to other ranks, and to the communication thread of the own.
 *
 * Role: see request.h.
 * Owner: the communication thread.
 * Invariants: I1 and I2 of request.h.
 * Order: none of its own; a ULT's request comes by letter: [pair: mailbox-head].
 * See: doc/data.md "Requests".
 */
#include "sched/data/request.h"

#include "sched/data/data.h"

enum { ANSWER_ARGS = 3 };

void jdi_request_open(struct jdi_rank *r, struct jdi_request *q,
                      bool (*answered)(struct jdi_rank *, struct jdi_request *,
                                       const struct jdi_answer *))
{
    q->key.key[0] = ++r->data->nrequests;
    q->key.key[1] = 0;
    q->answered = answered;
    jdi_keyed_put(&r->data->requests, &q->key);
}

void jdi_request_close(struct jdi_rank *r, struct jdi_request *q)
{
    jdi_keyed_remove(&r->data->requests, &q->key);
}

struct jdi_request *jdi_request_find(struct jdi_rank *r, uint64_t number)
{
    return (struct jdi_request *)(void *)jdi_keyed_find(&r->data->requests, number, 0);
}

struct jdi_asker jdi_request_asker(const struct jdi_rank *r, const struct jdi_request *q)
{
    return (struct jdi_asker){.request = q->key.key[0], .rank = r->am->rank};
}

void jdi_request_malformed(struct jdi_rank *r, uint32_t src)
{
    jdi_die(&r->am->log, JDI_EXIT_BUG, "malformed message about data from rank %u", src);
}

static void must(struct jdi_rank *r, int error)
{
    if (error)
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for a message");
}

void jdi_request_post(struct jdi_rank *r, uint32_t dst, const struct jdi_am_msg *m)
{
    must(r, jdi_am_post(r->am, dst, m));
}

void jdi_request_post_in_place(struct jdi_rank *r, uint32_t dst,
                               const struct jdi_am_msg *m)
{
    must(r, jdi_am_post_in_place(r->am, dst, m));
}

static void deliver(struct jdi_rank *r, uint32_t src, uint64_t number,
                    const struct jdi_answer *a)
{
    struct jdi_request *q = jdi_request_find(r, number);
    if (!q || !q->answered(r, q, a))
        jdi_request_malformed(r, src);
}

void jdi_request_answer(struct jdi_rank *r, const struct jdi_am_in *in,
                        struct jdi_asker to, const struct jdi_answer *a)
{
    if (to.rank == r->am->rank) {
        deliver(r, to.rank, to.request, a);
        return;
    }
    struct jdi_am_msg m = {.type = JDI_MSG_ANSWER,
                           .nargs = ANSWER_ARGS,
                           .arg = {to.request, (uint64_t)(int64_t)a->error, a->word},
                           .data = a->data,
                           .len = a->len};
    if (!in || !in->token || in->src != to.rank)
        jdi_request_post(r, to.rank, &m);
    else
        must(r, jdi_am_reply(in, &m));
}

static void on_answer(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    const struct jdi_am_msg *m = in->msg;
    struct jdi_answer a = {.error = (int)(int64_t)m->arg[1],
                           .word = m->arg[2],
                           .data = m->data,
                           .len = m->len};
    if (m->nargs != ANSWER_ARGS || a.error > 0)
        jdi_request_malformed(r, in->src);
    jdi_rank_news(r);
    deliver(r, in->src, m->arg[0], &a);
}

void jdi_request_init(struct jdi_rank *r)
{
    jdi_am_set_handler(r->am, JDI_MSG_ANSWER, on_answer, r);
}
