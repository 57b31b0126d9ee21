/*
 * sim_queues_are_locked_in_turn.c - what looks and locks cost in virtual time.
 *
 * Role: threads that lock a queue at one moment have it one after the other; to the last one it costs
 *       nothing more until another looks at it; a worker without work looks on, as often as looks
 *       and pauses permit; and without the settings all this is free.
 * Owner: the body; the streams of the simulator are one thread.
 * Invariants: I1 the times are exact.
 * See: core/time.h; doc/sim.md "Workers"; sched/runq.c.
 */
#include "sched/worker.h"
#include "test/dist/sched_kit.h"

enum { LOCK };
enum { WORKERS = 4, LOCK_NS = 7000, LOOK_NS = 200, SPIN_NS = 100, LONG_NS = 1000000 };

static struct shared {
    struct jdi_time_lock lock;
    uint64_t since, times, sum, again, seen, looked;
    uint64_t rounds; /* of looks at the one other worker */
} shared;

/* All begin at one moment, because a task costs nothing and each has its worker. */
static void lock(jd_self *me, void *arg)
{
    const struct jdi_time *t = me->rank->am->time;
    (void)arg;
    jd_compute(me, LONG_NS - (uint64_t)(1e9 * jd_now(me) + 0.5) % LONG_NS);
    uint64_t before = jdi_time_now(t);
    shared.since = shared.since ? shared.since : before;
    jdi_time_lock(t, &shared.lock);
    shared.times += before == shared.since;
    shared.sum += jdi_time_now(t) - before;
    jd_compute(me, LONG_NS);
    if (--shared.seen)
        return;
    jdi_time_lock(t, &shared.lock); /* the last one to come */
    before = jdi_time_now(t);
    jdi_time_lock(t, &shared.lock);
    shared.again = jdi_time_now(t) - before;
    jdi_time_seen(t, &shared.lock);
    jdi_time_lock(t, &shared.lock);
    shared.seen = jdi_time_now(t) - before;
    before = jdi_time_now(t);
    jdi_time_look(t, 3);
    shared.looked = jdi_time_now(t) - before;
}

static uint64_t looks(jd_self *me)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < me->rank->nworkers; i++)
        n += me->rank->workers[i].stats.looks_ready;
    return n;
}

static int body(jd_self *me, int argc, char **argv)
{
    jd_coll *c;
    (void)argc, (void)argv;
    unsigned n = jd_nworkers(me);
    shared = (struct shared){.seen = n};
    must(me, jd_coll_create(me, NULL, &c));
    for (unsigned i = 0; i < n; i++)
        must(me, jd_coll_add(me, c, LOCK, NULL, 0));
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_destroy(me, c));
    uint64_t before = looks(me);
    jd_compute(me, LONG_NS);
    shared.rounds = (looks(me) - before) / (n - 1);
    return 0;
}

static const jd_task_def tasks[] = {[LOCK] = JD_TASK(lock), JD_TASK_END};

static bool job(const char *workers, const char *look, const char *lock_ns)
{
    static char word[] = "job", *argv[] = {word, NULL};
    setenv("JACKDAW_WORKERS", workers, 1);
    setenv("JACKDAW_SIM_LOOK", look, 1);
    setenv("JACKDAW_SIM_LOCK", lock_ns, 1);
    return jd_launch(1, argv, body, tasks) == 0;
}

int main(void)
{
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_SIM_TASK", "0", 1);
    setenv("JACKDAW_SIM_TAKE", "0", 1);
    setenv("JACKDAW_LOCAL_AMOUNT", "one", 1);

    ok(job("4", "0", "0") && shared.times == WORKERS, "%d workers lock at one moment",
       WORKERS);
    is_u64(shared.sum + shared.again + shared.seen + shared.looked, 0, "which is free");
    ok(shared.rounds <= 1, "and workers without work sleep at once");

    ok(job("4", "200", "7000") && shared.times == WORKERS, "%d workers do, at a price",
       WORKERS);
    is_u64(shared.sum, (1 + 2 + 3 + 4) * LOCK_NS, "each waits for those before it");
    is_u64(shared.again, 0, "who had it last has it for nothing");
    is_u64(shared.seen, LOCK_NS, "unless somebody has looked at it since");
    is_u64(shared.looked, 3 * LOOK_NS, "three looks in vain cost three looks");

    setenv("JACKDAW_IDLE", "spin:1000000,yield:0,sleep:150", 1);
    /* A round has a look at the other's queue, and none at shelves: no collection is open. */
    const uint64_t rounds = LONG_NS / (LOOK_NS + SPIN_NS);
    bool done = job("2", "200", "0");
    ok(done && shared.rounds >= rounds - 1 && shared.rounds <= rounds + 1,
       "a worker without work looks on: %d looks in a millisecond", (int)shared.rounds);
    setenv("JACKDAW_IDLE", "spin:100,yield:0,sleep:150", 1);
    done = job("2", "200", "0");
    ok(done && shared.rounds && shared.rounds <= rounds / 10 + 1,
       "and sleeps after a while: %d looks", (int)shared.rounds);
    return done_testing();
}
