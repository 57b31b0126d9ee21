/*
 * sched_bursts_wake_all_who_sleep.c
 *
 * Role: tasks that stopped on one worker are woken in one go while all idle workers sleep.  The idle
 *       workers share these tasks, although the worker whose queue has them sleeps itself.
 * Owner: the body; time is virtual, and the streams of the simulator are one thread.
 * See: sched/unblock.c; ARCHITECTURE.md "Where a ULT goes on".
 */
#include "test/dist/sched_kit.h"

enum { ROOT, PARK, BURST };
enum { PARKED = 6, WORKERS = 4, IDLE = WORKERS - 1, PIECE_NS = 1000000 };
enum { LONG_NS = 10 * PIECE_NS };

static struct shared {
    jd_self *parked[PARKED];
    unsigned nparked, done, place[PARKED]; /* on which worker it stopped */
    double woken, ended;
} shared;

static void publish(jd_self *me, void *slot)
{
    *(jd_self **)slot = me;
}

static void park(jd_self *me, void *arg)
{
    unsigned i = shared.nparked++;
    (void)arg;
    shared.place[i] = jd_worker(me);
    jd_suspend(me, publish, &shared.parked[i]);
    jd_compute(me, PIECE_NS);
    shared.done++;
    shared.ended = jd_now(me);
}

static void root(jd_self *me, void *arg)
{
    (void)arg;
    for (int i = 0; i < PARKED; i++)
        must(me, jd_coll_add(me, jd_coll_mine(me), PARK, NULL, 0));
}

static void burst(jd_self *me, void *arg)
{
    (void)arg;
    jd_compute(me, LONG_NS);
    shared.woken = jd_now(me);
    for (unsigned i = 0; i < shared.nparked; i++)
        jd_resume(NULL, shared.parked[i]);
    jd_compute(me, LONG_NS);
}

static int body(jd_self *me, int argc, char **argv)
{
    jd_coll *c;
    (void)argc, (void)argv;
    must(me, jd_coll_create(me, NULL, &c));
    must(me, jd_coll_add(me, c, ROOT, NULL, 0));
    must(me,
         jd_coll_add(me, c, BURST, NULL, 0)); /* the youngest runs first, on worker 0 */
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_destroy(me, c));
    return 0;
}

static const jd_task_def tasks[] = {[ROOT] = JD_TASK(root),
                                    [PARK] = JD_TASK(park),
                                    [BURST] = JD_TASK(burst),
                                    JD_TASK_END};

int main(int argc, char **argv)
{
    /* As long as the idle workers need for the pieces, and half a piece more. */
    const double most = 1e-9 * PIECE_NS * (0.5 + PARKED / IDLE); // NOLINT
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "4", 1);
    setenv("JACKDAW_SEED", "1", 1);
    setenv("JACKDAW_SIM_TASK", "0", 1);
    bool right = jd_launch(argc, argv, body, tasks) == 0 && shared.done == PARKED;
    bool together = true;
    for (int i = 1; i < PARKED; i++)
        together = together && shared.place[i] == shared.place[0];
    ok(right && together && shared.place[0], "%d tasks stopped on one idle worker",
       PARKED);
    double took = shared.ended - shared.woken;
    ok(took <= most, "the idle workers share them: %.2f ms, not over %.2f", 1e3 * took,
       1e3 * most);
    return done_testing();
}
