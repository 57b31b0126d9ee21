/*
 * sched_comm_sleeps_until_the_first_deadline.c
 *
 * Role: the loop of a communication thread, on the test's own stack, beside a worker that computes and
 *       without one.  It sleeps no longer than until the first deadline that it knows of, and does not
 *       sleep at all if an earlier one comes between its turn and its announcement.
 * Owner: one thread; the clock's hooks and the linker's wrap of jdi_idle_prepare act for the worker.
 * See: sched/comm.c; doc/waiting.md "Who turns the wheels".
 */
#include "sched/comm.h"
#include "test/unit/am_fake.h"

enum { NOW = 1000000, DUE_NS = 23000, EARLIER_NS = 4000, LIMIT = 10000 };

static struct game {
    struct fake fake;
    struct jdi_am_ops ops;
    struct jdi_rank rank;
    struct jdi_worker worker;
    struct jdi_time time;
    uint64_t now, longest, sleeps, turns, overslept;
    bool surprise; /* the worker adds an earlier deadline before the next sleep */
    uint64_t turns_then;
} * playing;

uint32_t __real_jdi_idle_prepare(struct jdi_idle *i);
uint32_t __wrap_jdi_idle_prepare(struct jdi_idle *i);
uint32_t __wrap_jdi_idle_prepare(struct jdi_idle *i)
{
    struct game *g = playing;
    uint32_t key = __real_jdi_idle_prepare(i);
    if (g->surprise) {
        g->surprise = false;
        g->turns_then = g->turns;
        atomic_store_explicit(&g->worker.due, g->now + EARLIER_NS, memory_order_relaxed);
    }
    return key;
}

static uint64_t now_of(void *ctx)
{
    return ((struct game *)ctx)->now;
}

static void wait_for(void *ctx, struct jdi_idle *i, uint32_t key, uint64_t timeout_ns)
{
    struct game *g = ctx;
    uint64_t due = atomic_load_explicit(&g->worker.due, memory_order_relaxed);
    (void)key;
    g->sleeps++;
    g->longest = timeout_ns > g->longest ? timeout_ns : g->longest;
    g->now += timeout_ns;
    g->overslept += g->now > due;
    jdi_idle_cancel(i);
}

static void pause_for(void *ctx, enum jdi_idle_stage stage)
{
    (void)stage;
    ((struct game *)ctx)->now += 100;
}

/* What the wheels do in a turn: know of the first deadline, until it has come. */
static void turn_of_wheels(struct jdi_rank *r)
{
    struct game *g = playing;
    uint64_t due = atomic_load_explicit(&g->worker.due, memory_order_relaxed);
    if (due <= g->now || g->turns++ > LIMIT)
        atomic_store_explicit(&r->stop, true, memory_order_relaxed);
    atomic_store_explicit(&r->due, due, memory_order_relaxed);
    jdi_rank_again(r, due);
}

static void publish_word(struct jdi_am *am, unsigned i, uint64_t value)
{
    (void)am, (void)i, (void)value;
}

static void play(struct game *g, bool dedicated, bool surprise)
{
    memset(g, 0, sizeof *g);
    playing = g;
    fake_init(&g->fake, 0, 1);
    g->ops = *g->fake.am.ops;
    g->ops.publish = publish_word;
    g->fake.am.ops = &g->ops;
    g->now = NOW;
    g->surprise = surprise;
    g->time =
        (struct jdi_time){.now = now_of, .wait = wait_for, .pause = pause_for, .ctx = g};
    g->fake.am.time = &g->time;
    g->rank.am = &g->fake.am;
    g->rank.workers = &g->worker;
    g->rank.nworkers = 1;
    g->rank.stats = &g->worker.stats;
    g->rank.place = (struct jdi_placement){
        .apart = true, .dedicated = dedicated, .bind = JDI_BIND_NONE};
    g->rank.patience = (struct jdi_idle_policy){.sleep_ns = 150000};
    jdi_mailbox_init(&g->rank.mailbox);
    g->worker.rank = &g->rank;
    g->worker.idle = &g->worker.own_idle;
    atomic_init(&g->worker.due, NOW + DUE_NS);
    atomic_init(&g->rank.due, UINT64_MAX);
    jdi_rank_on_turn(&g->rank, turn_of_wheels);
    jdi_comm_apart(&g->rank);
    fake_fini(&g->fake);
}

int main(void)
{
    static struct game g;
    for (int dedicated = 0; dedicated < 2; dedicated++) {
        const char *how = dedicated ? "dedicated" : "beside a worker";
        play(&g, dedicated, false);
        ok(g.sleeps > 0 && g.longest <= DUE_NS && g.turns < LIMIT,
           "%s: it sleeps, %llu ns at most", how, (unsigned long long)g.longest);
        is_u64(g.overslept, 0, "%s: not beyond the deadline", how);
        play(&g, dedicated, true);
        ok(g.turns > g.turns_then && g.longest <= EARLIER_NS && !g.overslept,
           "%s: an earlier deadline that comes before its sleep is seen", how);
    }
    return done_testing();
}
