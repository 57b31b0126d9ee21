/*
 * collective.c - what the body asks of the communication thread; the collective data calls.
 *
 * Role: the body's side of a collective; jd_barrier and jd_allreduce_*, which are only a reduction.
 * Invariants: I1 of collective.h.
 * See: collective.h.
 */
#include "sched/collective.h"
#include "sched/unblock.h"

enum { REDUCE_MAX = 4096 };

int jdi_collective(jd_self *me, struct jdi_collective *all,
                   void (*run)(struct jdi_rank *r, struct jdi_call *call))
{
    if (!me->is_body)
        return JD_ESTATE;
    all->call.run = run;
    all->me = me;
    jdi_self_call(me, &all->call);
    return all->error;
}

void jdi_collective_done(struct jdi_collective *all, int error)
{
    all->error = error;
    jdi_unblock(NULL, all->me);
}

static void reduced(void *ctx)
{
    jdi_collective_done(ctx, 0);
}

void jdi_collective_reduce(struct jdi_collective *all, uint64_t *value, uint32_t n,
                           enum jdi_am_kind kind, enum jd_op op)
{
    all->reduce = (struct jdi_am_reduce){
        .value = value, .n = n, .kind = kind, .op = op, .done = reduced, .ctx = all};
    int error = jdi_am_reduce(all->me->rank->am, &all->reduce);
    if (error) /* no return: the other ranks would wait for ever */
        jdi_die(&all->me->rank->am->log, JDI_EXIT_MEMORY, "reduction: %s",
                jd_strerror(error));
}

struct reduce_call {
    struct jdi_collective all;
    uint64_t *value;
    uint32_t n;
    enum jdi_am_kind kind;
    enum jd_op op;
};

static void start_reduce(struct jdi_rank *r, struct jdi_call *call)
{
    (void)r;
    struct reduce_call *c = jdi_container_of(call, struct reduce_call, all.call);
    jdi_collective_reduce(&c->all, c->value, c->n, c->kind, c->op);
}

static int reduce(jd_self *me, uint64_t *value, size_t n, enum jdi_am_kind kind,
                  enum jd_op op)
{
    if (n > REDUCE_MAX || op < JD_SUM || op > JD_XOR ||
        (kind == JDI_AM_F64 && op == JD_XOR) || (n && !value))
        return JD_EINVAL;
    struct reduce_call c = {.value = value, .n = (uint32_t)n, .kind = kind, .op = op};
    return jdi_collective(me, &c.all, start_reduce);
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
    uint64_t bits[n + 1]; /* as small as possible, because a ULT's stack is small */
    memcpy(bits, n ? (void *)value : bits, n * sizeof *bits);
    int error = reduce(me, bits, n, JDI_AM_F64, op);
    if (!error && n)
        memcpy(value, bits, n * sizeof *bits);
    return error;
}
