/*
 * sched_kind_of_a_test_counts_bytes.c
 *
 * Role: a third kind of collection, which counts bytes of argument.  Each byte has an id.
 * Owner: as kind.h; what is seen is the body's between phases.
 * See: sched/kind.h; sched/phase.h.
 */
#include "sched/coll_api.h"
#include "sched/phase.h"
#include "test/dist/sched_kit.h"

enum { RANKS = 3, WORKERS = 2, PHASES = 4, SEEDS = 60, ARG = 48 };

static struct seen {
    _Atomic uint64_t added, ran[WORKERS];
    uint64_t stat[JDI_TD_STATS]; /* as announced */
} table[RANKS];                  /* by rank, because the ranks share a process */

/* The ids of its bytes, of which there is one at least, are those from the task's on. */
static void add(jd_self *me, jd_coll *c, uint32_t len)
{
    struct jdi_seat *seat = &c->seat[me->worker->index];
    struct jdi_task *t = jdi_store_push(&seat->shelf);
    memset(jdi_account_new(&seat->account, t, 0, 0, len)->arg, (int)len, len);
    jdi_account_in(&seat->account, len - 1);
    jdi_store_put(&seat->shelf);
    atomic_fetch_add(&table[jd_rank(me)].added, len);
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

static void announced(jd_coll *c, uint32_t phase, const uint64_t stat[JDI_TD_STATS])
{
    memcpy(table[c->rank->am->rank].stat, stat, sizeof table->stat);
    jdi_phase_end(c, phase, stat[1]);
}

static void taken(jd_coll *c, struct jdi_seat *mine, uint64_t n)
{
    (void)c, (void)mine, (void)n;
}

static uint64_t fit(const jd_coll *c, const struct jdi_claim *claim, size_t bytes)
{
    return claim->n * c->slot_size <= bytes ? claim->n : 1;
}

static void *pack(jd_coll *c, const struct jdi_claim *claim, struct jdi_am_msg *m)
{
    for (uint64_t i = 0; i < claim->n; i++)
        m->arg[4] += jdi_claim_slot(claim, i)->len;
    m->nargs = 5, m->arg[2] = JDI_TASKS_STRAIGHT; /* and the number of bytes */
    m->data = jdi_claim_slot(claim, 0);
    m->len = (uint32_t)(claim->n * c->slot_size);
    jdi_account_out(jdi_coll_network(c), m->arg[4]);
    m->arg[1] = c->rank->detector->exported(c->td).wave | claim->n << 32;
    return NULL;
}

static const char *fault(const jd_coll *c, const struct jdi_am_msg *m)
{
    uint64_t bytes = 0;
    for (uint32_t at = 0; at < m->len; at += c->slot_size)
        bytes += ((const struct jdi_task *)((const char *)m->data + at))->len;
    bool whole = m->len == (m->arg[1] >> 32) * c->slot_size && bytes == m->arg[4];
    return whole ? NULL : "not as many bytes as it says";
}

static void land(jd_coll *c, uint32_t src, const struct jdi_am_msg *m)
{
    (void)src;
    struct jdi_shelf *s = jdi_coll_landing(c);
    JD_CHECK(!jdi_store_reserve(s, m->arg[1] >> 32));
    jdi_account_in(jdi_coll_network(c), m->arg[4]);
    for (uint32_t at = 0; at < m->len; at += c->slot_size)
        memcpy(jdi_store_land(s), (const char *)m->data + at, c->slot_size);
    jdi_store_arrived(s, m->arg[1] >> 32);
}

static void unpack(jd_coll *c, const struct jdi_am_in *in)
{
    if (jdi_phase_arrived(c, in))
        land(c, in->src, in->msg);
}

/* Goes on until every worker has run one; the longest add two, so that others get some. */
static void work(jd_self *me, void *arg)
{
    const unsigned char *byte = arg, len = byte[0];
    bool all = true;
    JD_CHECK(byte[len - 1] == len);
    atomic_fetch_add(&table[jd_rank(me)].ran[jd_worker(me)], len);
    for (int i = 0; i < RANKS * WORKERS; i++)
        all = all && atomic_load(&table[i / WORKERS].ran[i % WORKERS]);
    for (int i = 0; i < (len == ARG ? 2 : 1) && !all; i++)
        add(me, jd_coll_mine(me), (uint32_t)(len + i) % ARG + 1);
}

static void test_phase(jd_self *me, jd_coll *c, unsigned i)
{
    struct seen *s = memset(&table[jd_rank(me)], 0, sizeof *s);
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
    static const struct jdi_kind bytes = {.run = run,
                                          .taken = taken,
                                          .idle = jdi_coll_settled,
                                          .announced = announced,
                                          .fit = fit,
                                          .pack = pack,
                                          .fault = fault,
                                          .unpack = unpack,
                                          .land = land,
                                          .visible = true};
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
