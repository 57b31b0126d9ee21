/*
 * sched_waits_are_counted.c
 *
 * Role: every suspension is counted once when it begins and once when it has ended; the delay of a ready
 *       ULT lies in the class of its length; a worker counts each neighbour that it asks, and alone
 *       it asks nobody.
 * Owner: the body; time is virtual, and the streams of the simulator are one thread.
 * See: core/stats.def; sched/self.c, sched/neighbours.c.
 */
#include "sched/worker.h"
#include "test/dist/sched_kit.h"

enum { PARK, LONG };
enum { PARKED = 8, LONG_NS = 1000000, LONG_CLASS = 12 /* up to 256 << 12 ns */ };

static struct shared {
    jd_self *parked[PARKED];
    int nparked;
    struct jdi_stats stats; /* of all workers */
} shared;

static void publish(jd_self *me, void *slot)
{
    *(jd_self **)slot = me;
}

static void park(jd_self *me, void *arg)
{
    (void)arg;
    jd_suspend(me, publish, &shared.parked[shared.nparked++]);
    jd_compute(me, 1);
}

static void long_task(jd_self *me, void *arg)
{
    (void)arg;
    while (shared.nparked < PARKED)
        jd_yield(me);
    for (int i = 0; i < PARKED; i++)
        jd_resume(me, shared.parked[i]);
    jd_compute(me, LONG_NS);
}

static void add_up(jd_self *me)
{
    struct jdi_rank *r = me->rank;
    for (unsigned i = 0; i < r->nworkers; i++)
        jdi_stats_add(&shared.stats, &r->workers[i].stats);
}

static int body(jd_self *me, int argc, char **argv)
{
    jd_coll *c;
    (void)argc, (void)argv;
    shared = (struct shared){0};
    must(me, jd_coll_create(me, NULL, &c));
    for (int i = 0; i < PARKED; i++)
        must(me, jd_coll_add(me, c, PARK, NULL, 0));
    must(me, jd_coll_add(me, c, LONG, NULL, 0));
    must(me, jd_coll_process(me, c));
    add_up(me);
    must(me, jd_coll_destroy(me, c));
    return 0;
}

static const jd_task_def tasks[] = {
    [PARK] = JD_TASK(park), [LONG] = JD_TASK(long_task), JD_TASK_END};

static bool job(const char *workers)
{
    static char word[] = "job", *argv[] = {word, NULL};
    setenv("JACKDAW_WORKERS", workers, 1);
    return jd_launch(1, argv, body, tasks) == 0;
}

static uint64_t measured(const struct jdi_stats *s)
{
    uint64_t n = 0;
    for (int i = 0; i < JDI_STATS_TIMES; i++)
        n += s->ready_ns[i];
    return n;
}

int main(void)
{
    const struct jdi_stats *s = &shared.stats;
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_SEED", "1", 1);

    ok(job("1") && s->suspended >= PARKED, "one worker: %d tasks and the body wait",
       PARKED);
    is_u64(s->resumed, s->suspended, "each of these waits has ended");
    ok(s->ready_ns[LONG_CLASS] >= PARKED, "%d delays are as long as the long task",
       PARKED);
    ok(!s->migrated && !s->looks_ready, "a worker that is alone asks nobody");

    ok(job("4"), "four workers");
    is_u64(s->resumed, s->suspended, "each wait has ended");
    ok(measured(s) >= PARKED && measured(s) <= s->resumed, "%d delays were measured",
       (int)measured(s));
    ok(s->migrated > 0 && s->looks_ready >= s->migrated,
       "%d ULTs moved, after %d looks at other workers", (int)s->migrated,
       (int)s->looks_ready);
    ok(s->looks_tasks > s->steals_local, "%d looks for tasks brought %d times some",
       (int)s->looks_tasks, (int)s->steals_local);
    return done_testing();
}
