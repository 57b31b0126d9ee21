/*
 * sched_sleepers_wake_at_their_times.c
 *
 * Role: in virtual time a sleeper goes on at its deadline to the nanosecond if its worker is free, at the
 *       same moments in each run with the same seed, and costs no turns meanwhile.
 * Owner: the body; time is virtual, and the streams of the simulator are one thread.
 * See: doc/waiting.md "In virtual time".
 */
#include "core/random.h"
#include "test/dist/sched_kit.h"

enum { NAP, PASS };
enum {
    SLEEPERS = 500,
    MOST_NS = 50000000,
    PAUSE_NS = 1000,
    ALONE = 20,
    ALONE_NS = 1234567,
    PASSED = 20,
    PASS_NS = 20000
};

static struct shared {
    uint64_t rng, latest, sum, woken;
    bool early;
} shared;

static void nap(jd_self *me, void *arg)
{
    jd_time until = jd_deadline(me, *(uint64_t *)arg);
    must(me, jd_sleep_until(me, until));
    jd_time now = jd_clock(me);
    shared.early = shared.early || now < until;
    if (now > until && now - until > shared.latest)
        shared.latest = now - until;
    shared.sum = shared.sum * 31 + now;
    shared.woken++;
}

/* One after the other: nothing else happens, so each wakes at its very time. */
static void test_alone(jd_self *me)
{
    uint64_t late = 0;
    for (uint64_t i = 0; i < ALONE; i++) {
        jd_time until = jd_deadline(me, ALONE_NS >> i);
        must(me, jd_sleep_until(me, until));
        late += jd_clock(me) - until;
    }
    shared.latest = late;
}

static int alone_body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    test_alone(me);
    return 0;
}

/* Worker 0, which polls, computes; the others have the sleepers. */
static void beside(jd_self *me, void *arg)
{
    (void)arg;
    for (int i = 0; i < SLEEPERS; i++) {
        uint64_t ns = jdi_random_below(&shared.rng, MOST_NS);
        must(me, jd_async_local(me, NAP, &ns, sizeof ns));
    }
    jd_compute(me, 2 * (uint64_t)MOST_NS);
}

static int beside_body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    must(me, jd_finish(me, beside, NULL));
    return 0;
}

static int many_body(jd_self *me, int argc, char **argv)
{
    jd_coll *c;
    (void)argc, (void)argv;
    must(me, jd_coll_create(me, NULL, &c));
    for (int i = 0; i < SLEEPERS; i++) {
        uint64_t ns = jdi_random_below(&shared.rng, MOST_NS);
        must(me, jd_coll_add(me, c, NAP, &ns, sizeof ns));
    }
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_destroy(me, c));
    return 0;
}

/* Sleeps, then sends the next one to another rank: sleepers wake while their rank handles messages. */
static void send_on(jd_self *me, void *arg)
{
    uint64_t left = *(uint64_t *)arg, ns = jdi_random_below(&shared.rng, PASS_NS);
    nap(me, &ns);
    left--;
    if (left)
        must(me, jd_async_at(me, (jd_rank(me) + 1) % jd_nranks(me), PASS, &left,
                             sizeof left));
}

static void passes(jd_self *me, void *arg)
{
    (void)arg;
    for (uint64_t i = 0; i < PASSED; i++)
        must(me, jd_async_local(me, PASS, &(uint64_t){SLEEPERS / PASSED}, 8));
}

static int passing_body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    must(me, jd_finish(me, passes, NULL));
    return 0;
}

static const jd_task_def tasks[] = {
    [NAP] = JD_TASK(nap), [PASS] = JD_TASK(send_on), JD_TASK_END};

static bool job(jd_body body, const char *ranks, const char *workers, const char *comm)
{
    static char word[] = "job", *argv[] = {word, NULL};
    setenv("JACKDAW_RANKS", ranks, 1);
    setenv("JACKDAW_WORKERS", workers, 1);
    setenv("JACKDAW_COMM", comm, 1);
    shared = (struct shared){.rng = 42};
    return jd_launch(1, argv, body, tasks) == 0;
}

int main(void)
{
    static const struct {
        const char *ranks, *workers, *comm;
    } shape[] = {{"1", "1", "inline"},
                 {"1", "4", "inline"},
                 {"2", "1", "inline"},
                 {"2", "3", "dedicated"}};
    setenv("JACKDAW_SEED", "5", 1);
    setenv("JACKDAW_SIM_TASK", "0", 1); /* to go on takes 1 ns, the least */
    ok(job(alone_body, "1", "1", "inline"), "one sleeper");
    is_u64(shared.latest, ALONE, "wakes at its very time");
    unsetenv("JACKDAW_SIM_TASK");
    bool right = job(beside_body, "1", "4", "inline");
    ok(right && shared.woken == SLEEPERS && shared.latest <= 2 * PAUSE_NS,
       "beside a long task of the worker that polls, the latest by %llu ns",
       (unsigned long long)shared.latest);
    right = job(passing_body, "3", "2", "dedicated");
    ok(right && shared.woken == 3 * SLEEPERS && !shared.early,
       "beside messages all wake, none early");
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        const char *ranks = shape[i].ranks, *workers = shape[i].workers;
        right = job(many_body, ranks, workers, shape[i].comm);
        struct shared first = shared;
        ok(right && shared.woken == (uint64_t)(SLEEPERS * atoi(ranks)) && !shared.early,
           "%s ranks of %s workers, %s: all wake, none early", ranks, workers,
           shape[i].comm);
        ok(shared.latest <= 2 * PAUSE_NS, "the latest by %llu ns",
           (unsigned long long)shared.latest);
        right = job(many_body, ranks, workers, shape[i].comm);
        ok(right && shared.sum == first.sum, "again at the same moments");
    }
    return done_testing();
}
