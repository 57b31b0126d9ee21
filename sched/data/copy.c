/*
 * copy.c - bytes between registered memory of ranks: put, get, copy, accumulate.
 *
 * Role: cuts a transfer into pieces, sends a few pieces at a time, and counts the answers.
 * Owner: of a transfer: its ULT until it is posted, then the communication thread.
 * Invariants: I1 a range is checked as a whole, by its rank, before any byte of it moves.
 * See: doc/data.md "Memory and copies".
 */
#include "sched/data/copy.h"

#include "sched/data/accumulate.h"
#include "sched/data/cache.h"
#include "sched/data/done.h"
#include "sched/data/mem.h"
#include "sched/data/request.h"
#include "sched/traces.h"
#include "sched/unblock.h"

#include <string.h>

enum { FLYING = 16, PIECE_ARGS = 7 }; /* a piece is one message of the network */

enum kind { PUT = 1, GET, COPY, ACCUMULATE };

struct move {
    /* First; of a transfer that belongs to a finish. */
    struct jdi_counted counted;
    struct jdi_call call;
    struct jdi_request request;
    enum kind kind;
    uint32_t rank, to_rank; /* to_rank and to_offset: COPY only */
    jd_mem mem;
    uint64_t offset, to_offset, n;
    const unsigned char *src; /* PUT and ACCUMULATE only */
    unsigned char *dst;       /* GET only */
    uint64_t asked;           /* bytes in pieces that were sent */
    unsigned flying;          /* pieces without an answer */
    uint64_t start[FLYING];   /* where each of these begins */
    int error;
    jd_self *
        me; /* suspended; NULL: the move is a heap block, and `done` or a finish is told */
    struct jdi_done *done; /* NULL: a finish */
};

/* ---- the asker's side, in the communication thread ---------------------------------- */

/* What was written is not in the cache any more when somebody is told. */
static void tell_cache(struct jdi_rank *r, const struct move *mv)
{
    bool copies = mv->kind == COPY;
    if (mv->kind != GET)
        jdi_cache_wrote(r, mv->mem, copies ? mv->to_rank : mv->rank,
                        copies ? mv->to_offset : mv->offset, mv->n);
}

static void finish(struct jdi_rank *r, struct move *mv)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    jdi_request_close(r, &mv->request);
    tell_cache(r, mv);
    if (mv->me) {
        jdi_unblock(NULL, mv->me);
        return;
    }
    if (mv->done) {
        jdi_done_landed(mv->done, mv->error);
        jdi_free(mv);
        return;
    }
    if (mv->error)
        jdi_die(&r->am->log, JDI_EXIT_AUDIT,
                "a transfer of a finish, bytes %llu to %llu of rank %u%s: no such %s",
                (unsigned long long)mv->offset, (unsigned long long)(mv->offset + mv->n),
                mv->rank, mv->kind == COPY ? ", copied elsewhere" : "",
                mv->kind == ACCUMULATE ? "doubles" : "range");
    r->release_finish(&mv->counted);
}

static const uint8_t type_of[] = {[PUT] = JDI_MSG_PUT,
                                  [GET] = JDI_MSG_GET,
                                  [COPY] = JDI_MSG_COPY,
                                  [ACCUMULATE] = JDI_MSG_ACCUMULATE};

static bool brings_bytes(enum kind kind)
{
    return kind == PUT || kind == ACCUMULATE;
}

/* The most bytes of a piece: whole doubles, if they are added. */
static uint32_t largest_piece(const struct jdi_rank *r, enum kind kind)
{
    uint32_t most = r->am->max_data;
    return kind == ACCUMULATE ? most - most % sizeof(double) : most;
}

static void send_piece(struct jdi_rank *r, struct move *mv)
{
    uint64_t len = mv->n - mv->asked;
    bool whole = mv->kind == COPY && mv->rank == mv->to_rank;
    if (len > largest_piece(r, mv->kind) && !whole)
        len = largest_piece(r, mv->kind);
    uint32_t third = mv->kind == COPY ? mv->to_rank : r->am->rank;
    struct jdi_am_msg m = {
        .type = type_of[mv->kind],
        .nargs = PIECE_ARGS,
        .arg = {mv->mem.number, mv->offset, mv->n, mv->asked, mv->request.key.key[0],
                third | (whole ? 0 : len << 32), mv->kind == COPY ? mv->to_offset : 0}};
    if (brings_bytes(mv->kind) && len) {
        m.data = mv->src + mv->asked;
        m.len = (uint32_t)len;
    }
    mv->start[mv->flying++] = mv->asked;
    mv->asked += len;
    jdi_request_post_in_place(r, mv->rank, &m);
}

/* How many bytes the answer to the piece at `start` must have. */
static uint64_t expected(const struct jdi_rank *r, const struct move *mv, uint64_t start,
                         int error)
{
    uint64_t len = mv->n - start;
    if (mv->kind != GET || error)
        return 0;
    return len < r->am->max_data ? len : r->am->max_data;
}

static const char *piece_answered(struct jdi_rank *r, struct jdi_request *q,
                                  const struct jdi_answer *a)
{
    struct move *mv = (struct move *)(void *)((char *)q - offsetof(struct move, request));
    unsigned i = 0;
    while (i < mv->flying && mv->start[i] != a->word)
        i++;
    if (i == mv->flying)
        return "a piece that nobody waits for";
    if (a->len != expected(r, mv, a->word, a->error))
        return "a piece of another length";
    if (a->len)
        memcpy(mv->dst + a->word, a->data, a->len);
    if (a->error) {
        mv->error = a->error;
        mv->asked = mv->n; /* send no more: the other pieces would get the same error */
    }
    mv->start[i] = mv->start[--mv->flying];
    if (mv->asked < mv->n)
        send_piece(r, mv);
    else if (!mv->flying)
        finish(r, mv);
    return NULL;
}

static void run_move(struct jdi_rank *r, struct jdi_call *call)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    struct move *mv = jdi_container_of(call, struct move, call);
    jdi_request_open(r, &mv->request, type_of[mv->kind], mv->rank, piece_answered);
    if (mv->kind == COPY)
        mv->request.target = mv->to_rank;
    do
        send_piece(r, mv);
    while (mv->asked < mv->n && mv->flying < FLYING);
}

/* ---- the other side ----------------------------------------------------------------- */

struct piece {
    jd_mem mem;
    uint64_t offset, total, start;
    struct jdi_asker asker;
    uint32_t len, third; /* the rank in arg5 */
};

/* Check a piece.  Returns what is wrong, or NULL.  The asker of a PUT may be a third rank.  A COPY
 * goes from the receiver to a third rank, or in one piece to the receiver itself. */
static const char *fault_of_piece(const struct jdi_rank *r, const struct jdi_am_in *in,
                                  const struct piece *p)
{
    bool inside = in->msg->type == JDI_MSG_COPY && p->third == r->am->rank;
    if (p->start > p->total || p->len > p->total - p->start || p->len > r->am->max_data)
        return "a piece outside of its whole";
    if (in->msg->type == JDI_MSG_ACCUMULATE &&
        (p->offset | p->total | p->start | p->len) % sizeof(double))
        return "it has parts of doubles";
    if ((in->msg->type == JDI_MSG_GET || in->msg->type == JDI_MSG_ACCUMULATE) &&
        p->third != in->src)
        return "it is asked for another rank";
    if (in->msg->type == JDI_MSG_PUT && p->third == r->am->rank)
        return "it is this rank's own, which comes in no message";
    if (in->msg->type == JDI_MSG_COPY && p->third == in->src)
        return "a COPY to its asker, which asks by a GET";
    if (inside && (p->start || p->len))
        return "a piece of a COPY that has none";
    if ((in->msg->type == JDI_MSG_PUT || in->msg->type == JDI_MSG_ACCUMULATE) &&
        in->msg->len != p->len)
        return "a piece of another length";
    return NULL;
}

/* Read and check a piece.  arg5 names the asker, or the target of a COPY. */
static struct piece piece_of(struct jdi_rank *r, const struct jdi_am_in *in)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    const struct jdi_am_msg *m = in->msg; /* all four have one layout */
    uint32_t third = (uint32_t)JDI_GET(m, PUT, asker);
    uint32_t asker = m->type == JDI_MSG_PUT ? third : in->src;
    struct piece p = {.mem = {JDI_GET(m, PUT, memory)},
                      .offset = JDI_GET(m, PUT, offset),
                      .total = JDI_GET(m, PUT, bytes),
                      .start = JDI_GET(m, PUT, start),
                      .asker = jdi_request_asker_in(in, JDI_GET(m, PUT, request), asker),
                      .len = (uint32_t)JDI_GET(m, PUT, length),
                      .third = third};
    const char *fault = fault_of_piece(r, in, &p);
    if (fault)
        jdi_am_refuse(in, fault);
    jdi_rank_news(r);
    return p;
}

/* As jdi_mem_at, for doubles: NULL too if this part of the memory does not lie as doubles do. */
static unsigned char *doubles_at(const struct jdi_rank *r, jd_mem mem, uint64_t offset,
                                 uint64_t n)
{
    unsigned char *at = jdi_mem_at(r, mem, offset, n);
    return (uintptr_t)at % _Alignof(double) ? NULL : at;
}

static void on_put(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    struct piece p = piece_of(r, in);
    unsigned char *to = jdi_mem_at(r, p.mem, p.offset, p.total);
    if (to && p.len)
        memcpy(to + p.start, in->msg->data, p.len);
    struct jdi_answer a = {.error = to ? 0 : JD_EINVAL, .word = p.start};
    jdi_request_answer(r, in, p.asker, &a);
}

static void on_accumulate(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    struct piece p = piece_of(r, in);
    unsigned char *to = doubles_at(r, p.mem, p.offset, p.total);
    if (to && p.len)
        jdi_accumulate_add(to + p.start, in->msg->data, p.len);
    struct jdi_answer a = {.error = to ? 0 : JD_EINVAL, .word = p.start};
    jdi_request_answer(r, in, p.asker, &a);
}

static void on_get(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    struct piece p = piece_of(r, in);
    const unsigned char *from = jdi_mem_at(r, p.mem, p.offset, p.total);
    struct jdi_answer a = {.error = from ? 0 : JD_EINVAL, .word = p.start};
    if (from) {
        a.data = from + p.start;
        a.len = p.len;
    }
    jdi_request_answer(r, in, p.asker, &a);
}

/* Copy inside this rank, all bytes at once, because the ranges may overlap. */
static int copy_here(struct jdi_rank *r, const struct piece *p, uint64_t to_offset)
{
    const unsigned char *from = jdi_mem_at(r, p->mem, p->offset, p->total);
    unsigned char *to = jdi_mem_at(r, p->mem, to_offset, p->total);
    if (!from || !to)
        return JD_EINVAL;
    memmove(to, from, p->total);
    return 0;
}

static void on_copy(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    struct piece p = piece_of(r, in);
    uint64_t to_offset = JDI_GET(in->msg, COPY, to_offset);
    const unsigned char *from = jdi_mem_at(r, p.mem, p.offset, p.total);
    if (p.third == r->am->rank || !from) {
        struct jdi_answer a = {.error = from ? copy_here(r, &p, to_offset) : JD_EINVAL,
                               .word = p.start};
        jdi_request_answer(r, in, p.asker, &a);
        return;
    }
    struct jdi_am_msg m = *in->msg;
    m.type = JDI_MSG_PUT;
    m.wire = 0;
    m.arg[1] = to_offset;
    m.arg[5] = p.asker.rank | (uint64_t)p.len << 32;
    m.arg[6] = 0;
    m.data = p.len ? from + p.start : NULL;
    m.len = p.len;
    jdi_request_post_in_place(r, p.third, &m);
}

void jdi_copy_init(struct jdi_rank *r)
{
    jdi_am_set_handler(r->am, JDI_MSG_PUT, on_put, r);
    jdi_am_set_handler(r->am, JDI_MSG_GET, on_get, r);
    jdi_am_set_handler(r->am, JDI_MSG_COPY, on_copy, r);
    jdi_am_set_handler(r->am, JDI_MSG_ACCUMULATE, on_accumulate, r);
}

/* ---- the calls ---------------------------------------------------------------------- */

/* For a call without a jd_done: suspend until the transfer has ended. */
static int start(jd_self *me, const struct move *what, jd_done *done)
{
    if (what->kind == GET)
        jdi_traces_put(me->worker, JDI_TRACE_GET, 0, what->rank, what->n);
    else
        jdi_traces_put(me->worker, JDI_TRACE_PUT, 0, what->rank, what->n);
    if (!done) {
        struct move mv = *what;
        mv.me = me;
        mv.call.run = run_move;
        struct jdi_cause why = {.kind = JDI_CAUSE_TRANSFER,
                                .home = mv.rank,
                                .number = mv.mem.number,
                                .deadline = JD_FOREVER};
        jdi_self_call(me, &why, &mv.call);
        return mv.error;
    }
    size_t copied = brings_bytes(what->kind) ? what->n : 0;
    if (copied > SIZE_MAX / 2)
        return JD_ENOMEM;
    struct move *mv = jdi_alloc(&me->rank->am->fault, sizeof *mv + copied);
    if (!mv)
        return JD_ENOMEM;
    *mv = *what;
    mv->call.run = run_move;
    if (done != JD_IN_FINISH) {
        mv->done = jdi_done_of(done);
        mv->done->started++;
    } else if (!me->rank->hold_finish(me, &mv->counted)) {
        jdi_free(mv);
        return JD_ESTATE;
    }
    if (copied)
        mv->src = memcpy(mv + 1, what->src, copied);
    jdi_rank_post(me->rank, &mv->call);
    return 0;
}

/* Check the arguments of a transfer.  The rank `rank` itself checks the range there. */
static bool plausible(const jd_self *me, jd_mem mem, uint32_t rank)
{
    return rank < me->rank->am->nranks && jdi_mem_at(me->rank, mem, 0, 0);
}

static int put(jd_self *me, const struct move *what, jd_done *done)
{
    if (!plausible(me, what->mem, what->rank) || (what->n && !what->src))
        return JD_EINVAL;
    if (jdi_mem_is_frozen(me->rank, what->mem.number))
        return JD_ESTATE;
    if (what->rank != me->rank->am->rank)
        return start(me, what, done);
    unsigned char *to = jdi_mem_at(me->rank, what->mem, what->offset, what->n);
    if (!to)
        return JD_EINVAL;
    if (what->n)
        memmove(to, what->src, what->n);
    return 0;
}

static int get(jd_self *me, const struct move *what, jd_done *done)
{
    if (!plausible(me, what->mem, what->rank) || (what->n && !what->dst))
        return JD_EINVAL;
    if (what->rank != me->rank->am->rank)
        return start(me, what, done);
    const unsigned char *from = jdi_mem_at(me->rank, what->mem, what->offset, what->n);
    if (!from)
        return JD_EINVAL;
    if (what->n)
        memmove(what->dst, from, what->n);
    return 0;
}

/* At home the caller adds: atomically, because the communication thread does so too. */
static int accumulate(jd_self *me, const struct move *what, jd_done *done)
{
    if (!plausible(me, what->mem, what->rank) || (what->n && !what->src) ||
        what->offset % sizeof(double))
        return JD_EINVAL;
    if (jdi_mem_is_frozen(me->rank, what->mem.number))
        return JD_ESTATE;
    if (what->rank != me->rank->am->rank)
        return start(me, what, done);
    unsigned char *to = doubles_at(me->rank, what->mem, what->offset, what->n);
    if (!to)
        return JD_EINVAL;
    jdi_accumulate_add(to, what->src, what->n);
    return 0;
}

/* A copy with one end at this rank is a put or a get. */
static int copy(jd_self *me, struct move *what, jd_done *done)
{
    const struct jdi_rank *r = me->rank;
    if (!plausible(me, what->mem, what->rank) || what->to_rank >= r->am->nranks)
        return JD_EINVAL;
    if (jdi_mem_is_frozen(r, what->mem.number))
        return JD_ESTATE;
    if (what->rank == r->am->rank) {
        what->kind = PUT;
        what->src = jdi_mem_at(r, what->mem, what->offset, what->n);
        what->rank = what->to_rank;
        what->offset = what->to_offset;
        return what->src ? put(me, what, done) : JD_EINVAL;
    }
    if (what->to_rank == r->am->rank) {
        what->kind = GET;
        what->dst = jdi_mem_at(r, what->mem, what->to_offset, what->n);
        return what->dst ? get(me, what, done) : JD_EINVAL;
    }
    return start(me, what, done);
}

int jd_put_nb(jd_self *me, jd_mem mem, uint32_t rank, uint64_t offset, const void *src,
              size_t n, jd_done *done)
{
    struct move what = {
        .kind = PUT, .mem = mem, .rank = rank, .offset = offset, .src = src, .n = n};
    return put(me, &what, done);
}

int jd_get_nb(jd_self *me, jd_mem mem, uint32_t rank, uint64_t offset, void *dst,
              size_t n, jd_done *done)
{
    struct move what = {
        .kind = GET, .mem = mem, .rank = rank, .offset = offset, .dst = dst, .n = n};
    return get(me, &what, done);
}

int jd_copy_nb(jd_self *me, jd_mem mem, uint32_t from_rank, uint64_t from_offset,
               uint32_t to_rank, uint64_t to_offset, size_t n, jd_done *done)
{
    struct move what = {.kind = COPY,
                        .mem = mem,
                        .rank = from_rank,
                        .offset = from_offset,
                        .to_rank = to_rank,
                        .to_offset = to_offset,
                        .n = n};
    return copy(me, &what, done);
}

int jd_accumulate_nb(jd_self *me, jd_mem mem, uint32_t rank, uint64_t offset,
                     const double *src, size_t n, jd_done *done)
{
    if (n > SIZE_MAX / sizeof *src)
        return JD_EINVAL;
    struct move what = {.kind = ACCUMULATE,
                        .mem = mem,
                        .rank = rank,
                        .offset = offset,
                        .src = (const unsigned char *)src,
                        .n = n * sizeof *src};
    return accumulate(me, &what, done);
}

int jd_put(jd_self *me, jd_mem mem, uint32_t rank, uint64_t offset, const void *src,
           size_t n)
{
    return jd_put_nb(me, mem, rank, offset, src, n, NULL);
}

int jd_get(jd_self *me, jd_mem mem, uint32_t rank, uint64_t offset, void *dst, size_t n)
{
    return jd_get_nb(me, mem, rank, offset, dst, n, NULL);
}

int jd_copy(jd_self *me, jd_mem mem, uint32_t from_rank, uint64_t from_offset,
            uint32_t to_rank, uint64_t to_offset, size_t n)
{
    return jd_copy_nb(me, mem, from_rank, from_offset, to_rank, to_offset, n, NULL);
}

int jd_accumulate(jd_self *me, jd_mem mem, uint32_t rank, uint64_t offset,
                  const double *src, size_t n)
{
    return jd_accumulate_nb(me, mem, rank, offset, src, n, NULL);
}
