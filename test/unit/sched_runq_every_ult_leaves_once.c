/*
 * sched_runq_every_ult_leaves_once.c
 *
 * Role: the order of a queue of ready ULTs; and with a worker, two thieves and two threads that put,
 *       each ULT that is put leaves once, and a pinned one is never stolen.
 * Owner: a ULT belongs to whoever took it, who puts it into the pot from which the putters take.
 * Invariants: I1 and I2 of sched/runq.h.
 * See: sched/runq.c.
 */
#include "sched/runq.h"
#include "test/kit/tap.h"

#include <pthread.h>

enum { ULTS = 64, TURNS = 100000, STOLEN_LEAST = 5000 };
enum { THIEVES = 2, PUTTERS = 2 };

struct game {
    struct jdi_runq queue, pot; /* the pot is a queue whose owner is nobody */
    jd_self ult[ULTS];
    _Atomic uint32_t held[ULTS]; /* how many have it in hand: at most one */
    _Atomic uint64_t wrong, stolen, taken, put;
    _Atomic bool over;
};

static bool is_pinned(const struct game *g, const jd_self *s)
{
    return (s - g->ult) % 4 == 0;
}

static void hold(struct game *g, const jd_self *s)
{
    if (atomic_fetch_add_explicit(&g->held[s - g->ult], 1, memory_order_relaxed))
        atomic_fetch_add_explicit(&g->wrong, 1, memory_order_relaxed);
}

static void let_go(struct game *g, const jd_self *s)
{
    atomic_fetch_sub_explicit(&g->held[s - g->ult], 1, memory_order_relaxed);
}

static void back_to_pot(struct game *g, jd_self *s, _Atomic uint64_t *count)
{
    hold(g, s);
    atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
    let_go(g, s);
    jdi_runq_put_back(&g->pot, s);
}

static void *put(void *arg)
{
    struct game *g = arg;
    while (!atomic_load_explicit(&g->over, memory_order_relaxed)) {
        jd_self *s = jdi_runq_take_front(&g->pot);
        if (!s) {
            tap_breathe();
            continue;
        }
        hold(g, s);
        bool back = atomic_fetch_add_explicit(&g->put, 1, memory_order_relaxed) % 3 == 0;
        let_go(g, s);
        if (back)
            jdi_runq_put_back(&g->queue, s);
        else
            jdi_runq_put_front(&g->queue, s);
    }
    return NULL;
}

static void *rob(void *arg)
{
    struct game *g = arg;
    bool more;
    while (!atomic_load_explicit(&g->over, memory_order_relaxed)) {
        jd_self *s = jdi_runq_steal(&g->queue, &more);
        if (!s) {
            tap_breathe();
            continue;
        }
        if (is_pinned(g, s))
            atomic_fetch_add_explicit(&g->wrong, 1, memory_order_relaxed);
        back_to_pot(g, s, &g->stolen);
    }
    return NULL;
}

/* The others had their part, too, however few cores there are. */
static bool is_played(const struct game *g)
{
    return atomic_load_explicit(&g->stolen, memory_order_relaxed) >= STOLEN_LEAST;
}

/* What a worker does that wakes a ULT of its own. */
static void put_own(struct game *g)
{
    jd_self *s = jdi_runq_take_front(&g->pot);
    if (!s)
        return;
    hold(g, s);
    atomic_fetch_add_explicit(&g->put, 1, memory_order_relaxed);
    let_go(g, s);
    if (is_pinned(g, s))
        jdi_runq_put_front(&g->queue, s);
    else
        jdi_runq_put_newest(&g->queue, s);
}

static void work(struct game *g)
{
    for (unsigned i = 0; i < TURNS || !is_played(g); i++) {
        if (i % 2)
            put_own(g);
        jd_self *s =
            i % 8 ? jdi_runq_take_front(&g->queue) : jdi_runq_take_back(&g->queue);
        if (s)
            back_to_pot(g, s, &g->taken);
        else
            tap_breathe();
    }
}

static void test_game(void)
{
    static struct game g;
    pthread_t thread[THIEVES + PUTTERS];
    jdi_runq_init(&g.queue, false, NULL);
    jdi_runq_init(&g.pot, false, NULL);
    for (unsigned i = 0; i < ULTS; i++) {
        g.ult[i].frames = is_pinned(&g, &g.ult[i]);
        jdi_runq_put_back(&g.pot, &g.ult[i]);
    }
    for (unsigned i = 0; i < THIEVES + PUTTERS; i++)
        if (pthread_create(&thread[i], NULL, i < THIEVES ? rob : put, &g))
            bail_out("no thread");
    work(&g);
    atomic_store(&g.over, true);
    for (unsigned i = 0; i < THIEVES + PUTTERS; i++)
        pthread_join(thread[i], NULL);
    ok(!g.wrong, "nobody had what another one had, and no thief a pinned one");
    is_u64(jdi_runq_size(&g.queue) + jdi_runq_size(&g.pot), ULTS, "all are there");
    is_u64(g.put, g.stolen + g.taken + jdi_runq_size(&g.queue),
           "what was put was taken, stolen, or is still there");
    ok(g.stolen && g.taken, "%llu stolen, %llu taken", (unsigned long long)g.stolen,
       (unsigned long long)g.taken);
}

static void test_order(void)
{
    struct jdi_runq q;
    jd_self u[5] = {{0}};
    bool more = false;
    jdi_runq_init(&q, false, NULL);
    ok(!jdi_runq_take_front(&q) && !jdi_runq_take_back(&q) && !jdi_runq_steal(&q, &more),
       "an empty queue has nothing");
    for (int i = 0; i < 4; i++)
        jdi_runq_put_front(&q, &u[i]);
    jdi_runq_put_back(&q, &u[4]);
    u[4].frames = 0;
    is_u64(jdi_runq_movable(&q), 5, "all can move");
    ok(jdi_runq_take_front(&q) == &u[3], "the worker takes the newest");
    ok(jdi_runq_take_back(&q) == &u[4], "or the one at the back");
    ok(jdi_runq_steal(&q, &more) == &u[0] && more, "a thief takes the oldest");
    ok(jdi_runq_take_front(&q) == &u[2] && jdi_runq_take_front(&q) == &u[1],
       "the rest is in order");
    u[0].frames = 1;
    jdi_runq_put_front(&q, &u[0]);
    jdi_runq_put_front(&q, &u[1]);
    ok(jdi_runq_size(&q) == 2 && jdi_runq_movable(&q) == 1, "a pinned one cannot move");
    ok(jdi_runq_steal(&q, &more) == &u[1] && !more, "a thief passes it");
    ok(!jdi_runq_steal(&q, &more), "and finds no other");
    ok(jdi_runq_take_back(&q) == &u[0], "the worker has it");
    jdi_runq_put_newest(&q, &u[1]);
    jdi_runq_put_newest(&q, &u[2]);
    jdi_runq_put_newest(&q, &u[3]);
    ok(jdi_runq_size(&q) == 3 && jdi_runq_movable(&q) == 3,
       "what it wakes itself counts");
    ok(jdi_runq_take_front(&q) == &u[3] && jdi_runq_take_front(&q) == &u[2],
       "the newest goes first");
    jdi_runq_put_newest(&q, &u[2]);
    ok(jdi_runq_take_back(&q) == &u[1] && jdi_runq_steal(&q, &more) == &u[2] && !more &&
           !jdi_runq_size(&q),
       "and last to a thief");
}

/* Idle workers count on a thief to find what `movable` says. */
static void test_many_pinned(void)
{
    static jd_self u[ULTS];
    struct jdi_runq q;
    bool more = true, in_order = true;
    jdi_runq_init(&q, false, NULL);
    for (int i = 0; i < ULTS; i++) {
        u[i].frames = i != ULTS / 2 && i != ULTS - 2;
        jdi_runq_put_front(&q, &u[i]);
    }
    ok(jdi_runq_steal(&q, &more) == &u[ULTS / 2] && more,
       "a thief passes any number of them");
    for (int i = ULTS - 1; i >= 0; i--)
        in_order = in_order && (i == ULTS / 2 || jdi_runq_take_front(&q) == &u[i]);
    ok(in_order && !jdi_runq_size(&q), "the worker has all in one order");
}

int main(void)
{
    test_order();
    test_many_pinned();
    test_game();
    return done_testing();
}
