/*
 * sched_collections_take_turns.c - tasks of one collection that wait for a task of another one.
 *
 * Role: a task that adds itself again and again until a task of another collection has run: both on
 *       one worker, with either id the lower one; as tasks of finishes; with the other task on its
 *       way to a rank that is busy; and with the other task in reach of a thief only.  The task
 *       gives up after many rounds, so that a job without turns fails, and ends.
 * Owner: the body; time is virtual.
 * See: sched/worker.c, "turns".
 */
#include "test/dist/sched_kit.h"

enum { WAIT, DONE, WAIT_ANY, WAIT_HERE, DONE_ASYNC, PRODUCE, IDLE };
enum { ROUNDS = 50000, ROUND_NS = 1000, LATE = 1000, MORE = 4 };

/* Of a rank: the streams of the simulator are one thread. */
struct shared {
    uint64_t rounds; /* of the task that waits */
    bool done;       /* the other task has run */
    jd_coll *other;  /* the collection that PRODUCE adds a task to */
};

static bool goes_on(jd_self *me, struct shared *s)
{
    jd_compute(me, ROUND_NS);
    return !s->done && ++s->rounds < ROUNDS;
}

static void wait_for(jd_self *me, void *arg)
{
    (void)arg;
    jd_coll *c = jd_coll_mine(me);
    if (goes_on(me, jd_coll_local(c)))
        must(me, jd_coll_add(me, c, WAIT, NULL, 0));
}

static void done(jd_self *me, void *arg)
{
    (void)arg;
    struct shared *s = jd_coll_local(jd_coll_mine(me));
    s->done = true;
}

static void wait_any(jd_self *me, void *arg)
{
    (void)arg;
    if (goes_on(me, jd_local(me)))
        must(me, jd_async(me, WAIT_ANY, NULL, 0));
}

static void wait_here(jd_self *me, void *arg)
{
    (void)arg;
    if (goes_on(me, jd_local(me)))
        must(me, jd_async_local(me, WAIT_HERE, NULL, 0));
}

static void done_async(jd_self *me, void *arg)
{
    (void)arg;
    struct shared *s = jd_local(me);
    s->done = true;
}

static void idle(jd_self *me, void *arg)
{
    (void)arg;
    jd_compute(me, ROUND_NS);
}

/* A long task, whose own collection always has tasks for thieves.  Late it adds the other task, and
 * opens it by adding one more. */
static void produce(jd_self *me, void *arg)
{
    (void)arg;
    jd_coll *c = jd_coll_mine(me);
    struct shared *s = jd_coll_local(c);
    while (goes_on(me, s)) {
        for (int i = 0; i < MORE; i++)
            must(me, jd_coll_add(me, c, IDLE, NULL, 0));
        if (s->rounds != LATE)
            continue;
        must(me, jd_coll_add(me, s->other, DONE, NULL, 0));
        must(me, jd_coll_add(me, s->other, IDLE, NULL, 0));
        must(me, jd_coll_release(me, s->other));
    }
}

static const jd_task_def tasks[] = {[WAIT] = JD_TASK(wait_for),
                                    [DONE] = JD_TASK(done),
                                    [WAIT_ANY] = JD_TASK(wait_any),
                                    [WAIT_HERE] = JD_TASK(wait_here),
                                    [DONE_ASYNC] = JD_TASK(done_async),
                                    [PRODUCE] = JD_TASK(produce),
                                    [IDLE] = JD_TASK(idle),
                                    JD_TASK_END};

static void make_two(jd_self *me, struct shared *s, jd_coll *c[2])
{
    jd_coll_props props = {.local = s};
    for (int i = 0; i < 2; i++)
        must(me, jd_coll_create(me, &props, &c[i]));
}

static void process_two(jd_self *me, jd_coll *first, jd_coll *second)
{
    must(me, jd_coll_start(me, first));
    must(me, jd_coll_start(me, second));
    must(me, jd_coll_wait(me, first));
    must(me, jd_coll_wait(me, second));
    must(me, jd_coll_destroy(me, first));
    must(me, jd_coll_destroy(me, second));
}

/* One worker has a task of c[waiter] that waits, and one of the other collection. */
static void test_worker(jd_self *me, int waiter, const char *what)
{
    struct shared s = {0};
    jd_coll *c[2];
    make_two(me, &s, c);
    must(me, jd_coll_add(me, c[waiter], WAIT, NULL, 0));
    must(me, jd_coll_add(me, c[!waiter], DONE, NULL, 0));
    process_two(me, c[waiter], c[!waiter]);
    ok(s.done && s.rounds < ROUNDS, "%s: %d rounds", what, (int)s.rounds);
}

/* A thief can always have tasks of c[waiter], and one of the other collection. */
static void test_thief(jd_self *me, int waiter, const char *what)
{
    static struct shared s; /* of rank 0 */
    jd_coll *c[2];
    make_two(me, &s, c);
    if (jd_rank(me) == 0) {
        s = (struct shared){.other = c[!waiter]};
        must(me, jd_coll_hold(me, s.other));
        must(me, jd_coll_add(me, c[waiter], PRODUCE, NULL, 0));
    }
    process_two(me, c[!waiter], c[waiter]);
    if (jd_rank(me) == 0)
        ok(s.done && s.rounds < ROUNDS, "%s: %d rounds", what, (int)s.rounds);
}

static void spawn_both(jd_self *me, void *arg)
{
    if (*(bool *)arg) {
        must(me, jd_async(me, DONE_ASYNC, NULL, 0));
        must(me, jd_async_local(me, WAIT_HERE, NULL, 0));
    } else {
        must(me, jd_async_local(me, DONE_ASYNC, NULL, 0));
        must(me, jd_async(me, WAIT_ANY, NULL, 0));
    }
}

static void test_async(jd_self *me, bool here, const char *what)
{
    struct shared s = {0};
    jd_set_local(me, &s);
    must(me, jd_finish_spmd(me, spawn_both, &here));
    ok(s.done && s.rounds < ROUNDS, "%s: %d rounds", what, (int)s.rounds);
}

/* The body waits for its finish, and runs tasks of that meanwhile. */
static void test_helper(jd_self *me)
{
    struct shared s = {0};
    jd_coll_props props = {.local = &s};
    jd_scope scope;
    jd_coll *c;
    jd_set_local(me, &s);
    must(me, jd_coll_create(me, &props, &c));
    must(me, jd_finish_begin(me, &scope));
    must(me, jd_async(me, WAIT_ANY, NULL, 0));
    must(me, jd_coll_add(me, c, DONE, NULL, 0));
    must(me, jd_coll_start(me, c));
    must(me, jd_finish_end(me, &scope));
    must(me, jd_coll_wait(me, c));
    must(me, jd_coll_destroy(me, c));
    ok(s.done && s.rounds < ROUNDS, "a finish waits for a collection: %d rounds",
       (int)s.rounds);
}

/* The last rank waits for a task that rank 0 sends there. */
static void test_sent(jd_self *me)
{
    struct shared s = {0};
    jd_scope scope;
    uint32_t last = jd_nranks(me) - 1;
    jd_set_local(me, &s);
    must(me, jd_barrier(me));
    must(me, jd_finish_begin(me, &scope));
    if (jd_rank(me) == last)
        for (unsigned i = 0; i < 4 * jd_nworkers(me); i++)
            must(me, jd_async(me, WAIT_ANY, NULL, 0));
    if (jd_rank(me) == 0)
        must(me, jd_async_at(me, last, DONE_ASYNC, NULL, 0));
    must(me, jd_finish_end(me, &scope));
    uint64_t done_in_time = jd_rank(me) != last || (s.done && s.rounds < ROUNDS);
    ok_all(me, done_in_time, "a task that was sent to a busy rank runs there");
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    if (jd_nranks(me) == 1 && jd_nworkers(me) == 1) {
        test_worker(me, 0, "the lower id waits");
        test_worker(me, 1, "the higher id waits");
        test_async(me, true, "a local task waits for a movable one");
        test_async(me, false, "a movable task waits for a local one");
        test_helper(me);
    } else if (jd_nranks(me) == 1) {
        test_thief(me, 0, "a neighbour takes from the higher id");
        test_thief(me, 1, "a neighbour takes from the lower id");
    } else {
        test_thief(me, 0, "another rank takes from the higher id");
        test_thief(me, 1, "another rank takes from the lower id");
        test_sent(me);
    }
    return 0;
}

static void job(const char *ranks, const char *workers, const char *comm)
{
    setenv("JACKDAW_RANKS", ranks, 1);
    setenv("JACKDAW_WORKERS", workers, 1);
    setenv("JACKDAW_COMM", comm, 1);
    setenv("JACKDAW_SEED", "1", 0);
    ok(jd_launch(0, NULL, body, tasks) == 0, "%s x %s, %s", ranks, workers, comm);
}

int main(void)
{
    job("1", "1", "inline");
    job("1", "2", "inline");
    job("2", "1", "dedicated");
    return done_testing();
}
