/*
 * sched_lies.c - a job in which one rank lies once.
 *
 * Role: the honest program, and the liar's network.
 * Owner: the liar's communication thread, but for `shared`, which the ranks write before barriers.
 * See: sched_lies.h.
 */
#include "test/dist/sched_lies.h"

#include "am/core.h"
#include "sched/balance/balance.h"
#include "sched/live/live.h"
#include "sched/unblock.h"
#include "sched/worker.h"
#include "test/dist/sched_kit.h"

enum {
    LARGE = 200000,
    KEEP = 40,
    TASKS = 60,
    SPIN = 400,
    LATE_NS = 200000000,
    NULLS = 30
};

/* ---- the network ---------------------------------------------------------------------- */

static struct {
    struct lie lie;
    const struct jdi_am_ops *honest;
    struct jdi_am_ops ops;
    unsigned seen; /* messages of its type */
    bool told;
    /* LATER */
    bool kept;
    unsigned left; /* messages until then */
    uint32_t dst;
    struct jdi_am_msg m;
    unsigned char *bytes;
    unsigned char spoilt[JDI_BALANCE_BYTES]; /* BIT */
} liar;

/* A message that nobody has paid for: its credit will come back. */
static void send_extra(struct jdi_am *am, uint32_t dst, struct jdi_am_msg m)
{
    struct jdi_am_peer *p = jdi_am_queue_peer(am, dst);
    m.wire = m.type == JDI_MSG_CREDIT ? m.wire : 0;
    p->in_flight = (uint16_t)(p->in_flight + (m.type != JDI_MSG_CREDIT));
    if (liar.honest->request(am, dst, &m))
        bail_out("the network is full");
}

static void keep(uint32_t dst, const struct jdi_am_msg *m)
{
    liar.kept = true;
    liar.left = KEEP;
    liar.dst = dst;
    liar.m = *m;
    liar.bytes = malloc(m->len + 1);
    memcpy(liar.bytes, m->len ? m->data : "", m->len);
    liar.m.data = liar.bytes;
}

/* Does the liar have a credit for it?  One that sends without is another lie. */
static bool may_send(struct jdi_am *am, uint32_t dst, const struct jdi_am_msg *m)
{
    return m->type == JDI_MSG_CREDIT ||
           jdi_am_queue_peer(am, dst)->in_flight < am->credits;
}

static void send_kept(struct jdi_am *am)
{
    liar.kept = !may_send(am, liar.dst, &liar.m);
    liar.left = 1; /* if not now, before the next message */
    if (!liar.kept)
        send_extra(am, liar.dst, liar.m);
}

static void send_or_keep(struct jdi_am *am, uint32_t dst, const struct jdi_am_msg *m)
{
    keep(dst, m);
    send_kept(am);
}

/* NEAR: the value that the field of this message gets; false: its row does not permit it. */
static bool near_value(const struct jdi_am_msg *m, uint64_t *value)
{
    const uint64_t bound[JDI_AM_BOUNDS] = {
        [JDI_AM_BOUND_RANKS] = LIES_RANKS, [JDI_AM_BOUND_COLLS] = JDI_COLLS_MAX};
    const struct jdi_am_field *f = liar.lie.field;
    uint64_t mask = UINT64_MAX >> (64 - f->bits);
    uint64_t most = f->bound ? bound[f->bound] - 1 : f->most;
    *value = ((m->arg[f->arg] >> f->bit) + liar.lie.value) & mask;
    return f->arg < m->nargs &&
           ((*value - f->least) & mask) <= ((most - f->least) & mask);
}

/* The message as it is changed. */
static struct jdi_am_msg changed(const struct jdi_am_msg *m)
{
    const struct jdi_am_form *f = jdi_am_messages_form(m->type);
    struct jdi_am_msg lie = *m;
    const struct jdi_am_field *field = liar.lie.field;
    uint64_t value = liar.lie.value;
    switch (liar.lie.how) {
    case LIE_NEAR:
        (void)near_value(m, &value);
        /* fall through */
    case LIE_FIELD:
        lie.arg[field->arg] &= ~(UINT64_MAX >> (64 - field->bits) << field->bit);
        lie.arg[field->arg] |= value << field->bit;
        if (field->arg >= lie.nargs)
            lie.nargs = (uint8_t)(field->arg + 1);
        break;
    case LIE_FEWER:
        lie.nargs = (uint8_t)(f->fewest - 1);
        break;
    case LIE_MORE:
        lie.nargs = (uint8_t)(f->most + 1);
        break;
    case LIE_SHORT:
        lie.len = f->least - 1;
        break;
    case LIE_BIT:
        memcpy(liar.spoilt, m->data, m->len);
        liar.spoilt[liar.lie.value / 8] ^= (unsigned char)(1 << liar.lie.value % 8);
        lie.data = liar.spoilt;
        break;
    case LIE_LONG:
        lie.len = 1;
        lie.data = "";
        break;
    case LIE_TWICE:
    case LIE_ELSEWHERE:
    case LIE_LATER:
        break;
    }
    return lie;
}

/* What comes on top of the message to dst. */
static void repeat(struct jdi_am *am, uint32_t dst, const struct jdi_am_msg *m)
{
    if (liar.lie.how == LIE_TWICE)
        send_or_keep(am, dst, m);
    else if (liar.lie.how == LIE_ELSEWHERE)
        send_or_keep(am, LIES_RANKS - am->rank - dst, m);
    else if (liar.lie.how == LIE_LATER)
        keep(dst, m);
}

static bool is_time(const struct jdi_am_msg *m)
{
    uint64_t value;
    if (m->type != liar.lie.type || liar.told)
        return false;
    if (liar.lie.how == LIE_NEAR && !near_value(m, &value))
        return false;
    liar.told = ++liar.seen == liar.lie.nth;
    return liar.told;
}

static void wait_to_repeat(struct jdi_am *am)
{
    if (liar.kept && !--liar.left)
        send_kept(am);
}

static int lying_request(struct jdi_am *am, uint32_t dst, const struct jdi_am_msg *m)
{
    wait_to_repeat(am);
    if (!is_time(m))
        return liar.honest->request(am, dst, m);
    struct jdi_am_msg lie = changed(m);
    int rc = liar.honest->request(am, dst, &lie);
    repeat(am, dst, m);
    return rc;
}

static void lying_reply(struct jdi_am *am, void *token, const struct jdi_am_msg *m)
{
    uint32_t dst = jdi_am_handling(am)->src;
    if (!is_time(m)) {
        liar.honest->reply(am, token, m);
        return;
    }
    struct jdi_am_msg lie = changed(m);
    liar.honest->reply(am, token, &lie);
    repeat(am, dst, m);
}

/* ---- the program ---------------------------------------------------------------------- */

enum { TREE, TRY, HELP, LOOP, IDLE, BUSY, TASK_ROWS };

static struct {
    jd_future future[LIES_RANKS][4];
    jd_finish_id finish[LIES_RANKS];
    unsigned char large[LIES_RANKS][LARGE];
} shared;

static void tree(jd_self *me, void *arg)
{
    unsigned depth = *(unsigned *)arg;
    jd_compute(me, 2000);
    for (unsigned i = 0; depth && i < 2; i++) {
        unsigned below = depth - 1;
        must(me, jd_coll_add(me, jd_coll_mine(me), TREE, &below, sizeof below));
    }
}

static void try(jd_self *me, void *arg)
{
    unsigned depth = *(unsigned *)arg;
    jd_compute(me, 2000);
    for (unsigned i = 0; depth && i < 2; i++) {
        unsigned below = depth - 1;
        must(me, jd_async(me, TRY, &below, sizeof below));
    }
}

/* Goes on to the next rank, and gives the tasks away there. */
static void help(jd_self *me, void *arg)
{
    unsigned hops = *(unsigned *)arg, deep = 2;
    must(me, jd_async(me, TRY, &deep, sizeof deep));
    if (!hops--)
        return;
    must(me, jd_async_at(me, (jd_rank(me) + 1) % LIES_RANKS, HELP, &hops, sizeof hops));
}

/* Until it is cancelled, but not for ever: the news may be what is lied about. */
static void loop(jd_self *me, void *arg)
{
    bool cancels = *(bool *)arg;
    for (int i = 0; i < SPIN && !jd_cancelled(me); i++) {
        if (cancels && i == 5)
            must(me, jd_cancel(me, jd_finish_mine(me)));
        jd_compute(me, 5000);
        jd_yield(me);
    }
}

static void process(jd_self *me)
{
    jd_coll *c;
    unsigned depth = 4;
    must(me, jd_coll_create(me, NULL, &c));
    for (int phase = 0; phase < 3; phase++) {
        for (unsigned i = 0; i < 2 + 4 * ((jd_rank(me) + (unsigned)phase) % 3); i++)
            must(me, jd_coll_add(me, c, TREE, &depth, sizeof depth));
        must(me, jd_coll_process(me, c));
    }
    must(me, jd_coll_destroy(me, c));
}

/* Every second one has nothing to do. */
static void idle(jd_self *me, void *arg)
{
    jd_compute(me, 5000);
    if (--*(unsigned *)arg % 2)
        must(me, jd_task_null(me));
}

static void busy(jd_self *me, void *arg)
{
    jd_compute(me, 5000 + 100 * *(unsigned *)arg);
}

/* The liar has none of its own, so what it says is about those of others. */
static void prune(jd_self *me)
{
    jd_coll_props props = {.timed = 1};
    jd_coll *c;
    must(me, jd_coll_create(me, &props, &c));
    for (int phase = 0; phase < 3; phase++) {
        for (unsigned i = 0; jd_rank(me) != 1 && i < NULLS; i++)
            must(me, jd_coll_add(me, c, IDLE, &i, sizeof i));
        must(me, jd_coll_process(me, c));
        must(me, jd_coll_restore(me, c, JD_RESTORE_SEED));
        must(me, jd_coll_process(me, c));
    }
    must(me, jd_coll_destroy(me, c));
}

/* The liar has all of them, so it is the one that gives some away. */
static void balance(jd_self *me)
{
    static const enum jd_restore how[] = {JD_RESTORE_TREE, JD_RESTORE_GOSSIP,
                                          JD_RESTORE_CENTRAL};
    jd_coll_props props = {.timed = 1};
    jd_coll *c;
    must(me, jd_coll_create(me, &props, &c));
    must(me, jd_coll_stealing(me, c, JD_STEAL_NONE));
    for (int phase = 0; phase < 3; phase++) {
        for (unsigned i = 0; jd_rank(me) == 1 && i < NULLS; i++)
            must(me, jd_coll_add(me, c, BUSY, &i, sizeof i));
        must(me, jd_coll_process(me, c));
        must(me, jd_coll_restore(me, c, how[phase]));
        must(me, jd_coll_process(me, c));
    }
    must(me, jd_coll_destroy(me, c));
}

static void finishes(jd_self *me)
{
    unsigned hops = 7;
    for (int i = 0; i < 2; i++) {
        jd_scope s;
        must(me, jd_finish_begin(me, &s));
        must(me,
             jd_async_at(me, (jd_rank(me) + 1) % LIES_RANKS, HELP, &hops, sizeof hops));
        must(me, jd_finish_end(me, &s));
    }
    must(me, jd_barrier(me));
}

/* A finish of each rank is cancelled by a task on another. */
static void cancels(jd_self *me)
{
    for (int i = 0; i < 2; i++) {
        jd_scope s;
        must(me, jd_finish_begin(me, &s));
        for (uint32_t to = 0; to < LIES_RANKS; to++) {
            bool which = to == (jd_rank(me) + 1 + (unsigned)i) % LIES_RANKS;
            must(me, jd_async_at(me, to, LOOP, &which, sizeof which));
        }
        int ended = jd_finish_end(me, &s);
        if (ended && ended != JD_ECANCELED)
            jd_abort(me, 99, "the end of a finish: %d", ended);
        must(me, jd_barrier(me));
    }
}

static void spmd(jd_self *me, void *arg)
{
    unsigned depth = 4;
    (void)arg;
    must(me, jd_async(me, TRY, &depth, sizeof depth));
}

static void futures(jd_self *me)
{
    uint32_t rank = jd_rank(me), next = (rank + 1) % LIES_RANKS;
    unsigned char *large = shared.large[rank];
    uint64_t word = 7;
    for (int i = 0; i < 4; i++)
        must(me, jd_future_create(me, &shared.future[rank][i]));
    must(me, jd_barrier(me));
    must(me, jd_future_set(me, shared.future[next][0], &word, sizeof word));
    must(me, jd_future_get(me, shared.future[(rank + 2) % LIES_RANKS][0], &word,
                           sizeof word));
    must(me, jd_future_set(me, shared.future[next][1], large, LARGE));
    must(me, jd_future_get(me, shared.future[(rank + 2) % LIES_RANKS][1], large, LARGE));
    must(me, jd_future_ready(me, shared.future[next][2]));
    must(me, jd_barrier(me));
}

static void moves(jd_self *me)
{
    uint32_t rank = jd_rank(me), next = (rank + 1) % LIES_RANKS,
             last = (rank + 2) % LIES_RANKS;
    unsigned char *large = shared.large[rank];
    jd_mem mem;
    must(me, jd_mem_create(me, NULL, 2 * LARGE, &mem));
    for (int i = 0; i < 2; i++) {
        must(me, jd_put(me, mem, next, 0, large, LARGE / 2));
        must(me, jd_get(me, mem, next, 0, large, LARGE / 2));
        must(me, jd_copy(me, mem, next, 0, last, LARGE, LARGE / 2));
        must(me, jd_accumulate(me, mem, next, 0, (double[500]){0}, 500));
    }
    must(me, jd_mem_destroy(me, mem));
}

/* The liar's network belongs to its communication thread. */
struct errand {
    struct jdi_call call;
    void (*fn)(struct jdi_am *am);
    _Atomic bool done;
};

static void run_errand(struct jdi_rank *r, struct jdi_call *call)
{
    struct errand *e = jdi_container_of(call, struct errand, call);
    e->fn(r->am);
    atomic_store(&e->done, true);
}

static void liar_does(jd_self *me, void (*fn)(struct jdi_am *am))
{
    struct errand e = {.fn = fn};
    if (jd_rank(me) != liar.lie.liar)
        return;
    e.call.run = run_errand;
    jdi_rank_post(me->rank, &e.call);
    while (!atomic_load(&e.done))
        jd_yield(me);
}

static void begin_to_lie(struct jdi_am *am)
{
    liar.honest = am->ops;
    liar.ops = *am->ops;
    liar.ops.request = lying_request;
    liar.ops.reply = lying_reply;
    am->ops = &liar.ops;
}

static void end_of_lies(struct jdi_am *am)
{
    if (liar.kept)
        send_kept(am);
}

/* Something changes in more than two intervals of JACKDAW_PROGRESS. */
static void go_on_for_long(jd_self *me)
{
    for (uint64_t i = 0; i < 25; i++) {
        must(me, jd_progress(me, i, 25));
        jd_compute(me, LATE_NS / 20);
        jd_yield(me);
    }
}

/* Each rank collects the state of all in its turn. */
struct look {
    struct jdi_call call;
    jd_self *me;
    bool start, goes_on;
};

static void run_look(struct jdi_rank *r, struct jdi_call *call)
{
    struct look *l = jdi_container_of(call, struct look, call);
    if (l->start)
        jdi_collect_start(r, UINT64_MAX);
    l->goes_on = r->live->collect.of != NULL;
    jdi_unblock(NULL, l->me);
}

static void states(jd_self *me)
{
    for (uint32_t i = 0; i < 2 * LIES_RANKS; i++) {
        struct look l = {.call.run = run_look, .me = me, .start = true, .goes_on = true};
        while (i % LIES_RANKS == jd_rank(me) && l.goes_on) {
            jdi_self_call(me, &jdi_self_asks_comm, &l.call);
            l.start = false;
            jd_yield(me);
        }
        must(me, jd_barrier(me));
    }
}

static int body(jd_self *me, int argc, char **argv)
{
    uint64_t words[3] = {1, 2, 3};
    (void)argc, (void)argv;
    liar_does(me, begin_to_lie);
    must(me, jd_allreduce_u64(me, words, 3, JD_SUM));
    moves(me);
    futures(me);
    process(me);
    prune(me);
    balance(me);
    finishes(me);
    cancels(me);
    must(me, jd_finish_spmd(me, spmd, NULL));
    if (liar.lie.type == JDI_MSG_STATE)
        states(me);
    if (liar.lie.type == JDI_MSG_BLOCKED && jd_rank(me) == 2)
        jd_compute(me, LATE_NS); /* the others wait long enough to say so */
    if (liar.lie.type == JDI_MSG_LIVE && jd_rank(me) == liar.lie.liar)
        go_on_for_long(me);
    must(me, jd_allreduce_u64(me, words, 3, JD_SUM));
    liar_does(me, end_of_lies);
    must(me, jd_barrier(me));
    return 0;
}

int lies_job(const struct lie *l)
{
    static const jd_task_def tasks[] = {
        [TREE] = JD_TASK(tree),   [TRY] = JD_TASK(try),   [HELP] = JD_TASK(help),
        [LOOP] = JD_TASK(loop),   [IDLE] = JD_TASK(idle), [BUSY] = JD_TASK(busy),
        [TASK_ROWS] = JD_TASK_END};
    static char name[] = "lies", *argv[] = {name, NULL};
    liar.lie = *l;
    int status = jd_launch(1, argv, body, tasks);
    return status ? status : liar.told ? 0 : LIES_UNTOLD;
}
