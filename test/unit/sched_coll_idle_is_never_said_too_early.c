/*
 * sched_coll_idle_is_never_said_too_early.c
 *
 * Role: four workers make tasks, run them and take them from each other while a fifth
 *       thread asks all the time whether the collection is idle.  As long as a task lives the
 *       answer is no.  This program fails for an idle test that reads `in` before `out`, the
 *       obvious order.  Many accounts without a worker make a scan so long that tasks begin and
 *       end during the scan.
 * Owner: a seat belongs to its worker; any worker writes `live`, and the scanner reads it.
 * Order: `live` grows before a task is counted in and shrinks before the task is counted out.  So
 *        if all tasks are counted out, none is alive.
 * See: sched/coll.c, jdi_coll_idle; test/models/idle.pml.
 */
#include "test/unit/sched_deque_kit.h"
#include "test/unit/sched_rank_kit.h"

#include <pthread.h>

enum {
    WORKERS = 4,
    ROUNDS = KIT_SLOWER > 1 ? 20 : 60,
    LENGTH = 2000,
    SEEDS = 3,
    ENDLESS = 1,
    LIMIT_S = 20
};
#define ENDLESS_S 0.2

typedef bool scan_fn(const jd_coll *c);

struct game {
    struct kit_rank kit;
    jd_coll *coll;
    JDI_ALIGNED _Atomic int64_t live; /* tasks */
    _Atomic bool over;
    bool endless; /* constant while it is played */
    pthread_barrier_t start;
};

struct player {
    struct game *g;
    jd_self *me;
    pthread_t thread;
    uint64_t rng;
    /* Not atomic: whoever rightly hears of idle may read it, else it is a race that
     * ThreadSanitizer sees.  Volatile, so that it is read just then. */
    volatile uint64_t ran;
};

/* As jdi_coll_idle, but wrong; the pause makes it wrong on a single core too. */
static bool in_before_out(const jd_coll *c)
{
    uint64_t in = 0, out = 0;
    for (unsigned i = 0; i < c->nowners; i++)
        in += atomic_load_explicit(&c->seat[i].account.in, memory_order_acquire);
    if (in % 16 == 0)
        tap_breathe();
    for (unsigned i = 0; i < c->nowners; i++)
        out += atomic_load_explicit(&c->seat[i].account.out, memory_order_acquire);
    return in == out;
}

static void make(struct game *g, jd_self *me, uint32_t length)
{
    int error;
    atomic_fetch_add_explicit(&g->live, 1, memory_order_relaxed);
    struct jdi_task *t = jdi_coll_new_task(me, g->coll, 0, sizeof length, &error);
    if (!t)
        bail_out("no task: %s", jd_strerror(error));
    memcpy(jdi_task_arg(t), &length, sizeof length);
    jdi_store_put(jdi_coll_shelf(me, g->coll));
}

/* A chain that goes on, and now and then a branch of it. */
static void run(struct player *p, const struct jdi_task *t)
{
    struct game *g = p->g;
    uint32_t length;
    memcpy(&length, t->arg, sizeof length);
    if (g->endless) {
        make(g, p->me, 0);
    } else if (length > 0) {
        uint32_t branch = jdi_random_below(&p->rng, 8) ? 0 : length / 4;
        if (branch)
            make(g, p->me, branch);
        make(g, p->me, length - branch - 1);
    }
    p->ran++;
    atomic_fetch_sub_explicit(&g->live, 1, memory_order_relaxed);
    jdi_account_out(&p->me->seat->account, 1);
}

static void *work(void *arg)
{
    struct player *p = arg;
    struct game *g = p->g;
    _Alignas(JDI_TASK_ALIGN) unsigned char copy[JDI_TASK_HEAD + JDI_TASK_ARG_DEFAULT];
    jdi_coll_sit(p->me, g->coll);
    pthread_barrier_wait(&g->start);
    while (!atomic_load_explicit(&g->over, memory_order_relaxed)) {
        const struct jdi_task *t = jdi_store_pop(&p->me->seat->shelf);
        if (t) {
            memcpy(copy, t, sizeof copy);
            run(p, (const struct jdi_task *)(void *)copy);
        } else {
            struct jdi_store_take got = jdi_store_take(&p->me->seat->shelf, &p->rng, 0);
            if (got.n)
                jdi_store_arrived(&p->me->seat->shelf, got.n);
        }
        /* The one that has a task and the one that looks want the cores. */
        if ((g->endless && !t) || jdi_random_below(&p->rng, 8) == 0)
            tap_breathe();
    }
    return NULL;
}

/* ---- games -------------------------------------------------------------------------- */

static void begin(struct game *g, struct player *player, unsigned seeds, uint64_t seed)
{
    kit_rank_init(&g->kit, 0, 1, KIT_WORKERS);
    if (jdi_coll_new(&g->kit.rank, &jdi_plain_kind, NULL, &g->coll))
        bail_out("no collection");
    atomic_init(&g->live, 0);
    atomic_init(&g->over, false);
    g->endless = seeds == ENDLESS;
    for (unsigned i = 0; i < seeds; i++)
        make(g, &g->kit.body, LENGTH);
    kit_open(g->coll);
    pthread_barrier_init(&g->start, NULL, WORKERS + 1);
    for (unsigned i = 0; i < WORKERS; i++) {
        player[i] = (struct player){.g = g, .me = &g->kit.self[i], .rng = seed * 977 + i};
        if (pthread_create(&player[i].thread, NULL, work, &player[i]))
            bail_out("no thread");
    }
    pthread_barrier_wait(&g->start);
}

static void end(struct game *g, struct player *player)
{
    atomic_store_explicit(&g->over, true, memory_order_relaxed);
    for (unsigned i = 0; i < WORKERS; i++)
        pthread_join(player[i].thread, NULL);
    pthread_barrier_destroy(&g->start);
    jdi_coll_free(g->coll);
}

/* A game that ends: how many tasks lived when idle was said first; -1: it never was, or the
 * tasks that ran are not all that there were. */
static int64_t play(struct game *g, uint64_t seed)
{
    struct player player[WORKERS];
    begin(g, player, SEEDS, seed);
    bool said = tap_wait_for(jdi_coll_idle(g->coll), LIMIT_S);
    int64_t live = atomic_load_explicit(&g->live, memory_order_relaxed);
    uint64_t ran = 0, made = 0;
    for (unsigned i = 0; said && i < WORKERS; i++) {
        ran += player[i].ran;
        made += atomic_load_explicit(&g->coll->seat[i].account.in, memory_order_relaxed);
    }
    end(g, player);
    return said && (live || ran == made) ? live : -1;
}

/* A task makes another, and so on: whenever `scan` says idle it is wrong.  How many scans
 * it takes; 0 if it does not say so for `seconds`. */
static uint64_t scans_until_idle(struct game *g, scan_fn *scan, double seconds)
{
    struct player player[WORKERS];
    uint64_t n = 0;
    bool said = false;
    begin(g, player, ENDLESS, 1);
    for (double limit = tap_seconds() + seconds; !said && tap_seconds() < limit;
         tap_breathe())
        for (unsigned i = 0; i < 64 && !said; i++, n++)
            said = scan(g->coll);
    end(g, player);
    return said ? n : 0;
}

int main(void)
{
    struct game *g = jdi_zalloc(NULL, sizeof *g);
    unsigned early = 0, never = 0;
    if (!g)
        bail_out("no memory");
    for (unsigned i = 1; i <= ROUNDS; i++) {
        int64_t live = play(g, i);
        early += live > 0;
        never += live < 0;
    }
    is_u64(early, 0, "idle is never said while a task lives");
    is_u64(never, 0, "and always said, of all tasks, when none does");
    is_u64(scans_until_idle(g, jdi_coll_idle, ENDLESS_S), 0,
           "nor while one task makes the next one");
    uint64_t scans = scans_until_idle(g, in_before_out, LIMIT_S);
    ok(scans > 0, "a scan in the wrong order is caught (scan %llu)",
       (unsigned long long)scans);
    jdi_free(g);
    return done_testing();
}
