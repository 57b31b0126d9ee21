/*
 * standstill.c - ranks whose bodies wait for each other in different calls.
 *
 * Role: the protocol, and the end of the job.
 * Invariants: I1 of standstill.h.  I2 a body that waits provides nothing: it begins no phase and
 *                takes part in no other reduction.
 * See: standstill.h; test/dist/sched_endings.sh.
 *
 * Reductions that differ meet in the tree of reductions (am/reduce.c).  This is about the others:
 * one rank waits for the end of a phase, and another one, which has not begun that phase, waits in
 * jd_barrier, has returned, or waits for the end of a phase that the first one has not begun.
 *
 * A rank whose body has waited for tell_ns says where, once (BLOCKED, way UP).  That goes up a tree as
 * far as a rank that knows of the same wait.  In a job that does nothing wrong all ranks wait at one
 * place, so it costs one message for each rank and each wait that lasts so long.  When the root knows
 * of two waits it tells all ranks of both (DOWN).  A rank that waits and has not provided what another
 * one waits for answers that one with its own wait (ANSWER).  If the rank that gets the answer waits,
 * too, and has not provided what the sender waits for, it ends the job, or, if it is not the smaller of
 * the two, answers likewise.
 *
 * The proof of I1: X gets the answer of Y.  When Y sent it, Y waited and had not provided what X
 * needs.  X waits now and has not provided what Y needs.  So Y still waits, and by I2 it still has not
 * provided what X needs.  Neither goes on before the other one does.
 *
 * A wait with fewer reductions behind it is forgotten, because all ranks that stand still have the same
 * number behind them.  Of the ranks that wait alike the first one stands for all; so what two of
 * them have begun before, and others have not, may stay unseen.
 */
#include "sched/standstill.h"

#include "sched/coll.h"
#include "sched/collective.h"
#include "termination/tree.h"

enum way { UP = 1, DOWN, ANSWER };

static const uint64_t tell_ns = 100000000;

/* ---- messages ------------------------------------------------------------------------ */

static void send_blocked(struct jdi_rank *r, uint32_t dst, enum way way,
                         const struct jdi_blocked *b)
{
    uint64_t status = jdi_collective_status(&b->side);
    struct jdi_am_msg m = {.type = JDI_MSG_BLOCKED, .nargs = 4};
    m.arg[0] = b->coll | (uint64_t)way << 16 | status << 24 | (uint64_t)b->rank << 32;
    m.arg[1] = b->reductions;
    m.arg[2] = (uint64_t)b->side.op | (uint64_t)b->side.kind << 8 |
               (uint64_t)b->side.call << 16 | (uint64_t)b->side.n << 32;
    m.arg[3] = b->phase;
    if (jdi_am_post(r->am, dst, &m))
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for a message");
}

static struct jdi_blocked blocked_in(const struct jdi_am_in *in)
{
    const struct jdi_am_msg *m = in->msg;
    struct jdi_blocked b = {.rank = (uint32_t)JDI_GET(m, BLOCKED, rank),
                            .coll = (uint16_t)JDI_GET(m, BLOCKED, collection),
                            .phase = (uint32_t)JDI_GET(m, BLOCKED, phase),
                            .reductions = JDI_GET(m, BLOCKED, reductions),
                            .side = {.call = (uint8_t)JDI_GET(m, BLOCKED, call),
                                     .kind = (enum jdi_am_kind)JDI_GET(m, BLOCKED, kind),
                                     .op = (enum jd_op)JDI_GET(m, BLOCKED, operation),
                                     .n = (uint32_t)JDI_GET(m, BLOCKED, values),
                                     .value = JDI_GET(m, BLOCKED, status) << 1}};
    b.side.rank = b.rank;
    return b;
}

static const char *fault_of_blocked(const struct jdi_blocked *b)
{
    bool waits = b->side.call == JDI_COLLECTIVE_PROCESS ||
                 b->side.call == JDI_COLLECTIVE_COLL_WAIT;
    if (b->side.call >= JDI_COLLECTIVE_WHATS)
        return "no such call";
    if (waits != (b->coll != 0) || (!waits && b->phase))
        return "a call that does not wait for that";
    if (b->side.value && b->side.call != JDI_COLLECTIVE_END)
        return "the status of a body that has not returned";
    return NULL;
}

/* ---- what ranks need of each other ---------------------------------------------------- */

/* Has this rank done what the rank at b waits for? */
static bool has_provided(const struct jdi_rank *r, const struct jdi_blocked *b)
{
    if (!b->coll)
        return jdi_am_reduce_begun(r->am) > b->reductions;
    const jd_coll *c = r->colls[b->coll];
    return c && (int32_t)(c->phase - b->phase) >= 0;
}

static bool waits_unlike(const struct jdi_rank *r, const struct jdi_blocked *b)
{
    return r->standstill.here && b->rank != r->am->rank && !has_provided(r, b);
}

static void answer_blocked(struct jdi_rank *r, const struct jdi_blocked *b)
{
    if (waits_unlike(r, b))
        send_blocked(r, b->rank, ANSWER, &r->standstill.mine);
}

/* ---- the known waits -------------------------------------------------------------------------- */

static bool is_same_wait(const struct jdi_blocked *a, const struct jdi_blocked *b)
{
    return a->coll == b->coll && a->phase == b->phase;
}

/* Add a wait that is not known, or the larger status of one that is.  False: nothing new. */
static bool note_blocked(struct jdi_blocked_list *l, const struct jdi_blocked *b)
{
    if (l->n && l->known[0].reductions > b->reductions)
        return false;
    if (l->n && l->known[0].reductions < b->reductions)
        l->n = 0;
    unsigned known = l->n < JDI_STANDSTILL_KNOWN ? l->n : JDI_STANDSTILL_KNOWN;
    struct jdi_blocked *at = NULL;
    for (unsigned i = 0; i < known && !at; i++)
        if (is_same_wait(&l->known[i], b))
            at = &l->known[i];
    if (at && at->side.value >= b->side.value)
        return false;
    if (!at)
        at = &l->known[l->n++ % JDI_STANDSTILL_KNOWN];
    *at = *b;
    return true;
}

static struct jdi_blocked_lists *lists_of(struct jdi_rank *r)
{
    struct jdi_standstill *s = &r->standstill;
    if (!s->heard)
        s->heard = jdi_zalloc(&r->am->fault, sizeof *s->heard);
    if (!s->heard)
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for what bodies wait for");
    return s->heard;
}

/* All ranks shall hear of b.  False if it is not new. */
static bool spread_blocked(struct jdi_rank *r, const struct jdi_blocked *b)
{
    if (!note_blocked(&lists_of(r)->down, b))
        return false;
    uint32_t arity = (uint32_t)r->knobs->tree_arity;
    uint64_t first = jdi_tree_first_kid(r->am->rank, arity);
    for (uint32_t i = 0; i < jdi_tree_kids(r->am->rank, arity, r->am->nranks); i++)
        send_blocked(r, (uint32_t)(first + i), DOWN, b);
    answer_blocked(r, b);
    return true;
}

/* This rank, or one below it, waits at b.  False if that is not new. */
static bool gather_blocked(struct jdi_rank *r, const struct jdi_blocked *b)
{
    struct jdi_blocked_list *up = &lists_of(r)->up;
    if (!note_blocked(up, b))
        return false;
    if (r->am->rank) {
        send_blocked(r, jdi_tree_parent(r->am->rank, (uint32_t)r->knobs->tree_arity), UP,
                     b);
        return true;
    }
    for (unsigned i = 0; up->n > 1 && i < up->n && i < JDI_STANDSTILL_KNOWN; i++)
        (void)spread_blocked(r, &up->known[i]);
    return true;
}

static void on_blocked(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    uint32_t arity = (uint32_t)r->knobs->tree_arity;
    struct jdi_blocked b = blocked_in(in);
    enum way way = (enum way)JDI_GET(in->msg, BLOCKED, way);
    const char *fault = fault_of_blocked(&b);
    bool parent = r->am->rank && in->src == jdi_tree_parent(r->am->rank, arity);
    bool child = in->src && jdi_tree_parent(in->src, arity) == r->am->rank;
    if (fault)
        jdi_am_refuse(in, fault);
    if (way == ANSWER ? b.rank != in->src : way == UP ? !child : !parent)
        jdi_am_refuse(in, "its sender cannot know that");
    if (way == ANSWER && waits_unlike(r, &b)) {
        if (r->am->rank < b.rank)
            jdi_collective_differ(r, &r->standstill.mine, &b);
        answer_blocked(r, &b); /* one of the two is enough to say it */
        return;
    }
    if (way == ANSWER || !(way == UP ? gather_blocked : spread_blocked)(r, &b))
        jdi_am_ignore(in);
}

/* ---- the body ------------------------------------------------------------------------ */

static void stand(struct jdi_rank *r, const struct jdi_blocked *b)
{
    struct jdi_standstill *s = &r->standstill;
    if (r->am->nranks == 1)
        return;
    s->mine = *b;
    s->mine.rank = s->mine.side.rank = r->am->rank;
    s->here = true;
    s->told = false;
    s->since = 0;
}

void jdi_standstill_reduce(struct jdi_rank *r, const struct jdi_am_reduce *reduce)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    bool end = reduce->call == JDI_COLLECTIVE_END;
    stand(r, &(struct jdi_blocked){.reductions = jdi_am_reduce_begun(r->am) - 1,
                                   .side = {.call = reduce->call,
                                            .kind = reduce->kind,
                                            .op = reduce->op,
                                            .n = reduce->n,
                                            .value = end ? *reduce->value : 0}});
}

void jdi_standstill_wait(struct jdi_rank *r, unsigned call, const jd_coll *c)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    stand(r, &(struct jdi_blocked){
                 .coll = c->id,
                 .phase = c->phase,
                 .reductions = jdi_am_reduce_begun(r->am),
                 .side = {.call = (uint8_t)call, .kind = JDI_AM_U64, .op = JD_SUM}});
}

void jdi_standstill_leave(struct jdi_rank *r)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    r->standstill.here = false;
}

static void tell_blocked(struct jdi_rank *r)
{
    struct jdi_standstill *s = &r->standstill;
    if (JDI_LIKELY(!s->here || s->told))
        return;
    uint64_t now = jdi_rank_now(r);
    if (!s->since)
        s->since = now;
    if (now - s->since < tell_ns) {
        jdi_rank_again(r, s->since + tell_ns);
        return;
    }
    s->told = true;
    (void)gather_blocked(r, &s->mine);
    const struct jdi_blocked_list *down = &lists_of(r)->down;
    for (unsigned i = 0; i < down->n && i < JDI_STANDSTILL_KNOWN; i++)
        if (down->known[i].reductions == s->mine.reductions)
            answer_blocked(r, &down->known[i]);
}

void jdi_standstill_init(struct jdi_rank *r)
{
    jdi_am_set_handler(r->am, JDI_MSG_BLOCKED, on_blocked, r);
    jdi_rank_on_turn(r, tell_blocked);
}

void jdi_standstill_fini(struct jdi_rank *r)
{
    jdi_free(r->standstill.heard);
}
