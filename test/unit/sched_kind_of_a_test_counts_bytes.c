/*
 * sched_kind_of_a_test_counts_bytes.c
 *
 * Role: a third kind of collection, made here: what it counts, and what its detector is told, is
 *       bytes of argument.  Each byte has an id, as each task of a plain collection has one.
 * Owner: as kind.h; what is seen is the body's between phases.
 * See: sched/kind.h; sched/plain.c, whose layout of messages and end of a phase this kind uses.
 */
#include "sched/coll_api.h"
#include "sched/plain.h"
#include "test/dist/sched_kit.h"

enum { RANKS = 3, WORKERS = 2, PHASES = 4, SEEDS = 60, ARG = 48, SELDOM = 128 };

/* One per rank, found by its number: the ranks share a process. */
static struct seen {
    _Atomic uint64_t added, ran[WORKERS], tasks;
    uint64_t stat[JDI_TD_STATS]; /* as announced */
} table[RANKS];

static struct seen *seen(const struct jdi_rank *r)
{
    return &table[r->am->rank];
}

/* The ids of its bytes, of which there is one at least, are those from the task's on. */
static void add(jd_self *me, jd_coll *c, uint32_t len)
{
    struct jdi_seat *seat = &c->seat[me->worker->index];
    struct jdi_task *t = jdi_store_push(&seat->shelf);
    JD_CHECK(t);
    memset(jdi_account_new(&seat->account, t, 0, 0, len)->arg, (int)len, len);
    jdi_account_in(&seat->account, len - 1);
    jdi_store_put(&seat->shelf);
    atomic_fetch_add(&seen(c->rank)->added, len);
}

static uint32_t run(jd_self *me, jd_coll *c, uint32_t fuel)
{
    unsigned char arg[ARG];
    const struct jdi_task *t;
    uint32_t ran = 0;
    jdi_coll_sit(me, c);
    for (; ran < fuel && (t = jdi_store_pop(&me->seat->shelf)); ran++) {
        const uint32_t len = t->len;
        for (uint32_t i = 0; i < len; i++)
            jdi_account_starts(&me->seat->account, t->id + i);
        memcpy(arg, t->arg, len);
        jdi_store_popped(&me->seat->shelf);
        c->row[0].fn(me, arg);
        jdi_account_out(&me->seat->account, len);
    }
    me->coll = NULL;
    return ran;
}

/* All that went out is read before any that came in. */
static bool idle(const jd_coll *c)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < c->nowners; i++)
        bytes -= atomic_load(&c->seat[i].account.out);
    for (unsigned i = 0; i < c->nowners; i++)
        bytes += atomic_load(&c->seat[i].account.in);
    return !bytes && !c->held;
}

static void announced(jd_coll *c, uint32_t phase, const uint64_t stat[JDI_TD_STATS])
{
    memcpy(seen(c->rank)->stat, stat, sizeof seen(c->rank)->stat);
    jdi_plain_kind.announced(c, phase, stat);
}

/* The plain kind counts one for each task, so the rest is counted here; the bytes go along. */
static void *pack(jd_coll *c, const struct jdi_claim *claim, struct jdi_am_msg *m)
{
    void *block = jdi_plain_kind.pack(c, claim, m);
    for (uint64_t i = 0; i < claim->n; i++)
        m->arg[4] += jdi_claim_slot(claim, i)->len;
    m->nargs = 5;
    jdi_account_out(jdi_coll_network(c), m->arg[4] - claim->n);
    return block;
}

static const char *fault(const jd_coll *c, const struct jdi_am_msg *m)
{
    const char *text = jdi_plain_kind.fault(c, m);
    uint64_t bytes = 0;
    for (uint32_t at = 0; !text && at < m->len; at += c->slot_size)
        bytes += ((const struct jdi_task *)((const char *)m->data + at))->len;
    return text || bytes == m->arg[4] ? text : "not as many bytes as it says";
}

static void unpack(jd_coll *c, const struct jdi_am_in *in)
{
    jdi_account_in(jdi_coll_network(c), in->msg->arg[4] - (in->msg->arg[1] >> 32));
    jdi_plain_kind.unpack(c, in);
}

/* Goes on until every worker has run one; now and then there is one more, for a neighbour. */
static void work(jd_self *me, void *arg)
{
    const unsigned char *byte = arg, len = byte[0];
    int n = atomic_fetch_add(&seen(me->rank)->tasks, 1) % SELDOM ? 1 : 2;
    bool all = true;
    JD_CHECK(byte[len - 1] == len);
    atomic_fetch_add(&seen(me->rank)->ran[jd_worker(me)], len);
    for (int i = 0; i < RANKS * WORKERS; i++)
        all = all && atomic_load(&table[i / WORKERS].ran[i % WORKERS]);
    for (int i = 0; i < n && !all; i++)
        add(me, jd_coll_mine(me), (uint32_t)(len + i) % ARG + 1);
}

static void test_phase(jd_self *me, jd_coll *c, unsigned i)
{
    struct seen *s = seen(me->rank);
    *s = (struct seen){0};
    must(me, jd_barrier(me)); /* all have forgotten the last one */
    for (uint32_t k = 0; k < SEEDS && i % RANKS == jd_rank(me); k++)
        add(me, c, k % ARG + 1);
    must(me, jd_coll_process(me, c));
    jd_coll_info info = info_of(me, c);
    uint64_t all = sum_of(me, s->added), ran = s->ran[0] + s->ran[1];
    ok_all(me, info.created == s->added && info.executed == ran, "bytes are counted");
    ok_all(me, s->added + info.stolen_in == ran + info.stolen_out, "all of it goes out");
    ok_all(me, s->stat[0] == all && s->stat[1] == all && !s->stat[2] && !s->stat[3],
           "all ranks hear of as many bytes, and the ids of these close");
}

static int body(jd_self *me, int argc, char **argv)
{
    struct jdi_kind bytes = jdi_plain_kind;
    bytes.run = run, bytes.idle = idle, bytes.announced = announced;
    bytes.pack = pack, bytes.fault = fault, bytes.unpack = unpack;
    const jd_coll_props props = {.arg_size = ARG, .uniform = 1, .no_restore = 1};
    jd_coll *c;
    (void)argc, (void)argv;
    must(me, jdi_coll_api_create(me, &bytes, &props, &c));
    for (unsigned i = 0; i < PHASES; i++)
        test_phase(me, c, i);
    return jd_coll_destroy(me, c);
}

int main(int argc, char **argv)
{
    static const jd_task_def tasks[] = {JD_TASK(work), JD_TASK_END};
    setenv("JACKDAW_ULT", "boost", 1);
    setenv("JACKDAW_RANKS", "3", 1), setenv("JACKDAW_WORKERS", "2", 1);
    ok(!jd_launch(argc, argv, body, tasks), "the job has ended well");
    return done_testing();
}
