/*
 * sched_coll_start_wakes_its_adders.c
 *
 * Role: in each of many rounds a worker adds a private task to a collection, announces that it
 *       will sleep and looks for the collection, while the communication thread starts it.  Either
 *       the worker sees the collection or it is woken, because nobody else can take a private task.
 * Owner: the communication thread writes `round`, the worker `added`.
 * Invariants: I1 of core/idle.h.
 * Order: [pair: idle-wake] in jdi_coll_activate, the one fence for all whom it wakes; without it
 *        both threads look too early in some rounds of each run.
 * See: sched/coll.c.
 */
#include "test/unit/sched_rank_kit.h"

#include <pthread.h>
#include <time.h>

enum { ROUNDS = 200000, LEAST_ROUNDS = 2000, SPINS = 200, STEP = 5 };
/* Where other programs want the processors too, each round waits for one twice. */
enum { LONGEST_S = 5 };
static const uint32_t OVER = UINT32_MAX; /* as a round */

struct game {
    struct kit_rank kit;
    jd_coll *coll;
    JDI_ALIGNED _Atomic uint32_t round; /* the one that may be played */
    JDI_ALIGNED _Atomic uint32_t added; /* rounds that the worker has played */
    bool seen;                          /* by the worker, in its last round */
    uint32_t delay;                     /* before the start */
    uint32_t nseen;                     /* rounds in which the worker saw the start */
};

/* So that the two sides meet at all the instructions, one after the other. */
static void linger(uint32_t n)
{
    while (n-- > 0)
        __asm__ volatile("" ::: "memory");
}

static void await(_Atomic uint32_t *word, uint32_t value)
{
    for (unsigned n = 0; atomic_load_explicit(word, memory_order_acquire) < value; n++)
        if (n > SPINS)
            tap_breathe();
}

/* What a worker does before it sleeps, up to its look at the list. */
static void *add_each_round(void *arg)
{
    struct game *g = arg;
    struct jdi_account *a = &g->coll->seat[0].account;
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        await(&g->round, i);
        if (atomic_load_explicit(&g->round, memory_order_relaxed) == OVER)
            break;
        linger(i * 7 % 61);
        jdi_account_in(a, 1);
        (void)jdi_idle_prepare(g->kit.worker[0].idle);
        g->seen = atomic_load_explicit(&g->kit.rank.active[g->coll->id],
                                       memory_order_relaxed) != NULL;
        atomic_store_explicit(&g->added, i, memory_order_release);
    }
    return NULL;
}

static bool play_round(struct game *g, uint32_t i)
{
    struct jdi_account *a = &g->coll->seat[0].account;
    atomic_store_explicit(&g->kit.rank.active[g->coll->id], NULL, memory_order_relaxed);
    jdi_idle_cancel(g->kit.worker[0].idle);
    a->in_before = atomic_load_explicit(&a->in, memory_order_relaxed);
    atomic_store_explicit(&g->round, i, memory_order_release);
    linger(g->delay + i * 11 % 61);
    jdi_coll_activate(g->coll);
    await(&g->added, i);
    /* The one that was first will be later, so that both come to their looks together whatever
     * the machine is. */
    g->delay = g->seen ? g->delay + STEP : g->delay > STEP ? g->delay - STEP : 0;
    g->nseen += g->seen;
    return g->seen || !jdi_idle_waits(g->kit.worker[0].idle);
}

int main(void)
{
    struct game *g = jdi_zalloc(NULL, sizeof *g);
    pthread_t worker;
    uint32_t lost = 0, i = 0;
    time_t begin = time(NULL);
    if (!g)
        bail_out("no memory");
    kit_rank_init(&g->kit, 0, 1, 1);
    jdi_idle_init(&g->kit.worker[0].own_idle);
    if (jdi_coll_new(&g->kit.rank, &jdi_plain_kind, NULL, &g->coll))
        bail_out("no collection");
    if (pthread_create(&worker, NULL, add_each_round, g))
        bail_out("no thread");
    while (i < ROUNDS && (i < LEAST_ROUNDS || time(NULL) - begin < LONGEST_S))
        lost += !play_round(g, ++i);
    atomic_store_explicit(&g->round, OVER, memory_order_release);
    pthread_join(worker, NULL);
    diag("the start was seen in %u of %u rounds", g->nseen, i);
    is_u64(lost, 0, "in no start the adder slept on");
    jdi_coll_free(g->coll);
    jdi_free(g);
    return done_testing();
}
