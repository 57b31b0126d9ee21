/*
 * sched_recall_rushes_what_is_waited_for.c - a task that waits for its turn in a phase with a log does not keep others waiting for
 * ever.
 *
 * Role: the log says that rank 1 had task FIRST, and then SECOND. Here FIRST yields until SECOND has run, so the worker of rank 1
 *       is never hungry. Both are tasks of a collection, then of a finish.
 * Owner: the bodies; `program` and `ran` are of the job that runs.
 * See: doc/steallog.md "A phase that replays"; jdi_recall_rush.
 */
#include "test/unit/sched_recall_kit.h"

enum { FIRST, SECOND, BOTH };
enum { RANKS = 2, PATIENCE_S = 20 };

static struct recall_logs logs;
static _Atomic uint32_t
    ran; /* SECOND, on this rank + 1; ranks are threads of this process */
static _Atomic bool too_late;

static void first(jd_self *me, void *arg)
{
    double began = jd_now(me);
    (void)arg;
    while (!atomic_load(&ran) && !atomic_load(&too_late)) {
        if (jd_now(me) - began > PATIENCE_S)
            atomic_store(&too_late, true);
        jd_yield(me);
    }
}

static void second(jd_self *me, void *arg)
{
    (void)arg;
    atomic_store(&ran, jd_rank(me) + 1);
}

static void both(jd_self *me, void *arg)
{
    (void)arg;
    must(me, jd_coll_add(me, jd_coll_mine(me), FIRST, NULL, 0));
    must(me, jd_coll_add(me, jd_coll_mine(me), SECOND, NULL, 0));
}

static const jd_task_def tasks[] = {[FIRST] = JD_TASK(first),
                                    [SECOND] = JD_TASK(second),
                                    [BOTH] = JD_TASK(both),
                                    JD_TASK_END};

static void spawn_both(jd_self *me, void *arg)
{
    (void)arg;
    must(me, jd_async(me, FIRST, NULL, 0));
    must(me, jd_async(me, SECOND, NULL, 0));
}

static void judge(jd_self *me, const char *what)
{
    must(me, jd_barrier(me));
    if (jd_rank(me) == 0) {
        ok(!atomic_load(&too_late) && atomic_load(&ran), "%s: both have run", what);
        ok(!getenv("JACKDAW_REPLAY") || atomic_load(&ran) == 2, "%s: where the log says",
           what);
        atomic_store(&ran, 0);
        atomic_store(&too_late, false);
    }
    must(me, jd_barrier(me));
}

static int body(jd_self *me, int argc, char **argv)
{
    jd_coll *c;
    (void)argc, (void)argv;
    if (jd_rank(me) == 0)
        logs.program = me->rank->registry.hash;
    must(me, jd_coll_create(me, NULL, &c));
    if (jd_rank(me) == 0)
        must(me, jd_coll_add(me, c, BOTH, NULL, 0));
    must(me, jd_coll_process(me, c));
    judge(me, "of a collection");
    must(me, jd_coll_destroy(me, c));
    if (jd_rank(me) == 0)
        must(me, jd_finish(me, spawn_both, NULL));
    judge(me, "of a finish");
    return 0;
}

static void write_log(uint32_t rank)
{
    const uint32_t coll[] = {0, JDI_STEALLOG_FINISHES};
    const uint64_t name[] = {jdi_name_children(jdi_name_seed(0, 0)), jdi_name_body(0)};
    uint32_t way = JDI_STEALLOG_BATCH | (rank ? JDI_STEALLOG_GOT : 1);
    struct jdi_steallog_run run[2][2];
    struct jdi_steallog log[2];
    for (int i = 0; i < 2; i++) {
        run[i][0] = (struct jdi_steallog_run){name[i], 1, way};
        run[i][1] = (struct jdi_steallog_run){name[i] + 1, 1, way};
        log[i] = (struct jdi_steallog){.run = run[i], .n = 2, .waited = 1000000000};
    }
    recall_write(&logs, rank, log, coll, 2);
}

int main(int argc, char **argv)
{
    recall_init(&logs, RANKS);
    setenv("JACKDAW_WORKERS", "1", 1);
    ok(!jd_launch(argc, argv, body, tasks), "a job without a log has ended well");
    for (uint32_t rank = 0; rank < RANKS; rank++)
        write_log(rank);
    recall_use(&logs);
    ok(!jd_launch(argc, argv, body, tasks), "a job with a log has ended well");
    recall_fini(&logs);
    return done_testing();
}
