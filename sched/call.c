/*
 * call.c - calls of the body to the communication worker, and the collective data calls.
 *
 * Role: see call.h; jd_barrier and jd_allreduce_* are calls with nothing but a reduction.
 * Owner: as call.h.
 * Invariants: I1 of call.h.
 * See: call.h.
 */
#include "sched/call.h"
#include "sched/unblock.h"

enum { REDUCE_MAX = 4096 };

int jdi_call(jd_self *me, struct jdi_call *call,
             void (*run)(struct jdi_rank *r, struct jdi_mail *mail))
{
    if (!me->is_body)
        return JD_ESTATE;
    call->mail.run = run;
    call->me = me;
    jdi_self_call(me, &call->mail);
    return call->error;
}

void jdi_call_done(struct jdi_call *call, int error)
{
    call->error = error;
    jdi_unblock(NULL, call->me);
}

static void reduced(void *ctx)
{
    jdi_call_done(ctx, 0);
}

void jdi_call_reduce(struct jdi_call *call, uint64_t *value, uint32_t n,
                     enum jdi_am_kind kind, enum jd_op op)
{
    call->reduce = (struct jdi_am_reduce){
        .value = value, .n = n, .kind = kind, .op = op, .done = reduced, .ctx = call};
    int error = jdi_am_reduce(call->me->rank->am, &call->reduce);
    if (error) /* the other ranks would wait for ever */
        jdi_die(&call->me->rank->am->log, JDI_EXIT_MEMORY, "reduction: %s",
                jd_strerror(error));
}

struct reduce_call {
    struct jdi_call call; /* first: a call is a mail */
    uint64_t *value;
    uint32_t n;
    enum jdi_am_kind kind;
    enum jd_op op;
};

static void start_reduce(struct jdi_rank *r, struct jdi_mail *mail)
{
    (void)r;
    struct reduce_call *c = (struct reduce_call *)(void *)mail;
    jdi_call_reduce(&c->call, c->value, c->n, c->kind, c->op);
}

static int reduce(jd_self *me, uint64_t *value, size_t n, enum jdi_am_kind kind,
                  enum jd_op op)
{
    if (n > REDUCE_MAX || op < JD_SUM || op > JD_XOR ||
        (kind == JDI_AM_F64 && op == JD_XOR) || (n && !value))
        return JD_EINVAL;
    struct reduce_call c = {.value = value, .n = (uint32_t)n, .kind = kind, .op = op};
    return jdi_call(me, &c.call, start_reduce);
}

int jd_barrier(jd_self *me)
{
    return reduce(me, NULL, 0, JDI_AM_U64, JD_SUM);
}

int jd_allreduce_u64(jd_self *me, uint64_t *value, size_t n, enum jd_op op)
{
    return reduce(me, value, n, JDI_AM_U64, op);
}

int jd_allreduce_f64(jd_self *me, double *value, size_t n, enum jd_op op)
{
    _Static_assert(sizeof(double) == sizeof(uint64_t), "doubles travel as words");
    if (n > REDUCE_MAX || (n && !value))
        return JD_EINVAL;
    uint64_t bits[n + 1]; /* on a ULT's stack: no larger than asked for */
    memcpy(bits, n ? (void *)value : bits, n * sizeof *bits);
    int error = reduce(me, bits, n, JDI_AM_F64, op);
    if (!error && n)
        memcpy(value, bits, n * sizeof *bits);
    return error;
}
