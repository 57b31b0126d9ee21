/*
 * collective.c - what the body asks of the communication thread; the collective data calls.
 *
 * Role: the body's side of a collective; jd_barrier and jd_allreduce_*, which are only a reduction.
 *       What is said when the ranks do not call the same.
 * Invariants: I1 of collective.h.
 * See: collective.h.
 */
#include "sched/collective.h"
#include "sched/unblock.h"

#include <stdio.h>

enum { REDUCE_MAX = 4096, STATUS_MOST = 125 };
_Static_assert((int)JDI_COLLECTIVE_WHATS == (int)JDI_AM_CALL_MOST + 1,
               "a message can say each of them");

static struct jdi_cause cause_of(const struct jdi_collective *all)
{
    bool waits =
        all->what == JDI_COLLECTIVE_PROCESS || all->what == JDI_COLLECTIVE_COLL_WAIT;
    if (!all->what)
        return jdi_self_asks_comm;
    return (struct jdi_cause){.kind = waits ? JDI_CAUSE_PHASE : JDI_CAUSE_COLLECTIVE,
                              .what = (uint8_t)all->what,
                              .number = waits ? all->coll->id : 0,
                              .deadline = JD_FOREVER};
}

int jdi_collective(jd_self *me, struct jdi_collective *all,
                   void (*run)(struct jdi_rank *r, struct jdi_call *call))
{
    if (!me->is_body)
        return JD_ESTATE;
    struct jdi_cause why = cause_of(all);
    all->call.run = run;
    all->me = me;
    /* In a phase the tasks of the program run, and they may do so before the body comes out of the call that begins
     * it. */
    if (why.kind != JDI_CAUSE_PHASE)
        me->rank->on_meeting(me->rank, why.kind == JDI_CAUSE_COLLECTIVE);
    jdi_self_call(me, &why, &all->call);
    if (why.kind != JDI_CAUSE_COMM)
        me->rank->on_meeting(me->rank, false);
    return all->error;
}

void jdi_collective_done(struct jdi_collective *all, int error)
{
    all->error = error;
    jdi_unblock(NULL, all->me);
}

static void has_reduced(void *ctx)
{
    struct jdi_collective *all = ctx;
    jdi_standstill_leave(all->me->rank);
    if (all->reduced)
        all->reduced(all);
    else
        jdi_collective_done(all, 0);
}

void jdi_collective_reduce(struct jdi_collective *all, uint64_t *value, uint32_t n,
                           enum jdi_am_kind kind, enum jd_op op)
{
    all->reduce = (struct jdi_am_reduce){.value = value,
                                         .n = n,
                                         .kind = kind,
                                         .op = op,
                                         .call = (uint8_t)all->what,
                                         .done = has_reduced,
                                         .ctx = all};
    int error = jdi_am_reduce(all->me->rank->am, &all->reduce);
    if (error) /* no return: the other ranks would wait for ever */
        jdi_die(&all->me->rank->am->log, JDI_EXIT_MEMORY, "reduction: %s",
                jd_strerror(error));
    jdi_standstill_reduce(all->me->rank, &all->reduce);
}

/* ---- ranks that do not call the same ------------------------------------------------- */

static bool is_allreduce(const struct jdi_am_side *s)
{
    return s->call == JDI_COLLECTIVE_ALLREDUCE_U64 ||
           s->call == JDI_COLLECTIVE_ALLREDUCE_F64;
}

/* Of the bodies of the rank and of those below it in the tree, the largest. */
uint64_t jdi_collective_status(const struct jdi_am_side *s)
{
    return s->call == JDI_COLLECTIVE_END ? s->value >> 1 : 0;
}

const char *jdi_collective_name(unsigned what)
{
    static const char *const names[JDI_COLLECTIVE_WHATS] = {
        [JDI_COLLECTIVE_BARRIER] = "jd_barrier",
        [JDI_COLLECTIVE_ALLREDUCE_U64] = "jd_allreduce_u64",
        [JDI_COLLECTIVE_ALLREDUCE_F64] = "jd_allreduce_f64",
        [JDI_COLLECTIVE_COLL_CREATE] = "jd_coll_create",
        [JDI_COLLECTIVE_COLL_DESTROY] = "jd_coll_destroy",
        [JDI_COLLECTIVE_FINISH_SPMD] = "jd_finish_spmd",
        [JDI_COLLECTIVE_MEM_CREATE] = "jd_mem_create",
        [JDI_COLLECTIVE_MEM_DESTROY] = "jd_mem_destroy",
        [JDI_COLLECTIVE_MEM_FREEZE] = "jd_mem_freeze",
        [JDI_COLLECTIVE_FUTURES_CREATE] = "jd_futures_create",
        [JDI_COLLECTIVE_FUTURES_DESTROY] = "jd_futures_destroy",
        [JDI_COLLECTIVE_PROCESS] = "jd_coll_process",
        [JDI_COLLECTIVE_COLL_RESTORE] = "jd_coll_restore",
        [JDI_COLLECTIVE_COLL_BALANCE] = "jd_coll_restore with a balancer",
        [JDI_COLLECTIVE_COLL_GET_LOAD] = "jd_coll_get_load",
        [JDI_COLLECTIVE_COLL_SAVE] = "jd_coll_save",
        [JDI_COLLECTIVE_COLL_LOAD] = "jd_coll_load",
        [JDI_COLLECTIVE_COLL_WAIT] = "jd_coll_wait",
        [JDI_COLLECTIVE_STATS] = "jd_stats",
    };
    JD_CHECK(what < JDI_COLLECTIVE_WHATS && names[what]);
    return names[what];
}

/* `of` is the name of the collection whose end the rank waits for. */
static void describe_side(char *to, size_t size, const struct jdi_am_side *s,
                          const char *of)
{
    static const char *const ops[] = {[JD_SUM] = "JD_SUM",
                                      [JD_MIN] = "JD_MIN",
                                      [JD_MAX] = "JD_MAX",
                                      [JD_XOR] = "JD_XOR"};
    if (s->call == JDI_COLLECTIVE_END)
        snprintf(to, size, "rank %u has returned from its body", s->rank);
    else if (is_allreduce(s))
        snprintf(to, size, "rank %u is in %s of %u value%s, %s", s->rank,
                 jdi_collective_name(s->call), s->n, s->n == 1 ? "" : "s", ops[s->op]);
    else
        snprintf(to, size, "rank %u is in %s%s%s", s->rank, jdi_collective_name(s->call),
                 of ? " of " : "", of ? of : "");
}

static JD_NORETURN void die_of_sides(struct jdi_am *am, const struct jdi_am_side *a,
                                     const char *of_a, const struct jdi_am_side *b,
                                     const char *of_b)
{
    char first[128], second[128];
    uint64_t status = jdi_collective_status(a) > jdi_collective_status(b)
                          ? jdi_collective_status(a)
                          : jdi_collective_status(b);
    describe_side(first, sizeof first, a, of_a);
    describe_side(second, sizeof second, b, of_b);
    jdi_die(&am->log, status ? (int)status : JDI_EXIT_AUDIT,
            "the ranks do not agree: %s, and %s", a->rank < b->rank ? first : second,
            a->rank < b->rank ? second : first);
}

void jdi_collective_disagree(struct jdi_am *am, const struct jdi_am_side *a,
                             const struct jdi_am_side *b)
{
    bool known = a->call < JDI_COLLECTIVE_WHATS && b->call < JDI_COLLECTIVE_WHATS;
    if (!known || (a->call == b->call && !(is_allreduce(a) && a->kind == b->kind)))
        return;
    if (jdi_collective_status(a) > STATUS_MOST || jdi_collective_status(b) > STATUS_MOST)
        return;
    die_of_sides(am, a, NULL, b, NULL);
}

static const char *name_of_coll(const struct jdi_rank *r, const struct jdi_blocked *b)
{
    if (!b->coll)
        return NULL;
    return r->colls[b->coll] ? r->colls[b->coll]->name : "a collection";
}

void jdi_collective_differ(struct jdi_rank *r, const struct jdi_blocked *a,
                           const struct jdi_blocked *b)
{
    die_of_sides(r->am, &a->side, name_of_coll(r, a), &b->side, name_of_coll(r, b));
}

/* ---- barrier and allreduce ----------------------------------------------------------- */

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

static int reduce(jd_self *me, enum jdi_collective_what what, uint64_t *value, size_t n,
                  enum jd_op op)
{
    enum jdi_am_kind kind =
        what == JDI_COLLECTIVE_ALLREDUCE_F64 ? JDI_AM_F64 : JDI_AM_U64;
    if (n > REDUCE_MAX || op < JD_SUM || op > JD_XOR ||
        (kind == JDI_AM_F64 && op == JD_XOR) || (n && !value))
        return JD_EINVAL;
    struct reduce_call c = {
        .all.what = what, .value = value, .n = (uint32_t)n, .kind = kind, .op = op};
    return jdi_collective(me, &c.all, start_reduce);
}

int jd_barrier(jd_self *me)
{
    return reduce(me, JDI_COLLECTIVE_BARRIER, NULL, 0, JD_SUM);
}

int jd_allreduce_u64(jd_self *me, uint64_t *value, size_t n, enum jd_op op)
{
    return reduce(me, JDI_COLLECTIVE_ALLREDUCE_U64, value, n, op);
}

int jd_allreduce_f64(jd_self *me, double *value, size_t n, enum jd_op op)
{
    _Static_assert(sizeof(double) == sizeof(uint64_t), "doubles travel as words");
    if (n > REDUCE_MAX || (n && !value))
        return JD_EINVAL;
    uint64_t bits[n + 1]; /* as small as possible, because a ULT's stack is small */
    memcpy(bits, n ? (void *)value : bits, n * sizeof *bits);
    int error = reduce(me, JDI_COLLECTIVE_ALLREDUCE_F64, bits, n, op);
    if (!error && n)
        memcpy(value, bits, n * sizeof *bits);
    return error;
}
