/*
 * sched_holds.c
 *
 * Role: a held collection stays open without a task, accepts tasks of other collections, and ends
 *       with the last release.  Argument: how often two collections hand a task to and fro.
 * Owner: the body; any task of the rank writes its counters.
 * Invariants: I1 each hold is released on its rank.
 * See: include/jackdaw.h, rule R11 in doc/termination.md.
 */
#include "test/dist/sched_kit.h"

enum { HOP, HOLD, RELEASE, MARK };
enum { CHAINS = 3, HOLDERS = 10, ROUNDS = 10 };

struct shared { /* of one rank, one for both collections */
    jd_coll *coll[2];
    _Atomic uint64_t hops, ended, holds, released, marks, failed;
};

struct hop {
    uint32_t left, in; /* index of the collection it runs in */
};

static void check(struct shared *s, bool right)
{
    if (!right)
        atomic_fetch_add(&s->failed, 1);
}

static struct shared *shared_of(jd_self *me)
{
    return jd_coll_local(jd_coll_mine(me));
}

/* To and fro. */
static void hop(jd_self *me, void *arg)
{
    struct shared *s = shared_of(me);
    struct hop h = *(struct hop *)arg;
    check(s, jd_coll_mine(me) == s->coll[h.in]);
    atomic_fetch_add(&s->hops, 1);
    if (h.left == 0) {
        atomic_fetch_add(&s->ended, 1);
        return;
    }
    struct hop next = {h.left - 1, !h.in};
    check(s, jd_coll_add(me, s->coll[next.in], HOP, &next, sizeof next) == 0);
}

static void hold(jd_self *me, void *arg)
{
    struct shared *s = shared_of(me);
    (void)arg;
    check(s, jd_coll_hold(me, jd_coll_mine(me)) == 0);
    atomic_fetch_add(&s->holds, 1);
}

/* A task of collection 1 gives up a hold of collection 0, if this rank has one. */
static void release(jd_self *me, void *arg)
{
    struct shared *s = shared_of(me);
    uint64_t n = atomic_load(&s->holds);
    (void)arg;
    while (n > 0 && !atomic_compare_exchange_weak(&s->holds, &n, n - 1))
        ;
    if (n == 0)
        return;
    check(s, jd_coll_add(me, s->coll[0], MARK, NULL, 0) == 0);
    check(s, jd_coll_release(me, s->coll[0]) == 0);
    atomic_fetch_add(&s->released, 1);
}

static void mark(jd_self *me, void *arg)
{
    (void)arg;
    atomic_fetch_add(&shared_of(me)->marks, 1);
}

static const jd_task_def tasks[] = {[HOP] = JD_TASK(hop),
                                    [HOLD] = JD_TASK(hold),
                                    [RELEASE] = JD_TASK(release),
                                    [MARK] = JD_TASK(mark),
                                    JD_TASK_END};

static void make(jd_self *me, struct shared *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < 2; i++)
        must(me, jd_coll_create(me, &(jd_coll_props){.local = s}, &s->coll[i]));
}

static void end(jd_self *me, struct shared *s)
{
    ok_all(me, !atomic_load(&s->failed), "every call was answered as it should be");
    for (int i = 0; i < 2; i++)
        must(me, jd_coll_destroy(me, s->coll[i]));
}

static bool is_open(jd_self *me, jd_coll *c)
{
    jd_coll_info info;
    return jd_coll_get_info(me, c, &info) == JD_ESTATE;
}

/* Two collections, both held everywhere, until all chains have come to their end. */
static void test_to_and_fro(jd_self *me, struct shared *s, uint32_t hops)
{
    make(me, s);
    uint64_t chains = CHAINS * (uint64_t)jd_nranks(me);
    for (int i = 0; i < 2; i++)
        must(me, jd_coll_hold(me, s->coll[i]));
    for (uint32_t k = 0; k < CHAINS; k++) {
        struct hop h = {hops, k % 2};
        must(me, jd_coll_add(me, s->coll[h.in], HOP, &h, sizeof h));
    }
    for (int i = 0; i < 2; i++)
        must(me, jd_coll_start(me, s->coll[i]));
    while (sum_of(me, atomic_load(&s->ended)) < chains)
        jd_yield(me);
    ok_all(me, is_open(me, s->coll[0]) && is_open(me, s->coll[1]),
           "held, they stay open");
    for (int i = 0; i < 2; i++)
        must(me, jd_coll_release(me, s->coll[i]));
    uint64_t executed = 0;
    for (int i = 0; i < 2; i++) {
        must(me, jd_coll_wait(me, s->coll[i]));
        uint64_t all = info_of(me, s->coll[i]).all_executed;
        executed += all;
        ok_all(me, adds_up(me, s->coll[i], all), "collection %d adds up", i);
    }
    ok_all(me,
           executed == chains * (hops + 1) &&
               sum_of(me, atomic_load(&s->hops)) == executed,
           "every hop was made");
    end(me, s);
}

/* Tasks take holds and end; tasks of another collection release them later. */
static void test_released_later(jd_self *me, struct shared *s)
{
    make(me, s);
    uint64_t total = HOLDERS * (uint64_t)jd_nranks(me);
    for (int i = 0; i < HOLDERS; i++) {
        must(me, jd_coll_add(me, s->coll[0], HOLD, NULL, 0));
        must(me, jd_coll_add(me, s->coll[1], RELEASE, NULL, 0));
    }
    must(me, jd_coll_start(me, s->coll[0]));
    while (sum_of(me, atomic_load(&s->holds)) < total)
        jd_yield(me);
    for (int i = 0; i < ROUNDS; i++)
        must(me, jd_barrier(me));
    /* A rank where no such task ran has no hold, and is open as long as others have. */
    ok_all(me, is_open(me, s->coll[0]), "no task is left but the holds");
    must(me, jd_coll_process(me, s->coll[1]));
    while (atomic_load(&s->holds) > 0) { /* more holds than releasing tasks here */
        must(me, jd_coll_release(me, s->coll[0]));
        atomic_fetch_sub(&s->holds, 1);
    }
    must(me, jd_coll_wait(me, s->coll[0]));
    uint64_t released = sum_of(me, atomic_load(&s->released));
    ok_all(me, adds_up(me, s->coll[0], total + released),
           "it ends after the last release");
    ok_all(me, sum_of(me, atomic_load(&s->marks)) == released && released > 0,
           "with what was added under the holds");
    end(me, s);
}

/* A hold that is taken before the start and given up by the body, many times over. */
static void test_body_holds(jd_self *me, struct shared *s)
{
    make(me, s);
    bool right = true;
    for (int i = 0; i < ROUNDS; i++) {
        bool mine = jd_rank(me) == (uint32_t)i % jd_nranks(me);
        if (mine)
            must(me, jd_coll_hold(me, s->coll[0]));
        must(me, jd_coll_start(me, s->coll[0]));
        must(me, jd_barrier(me));
        right = right && is_open(me, s->coll[0]);
        must(me, jd_barrier(me));
        if (mine) {
            must(me, jd_coll_add(me, s->coll[0], MARK, NULL, 0));
            must(me, jd_coll_release(me, s->coll[0]));
        }
        must(me, jd_coll_wait(me, s->coll[0]));
        right = adds_up(me, s->coll[0], 1) && right;
    }
    ok_all(me, right, "one rank's hold keeps it open on all");
    end(me, s);
}

static int body(jd_self *me, int argc, char **argv)
{
    struct shared s;
    test_to_and_fro(me, &s, argc > 1 ? (uint32_t)atol(argv[1]) : 40);
    test_released_later(me, &s);
    test_body_holds(me, &s);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
