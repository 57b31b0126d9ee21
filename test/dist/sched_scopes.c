/*
 * sched_scopes.c - what a finish over ranks costs in messages, by rule, exactly.
 *
 * Role: finishes of known shapes; the messages with tasks and the answers to them are counted
 *       on all ranks and compared with what each rule of JACKDAW_FINISH says.  The time of each
 *       shape is a diagnostic.
 * Owner: the communication thread of each rank counts; the body reads the counts by a call.
 * Invariants: I1 nothing is stolen, because all tasks are sent by jd_async_at.
 *             I2 a finish that has ended has all its answers, so the counts do not change any more.
 * See: doc/async.md "Two rules"; test/dist/sched_async.sh, test/sim/sched_async_under_every_law.sh.
 *
 *     sched_scopes [TIMES]     each shape is repeated for its time (20)
 */
#include "sched/collective.h"
#include "test/dist/sched_kit.h"

enum { EMPTY, RELAY, MARK, HOLD };
enum { MARKS = 12, BOUNCES = 10, SHAPES = 5 };
enum { CREDIT, DIFFUSE }; /* the words of JACKDAW_FINISH */

/* One per rank, found by its number: ranks may share a process. */
static _Atomic uint64_t marks[64];

struct relay {
    uint32_t hops, among; /* still to go; over so many ranks */
};

/* ---- tasks -------------------------------------------------------------------------- */

static void empty(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static void relay(jd_self *me, void *arg)
{
    struct relay next = *(struct relay *)arg;
    if (!next.hops--)
        return;
    must(me, jd_async_at(me, (jd_rank(me) + 1) % next.among, RELAY, &next, sizeof next));
}

static void mark(jd_self *me, void *arg)
{
    (void)arg;
    atomic_fetch_add(&marks[jd_rank(me) % 64], 1);
}

/* Live until all marks have come. */
static void hold(jd_self *me, void *arg)
{
    uint64_t yes = 1;
    must(me, jd_future_set(me, *(jd_future *)arg, &yes, sizeof yes));
    while (atomic_load(&marks[jd_rank(me) % 64]) < MARKS)
        jd_yield(me);
    atomic_store(&marks[jd_rank(me) % 64], 0);
}

static const jd_task_def tasks[] = {[EMPTY] = JD_TASK(empty),
                                    [RELAY] = JD_TASK(relay),
                                    [MARK] = JD_TASK(mark),
                                    [HOLD] = JD_TASK(hold),
                                    JD_TASK_END};

/* ---- shapes: what rank 0 does in a finish --------------------------------------------- */

static void at_home(jd_self *me, void *arg)
{
    (void)arg;
    must(me, jd_async_local(me, EMPTY, NULL, 0));
    must(me, jd_async_at(me, 0, EMPTY, NULL, 0));
}

static void fan(jd_self *me, void *arg)
{
    (void)arg;
    for (uint32_t i = 1; i < jd_nranks(me); i++)
        must(me, jd_async_at(me, i, EMPTY, NULL, 0));
}

static void chain(jd_self *me, void *arg)
{
    uint32_t n = jd_nranks(me);
    (void)arg;
    must(me, jd_async_local(me, RELAY, &(struct relay){n - 1, n}, sizeof(struct relay)));
}

static void bounce(jd_self *me, void *arg)
{
    (void)arg;
    must(me, jd_async_local(me, RELAY, &(struct relay){2 * BOUNCES, 2},
                            sizeof(struct relay)));
}

/* Rank 1 is not idle once while the marks come. */
static void held(jd_self *me, void *arg)
{
    jd_future begun;
    uint64_t yes;
    (void)arg;
    must(me, jd_future_create(me, &begun));
    must(me, jd_async_at(me, 1, HOLD, &begun, sizeof begun));
    must(me, jd_future_get(me, begun, &yes, sizeof yes));
    must(me, jd_future_destroy(me, begun));
    for (int i = 0; i < MARKS; i++)
        must(me, jd_async_at(me, 1, MARK, NULL, 0));
}

/* Messages with tasks, and the least and the most answers to them, for n ranks. */
struct cost {
    uint64_t sent, least, most;
};

static struct cost cost_of(int shape, int rule, uint64_t n)
{
    const struct cost each[SHAPES] = {{0, 0, 0},
                                      {n - 1, n - 1, n - 1},
                                      {n - 1, n - 1, n - 1},
                                      {2 * BOUNCES, 1, BOUNCES},
                                      {MARKS + 1, 1, 1}};
    struct cost c = each[shape];
    if (rule == DIFFUSE)
        c.least = c.most = c.sent;
    return c;
}

static const struct {
    const char *name;
    void (*open)(jd_self *me, void *arg);
} shapes[SHAPES] = {{"what stays at home", at_home},
                    {"a task at every rank", fan},
                    {"one passed on through all ranks", chain},
                    {"one that bounces", bounce},
                    {"many to a rank that is busy", held}};

/* ---- counting --------------------------------------------------------------------------- */

static void run_read(struct jdi_rank *r, struct jdi_call *mail)
{
    struct jdi_collective *call = (struct jdi_collective *)(void *)mail;
    call->value[0] = r->stats->scopes;
    call->value[1] = r->stats->answers;
    jdi_collective_done(call, 0);
}

/* Those of all ranks, once rank 0 has ended its finish. */
static void read_counts(jd_self *me, uint64_t count[2])
{
    struct jdi_collective call;
    must(me, jd_barrier(me));
    must(me, jdi_collective(me, &call, run_read));
    count[0] = call.value[0];
    count[1] = call.value[1];
    must(me, jd_allreduce_u64(me, count, 2, JD_SUM));
}

static void one_shape(jd_self *me, int i, long times)
{
    uint64_t before[2], after[2];
    const struct cost want = cost_of(i, me->rank->knobs->finish, jd_nranks(me));
    read_counts(me, before); /* nobody begins before all have read */
    if (jd_rank(me) == 0)
        must(me, jd_finish(me, shapes[i].open, NULL));
    read_counts(me, after);
    uint64_t sent = after[0] - before[0], answers = after[1] - before[1];
    ok_all(me, sent == want.sent, "%s: %llu messages", shapes[i].name,
           (unsigned long long)want.sent);
    ok_all(me, answers >= want.least && answers <= want.most, "and %llu answers",
           (unsigned long long)want.most);
    double start = jd_now(me);
    for (long k = 0; jd_rank(me) == 0 && k < times; k++)
        must(me, jd_finish(me, shapes[i].open, NULL));
    if (jd_rank(me) == 0)
        diag("%llu messages, %llu answers, %.2f us", (unsigned long long)sent,
             (unsigned long long)answers, 1e6 * (jd_now(me) - start) / (double)times);
    must(me, jd_barrier(me));
}

static int body(jd_self *me, int argc, char **argv)
{
    long times = argc > 1 ? atol(argv[1]) : 20;
    if (times < 1 || jd_nranks(me) < 2)
        return 1;
    for (int i = 0; i < SHAPES; i++)
        one_shape(me, i, times);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
