/*
 * reduce.c - reductions and barriers over plain messages.
 *
 * Role: combines values up a tree with rank 0 at its root and sends the result down.
 * Owner: the communication thread of the rank.
 * Invariants: I1 reductions are numbered in the order of their start, which is the same
 *                on every rank; a child's values may come before this rank has started.
 *             I2 values are combined in the order own, first child, second child ..., so
 *                that a sum of doubles does not depend on the order of arrival.
 *             I3 a reduction is in the list from its first event until its result is here.
 * See: doc/am.md section 4, test/am/behaviour.c.
 *
 *     from       event                         to         message
 *     (none)     start or UP of a child        GATHER
 *     GATHER     own and all children here     REPORTED   UP to the parent
 *     REPORTED   DOWN of the parent            (done)     DOWN to the children
 *     GATHER     the same at the root          (done)     DOWN to the children
 */
#include "am/core.h"

#include <string.h>

enum state { GATHER = 1, REPORTED };

struct jdi_am_reduct {
    struct jdi_am_reduct *next;
    enum state state;
    uint64_t seq, shape;
    struct jdi_am_reduce *mine;   /* NULL until this rank has started it */
    unsigned have;                /* children whose values are here and not combined */
    uint64_t *part[JDI_AM_ARITY]; /* the children's values, heap */
};

enum { HEAD = 2, INLINE = JDI_AM_ARGS - HEAD }; /* arguments: number, shape, values */

/* ---- values -------------------------------------------------------------------------- */

static uint64_t combine_u64(enum jd_op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case JD_SUM:
        return a + b;
    case JD_MIN:
        return a < b ? a : b;
    case JD_MAX:
        return a > b ? a : b;
    default:
        return a ^ b;
    }
}

static uint64_t combine_f64(enum jd_op op, uint64_t a, uint64_t b)
{
    double x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    if (op == JD_SUM)
        x += y;
    else if (op == JD_MIN ? y < x : y > x)
        x = y;
    memcpy(&a, &x, sizeof a);
    return a;
}

static void combine(const struct jdi_am_reduce *r, const uint64_t *from)
{
    for (uint32_t i = 0; i < r->n; i++)
        r->value[i] = r->kind == JDI_AM_F64 ? combine_f64(r->op, r->value[i], from[i])
                                            : combine_u64(r->op, r->value[i], from[i]);
}

static uint64_t shape_of_reduce(const struct jdi_am_reduce *r)
{
    return (uint64_t)r->n << 32 | (uint64_t)r->call << 16 | (uint64_t)r->kind << 8 |
           (uint64_t)r->op;
}

static uint32_t length(uint64_t shape)
{
    return (uint32_t)(shape >> 32);
}

/* ---- messages ------------------------------------------------------------------------ */

static void send_values(struct jdi_am *am, uint32_t dst, uint8_t type,
                        const struct jdi_am_reduct *t)
{
    uint32_t n = t->mine->n;
    struct jdi_am_msg m = {.type = type, .nargs = HEAD, .arg = {t->seq, t->shape}};
    if (n <= INLINE) {
        m.nargs = (uint8_t)(HEAD + n);
        for (uint32_t i = 0; i < n; i++)
            m.arg[HEAD + i] = t->mine->value[i];
    } else {
        m.data = t->mine->value;
        m.len = n * (uint32_t)sizeof(uint64_t);
    }
    if (jdi_am_send_any(am, dst, &m))
        jdi_am_no_memory(am, "a reduction");
}

/* Where the values of a checked message are; not aligned if they are its payload. */
static const void *values_of(struct jdi_am *am, uint32_t src, const struct jdi_am_msg *m)
{
    uint32_t n = length(m->arg[1]);
    bool in_args = n <= INLINE;
    if (m->nargs != HEAD + (in_args ? n : 0) ||
        m->len != (in_args ? 0 : (uint64_t)n * sizeof(uint64_t)))
        jdi_am_peer_fault(am, src, m->type, "a reduction of the wrong size");
    return in_args ? m->arg + HEAD : m->data;
}

/* ---- the tree ------------------------------------------------------------------------ */

static unsigned children(const struct jdi_am *am)
{
    uint64_t first = (uint64_t)am->rank * JDI_AM_ARITY + 1;
    if (first >= am->nranks)
        return 0;
    uint64_t n = am->nranks - first;
    return n < JDI_AM_ARITY ? (unsigned)n : JDI_AM_ARITY;
}

static struct jdi_am_reduct **find_reduct(struct jdi_am *am, uint64_t seq)
{
    struct jdi_am_reduct **at = &am->core->reducts;
    while (*at && (*at)->seq != seq)
        at = &(*at)->next;
    return at;
}

static struct jdi_am_reduct *make_reduct(struct jdi_am *am, uint64_t seq, uint64_t shape)
{
    struct jdi_am_reduct *t = jdi_zalloc(&am->fault, sizeof *t);
    if (!t)
        return NULL;
    t->state = GATHER;
    t->seq = seq;
    t->shape = shape;
    t->next = am->core->reducts;
    am->core->reducts = t;
    return t;
}

static void unmake(struct jdi_am_reduct *t)
{
    for (unsigned i = 0; i < JDI_AM_ARITY; i++)
        jdi_free(t->part[i]);
    jdi_free(t);
}

/* The result is in mine->value: pass it on, and let the next poll run `done`. */
static void finish_reduct(struct jdi_am *am, struct jdi_am_reduct *t)
{
    struct jdi_am_core *core = am->core;
    for (unsigned i = 0; i < children(am); i++)
        send_values(am, am->rank * JDI_AM_ARITY + 1 + i, JDI_MSG_DOWN, t);
    t->mine->next = NULL;
    if (core->reduced)
        core->reduced_tail->next = t->mine;
    else
        core->reduced = t->mine;
    core->reduced_tail = t->mine;
    *find_reduct(am, t->seq) = t->next;
    core->open_reducts--;
    unmake(t);
}

/* Report if this rank and all its children have given their values. */
static void advance(struct jdi_am *am, struct jdi_am_reduct *t)
{
    if (t->state != GATHER || !t->mine || t->have < children(am))
        return;
    for (unsigned i = 0; i < children(am); i++) {
        combine(t->mine, t->part[i]);
        t->have--;
    }
    JD_CHECK(!t->have);
    if (am->rank == 0) {
        finish_reduct(am, t);
        return;
    }
    t->state = REPORTED;
    send_values(am, (am->rank - 1) / JDI_AM_ARITY, JDI_MSG_UP, t);
}

/* What is wrong with a child's values for t, NULL if nobody has begun it; NULL: nothing. */
static const char *fault_of_up(const struct jdi_am *am, uint64_t child,
                               const struct jdi_am_reduct *t, const struct jdi_am_msg *m)
{
    uint64_t begun = am->core->next_reduct, seq = JDI_GET(m, UP, number);
    if (child >= children(am))
        return "values of a rank that is no child";
    if (!t && seq < begun)
        return "values for a reduction that is over";
    if (!t && seq - begun >= JDI_AM_REDUCE_OPEN)
        return "values for a reduction that is too far ahead";
    if (t && t->part[child])
        return "values twice for one reduction";
    return NULL;
}

/* The first child whose values are here. */
static uint32_t child_of(const struct jdi_am *am, const struct jdi_am_reduct *t)
{
    uint32_t i = 0;
    while (i < children(am) - 1 && !t->part[i])
        i++;
    return am->rank * JDI_AM_ARITY + 1 + i;
}

static struct jdi_am_side side_of(uint32_t rank, uint64_t shape, const void *values)
{
    struct jdi_am_side s = {.rank = rank,
                            .call = (uint8_t)(shape >> 16),
                            .kind = (enum jdi_am_kind)(shape >> 8 & 0xff),
                            .op = (enum jd_op)(shape & 0xff),
                            .n = length(shape)};
    if (s.n)
        memcpy(&s.value, values, sizeof s.value);
    return s;
}

/* Who has given t its shape: this rank, or the first child. */
static struct jdi_am_side side_of_first(const struct jdi_am *am,
                                        const struct jdi_am_reduct *t)
{
    if (t->mine)
        return side_of(am->rank, t->shape, t->mine->value);
    uint32_t child = child_of(am, t);
    return side_of(child, t->shape, t->part[child - am->rank * JDI_AM_ARITY - 1]);
}

/* The sender's reduction has another shape than that of `other`. */
static JD_NORETURN void refuse_shape(struct jdi_am *am, uint32_t src,
                                     const struct jdi_am_side *sender,
                                     const struct jdi_am_side *other)
{
    if (am->disagree && sender->call && other->call)
        am->disagree(am, other, sender);
    if (other->rank == am->rank)
        jdi_am_peer_fault(am, src, JDI_MSG_UP, "the ranks of a reduction do not agree");
    /* Of two children the first that came may be the wrong one. */
    jdi_am_peer_fault(am, src, JDI_MSG_UP,
                      "the ranks of a reduction do not agree; or else rank %u is wrong",
                      other->rank);
}

void jdi_am_reduce_on_up(struct jdi_am *am, uint32_t src, const struct jdi_am_msg *m)
{
    const void *values = values_of(am, src, m);
    uint64_t child = (uint64_t)src - (uint64_t)am->rank * JDI_AM_ARITY - 1;
    struct jdi_am_reduct *t = *find_reduct(am, m->arg[0]);
    const char *fault = fault_of_up(am, child, t, m);
    if (fault)
        jdi_am_peer_fault(am, src, m->type, "%s", fault);
    if (t && t->shape != m->arg[1]) {
        struct jdi_am_side first = side_of_first(am, t);
        struct jdi_am_side sender = side_of(src, m->arg[1], values);
        refuse_shape(am, src, &sender, &first);
    }
    if (!t)
        t = make_reduct(am, m->arg[0], m->arg[1]);
    if (!t)
        jdi_am_no_memory(am, "a reduction");
    size_t bytes = length(t->shape) * sizeof(uint64_t);
    t->part[child] = jdi_alloc(&am->fault, bytes ? bytes : 1);
    if (!t->part[child])
        jdi_am_no_memory(am, "a reduction");
    memcpy(t->part[child], values, bytes);
    t->have++;
    advance(am, t);
}

void jdi_am_reduce_on_down(struct jdi_am *am, uint32_t src, const struct jdi_am_msg *m)
{
    const void *values = values_of(am, src, m);
    struct jdi_am_reduct *t = *find_reduct(am, m->arg[0]);
    if (am->rank == 0 || src != (am->rank - 1) / JDI_AM_ARITY || !t ||
        t->state != REPORTED || t->shape != m->arg[1])
        jdi_am_peer_fault(am, src, m->type, "a result that nobody waits for");
    if (t->mine->n)
        memcpy(t->mine->value, values, t->mine->n * sizeof(uint64_t));
    finish_reduct(am, t);
}

/* ---- starting and finishing ---------------------------------------------------------- */

int jdi_am_reduce(struct jdi_am *am, struct jdi_am_reduce *r)
{
    JD_ASSERT(jdi_owner_is_me(&am->comm));
    bool kind = r->kind == JDI_AM_U64 || r->kind == JDI_AM_F64;
    bool op = r->op >= JD_SUM && r->op <= (r->kind == JDI_AM_F64 ? JD_MAX : JD_XOR);
    if (!kind || !op || r->call > JDI_AM_CALL_MOST || r->n > JDI_AM_REDUCE_MOST ||
        (r->n && !r->value))
        return JD_EINVAL;
    struct jdi_am_core *core = am->core;
    if (core->open_reducts == JDI_AM_REDUCE_OPEN)
        return JD_EAGAIN;
    struct jdi_am_reduct *t = *find_reduct(am, core->next_reduct);
    if (!t)
        t = make_reduct(am, core->next_reduct, shape_of_reduce(r));
    if (!t)
        return JD_ENOMEM;
    if (t->shape != shape_of_reduce(r)) {
        struct jdi_am_side child = side_of_first(am, t);
        struct jdi_am_side mine = side_of(am->rank, shape_of_reduce(r), r->value);
        refuse_shape(am, child.rank, &child, &mine);
    }
    core->next_reduct++;
    core->open_reducts++;
    t->mine = r;
    advance(am, t);
    return 0;
}

uint64_t jdi_am_reduce_begun(const struct jdi_am *am)
{
    return am->core->next_reduct;
}

void jdi_am_reduce_run(struct jdi_am *am)
{
    struct jdi_am_reduce *r = am->core->reduced;
    am->core->reduced = NULL;
    while (r) {
        struct jdi_am_reduce *next = r->next; /* `done` may start the same one again */
        r->done(r->ctx);
        r = next;
    }
}

void jdi_am_reduce_fini(struct jdi_am *am)
{
    struct jdi_am_reduct *t = am->core->reducts;
    while (t) {
        struct jdi_am_reduct *next = t->next;
        unmake(t);
        t = next;
    }
}

/* ---- blocking forms ------------------------------------------------------------------ */

static void set_flag(void *flag)
{
    *(bool *)flag = true;
}

/* Poll once, and if it was not the end of the wait give the processor away. */
static void wait_step(struct jdi_am *am, struct jdi_idle_round *round, const bool *done)
{
    static const struct jdi_idle_policy policy = {
        .spin_ns = 20000, .yield_ns = 1000000, .sleep_ns = 1000000};
    jdi_am_poll(am);
    if (*done)
        return;
    enum jdi_idle_stage stage = jdi_idle_stage(round, &policy, jdi_time_now(am->time));
    if (stage != JDI_IDLE_SLEEP || jdi_am_pending(am)) {
        jdi_time_pause(am->time, stage == JDI_IDLE_SLEEP ? JDI_IDLE_YIELD : stage);
        return;
    }
    uint32_t key = jdi_idle_prepare(am->idle);
    jdi_am_poll(am);
    if (*done || jdi_am_pending(am))
        jdi_idle_cancel(am->idle);
    else
        jdi_time_wait(am->time, am->idle, key, policy.sleep_ns);
}

int jdi_am_reduce_all(struct jdi_am *am, uint64_t *value, uint32_t n,
                      enum jdi_am_kind kind, enum jd_op op)
{
    bool done = false;
    struct jdi_am_reduce r = {
        .value = value, .n = n, .kind = kind, .op = op, .done = set_flag, .ctx = &done};
    int rc = jdi_am_reduce(am, &r);
    struct jdi_idle_round round = {0};
    while (!rc && !done)
        wait_step(am, &round, &done);
    return rc;
}

int jdi_am_reduce_barrier(struct jdi_am *am)
{
    return jdi_am_reduce_all(am, NULL, 0, JDI_AM_U64, JD_SUM);
}
