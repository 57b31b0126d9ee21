/*
 * sched_deques_lose_nothing.c
 *
 * Role: workers that suspend, pop, change and steal, and threads that wake what was suspended: each ULT
 *       is taken once for each time that it was woken, nothing is lost, no worker has more deques than
 *       it may have, and in the end the pool has all of them back.
 * Owner: a ULT belongs to whoever took it; then to whoever finds it in the box of what waits.
 * Invariants: I1, I2 and I4 of sched/deques.h.
 * See: sched/deques.c; test/models/deques.pml.
 */
#include "sched/deques.h"
#include "test/kit/tap.h"
#include "test/unit/sched_rank_kit.h"

#include <pthread.h>

enum { WORKERS = 3, WAKERS = 2, ULTS = 48, WAITS = 60000, STOLEN_LEAST = 3000 };

struct game {
    struct kit_rank k;
    jd_self ult[ULTS];
    _Atomic uint32_t held[ULTS];  /* how many have it in hand: at most one */
    _Atomic(jd_self *) box[ULTS]; /* what waits */
    _Atomic uint32_t begun;
    _Atomic uint64_t wrong, waits, woken, taken[3];
    _Atomic bool over;
};

static struct game g;

static void hold(const jd_self *s)
{
    if (atomic_fetch_add_explicit(&g.held[s - g.ult], 1, memory_order_relaxed))
        atomic_fetch_add_explicit(&g.wrong, 1, memory_order_relaxed);
}

/* Give it away, as a successor does once the ULT has stopped. */
static void publish(jd_self *s)
{
    atomic_fetch_sub_explicit(&g.held[s - g.ult], 1, memory_order_relaxed);
    atomic_store_explicit(&g.box[s - g.ult], s, memory_order_release);
}

static void *wake(void *arg)
{
    uint64_t rng = (uintptr_t)arg * 77 + 5;
    while (!atomic_load_explicit(&g.over, memory_order_relaxed)) {
        unsigned i = jdi_random_below(&rng, ULTS);
        jd_self *s = atomic_exchange_explicit(&g.box[i], NULL, memory_order_acquire);
        if (!s) {
            if (!(jdi_random(&rng) & 63))
                tap_breathe();
            continue;
        }
        atomic_fetch_add_explicit(&g.woken, 1, memory_order_relaxed);
        hold(s);
        atomic_fetch_sub_explicit(&g.held[i], 1, memory_order_relaxed);
        (void)jdi_deques_callback(s);
    }
    return NULL;
}

static jd_self *find(struct jdi_worker *w)
{
    jd_self *s;
    uint32_t begun = atomic_load_explicit(&g.begun, memory_order_relaxed);
    if (begun < ULTS &&
        (begun = atomic_fetch_add_explicit(&g.begun, 1, memory_order_relaxed)) < ULTS) {
        jdi_deques_leave(w); /* as a task that was stolen */
        return &g.ult[begun];
    }
    if ((s = jdi_deques_pop(w, jdi_random(&w->rng) & 1)))
        atomic_fetch_add_explicit(&g.taken[0], 1, memory_order_relaxed);
    else if ((s = jdi_deques_change(w)))
        atomic_fetch_add_explicit(&g.taken[1], 1, memory_order_relaxed);
    else if ((s = jdi_deques_steal(w)))
        atomic_fetch_add_explicit(&g.taken[2], 1, memory_order_relaxed);
    return s;
}

/* The thieves had their part, too, however few cores there are. */
static bool is_played(uint64_t waits)
{
    return waits >= WAITS &&
           atomic_load_explicit(&g.taken[2], memory_order_relaxed) >= STOLEN_LEAST;
}

static void *work(void *arg)
{
    struct jdi_worker *w = arg;
    unsigned turns = 0;
    while (!atomic_load_explicit(&g.over, memory_order_relaxed)) {
        jd_self *s = find(w);
        if (!s || ++turns % 32 == 0)
            tap_breathe();
        if (!s)
            continue;
        hold(s);
        if (is_played(atomic_fetch_add_explicit(&g.waits, 1, memory_order_relaxed)))
            continue; /* it keeps its ULT: so all end */
        s->worker = w;
        jdi_deques_suspend(w, s);
        publish(s);
    }
    return NULL;
}

static void play(int unblock)
{
    pthread_t thread[WORKERS + WAKERS];
    memset(&g, 0, sizeof g);
    kit_rank_init(&g.k, 0, 1, WORKERS);
    g.k.knobs.unblock = unblock;
    if (jdi_deques_init(&g.k.rank))
        bail_out("no memory");
    for (unsigned i = 0; i < WORKERS; i++) {
        jdi_lock_init(&g.k.worker[i].lanes.lock);
        g.k.worker[i].rng = 77 * i + 1;
    }
    for (unsigned i = 0; i < ULTS; i++)
        g.ult[i] = (jd_self){.rank = &g.k.rank, .worker = &g.k.worker[0]};
    for (uintptr_t i = 0; i < WORKERS + WAKERS; i++)
        if (pthread_create(&thread[i], NULL, i < WORKERS ? work : wake,
                           i < WORKERS ? (void *)&g.k.worker[i] : (void *)i))
            bail_out("no thread");
    /* All ULTs end in somebody's hand, unless one is lost. */
    double end = jd_now(NULL) + 60;
    unsigned in_hand = 0;
    while (in_hand < ULTS && jd_now(NULL) < end) {
        tap_breathe();
        in_hand = 0;
        for (unsigned i = 0; i < ULTS; i++)
            in_hand += atomic_load_explicit(&g.held[i], memory_order_relaxed) == 1;
        if (!is_played(atomic_load_explicit(&g.waits, memory_order_relaxed)))
            in_hand = 0;
    }
    atomic_store(&g.over, true);
    for (unsigned i = 0; i < WORKERS + WAKERS; i++)
        pthread_join(thread[i], NULL);
    const char *name = unblock == JDI_UNBLOCK_DEQUE ? "deque" : "proactive";
    is_u64(in_hand, ULTS, "%s: none is lost", name);
    ok(!g.wrong, "%s: nobody had what another one had", name);
    is_u64(g.taken[0] + g.taken[1] + g.taken[2], g.woken,
           "%s: what was woken was taken once", name);
    ok(g.taken[1] && g.taken[2], "%s: %llu popped, %llu of other deques, %llu stolen",
       name, (unsigned long long)g.taken[0], (unsigned long long)g.taken[1],
       (unsigned long long)g.taken[2]);
    uint32_t left = 0;
    bool right = true;
    for (unsigned i = 0; i < WORKERS; i++) {
        jdi_deques_check(&g.k.worker[i]);
        left += g.k.worker[i].lanes.n;
        right = right && g.k.worker[i].stats.most_deques <= ULTS + 1;
    }
    ok(right && left <= WORKERS, "%s: the pool has all but %u back", name, left);
    jdi_deques_fini(&g.k.rank);
}

int main(void)
{
    play(JDI_UNBLOCK_DEQUE);
    play(JDI_UNBLOCK_PROACTIVE);
    return done_testing();
}
