/*
 * sched_ready_tasks_find_idle_workers.c
 *
 * Role: tasks that are woken while their worker is in a long task go on on idle workers, under each
 *       placement; and two tasks that wake each other do not keep a third one waiting.
 * Owner: the body; time is virtual, and the streams of the simulator are one thread.
 * See: ARCHITECTURE.md "Where a ULT goes on"; sched/unblock.c, sched/runq.c.
 */
#include "test/dist/sched_kit.h"

enum { PARK, LONG, PING, THIRD };
enum { PARKED = 8, WORKERS = 4, PIECE_NS = 1000000, LONG_NS = 10000000 };
enum { SEEDS = 8, PINGS = 10000, PINGS_MOST = 300, LATE = 5 };

static struct shared {
    jd_self *parked[PARKED], *ball, *third;
    int nparked, done, pings;
    bool third_ran;
    double woken, ended, third_at;
    uint64_t piece_ns;
} shared;

static void publish(jd_self *me, void *slot)
{
    *(jd_self **)slot = me;
}

static void park(jd_self *me, void *arg)
{
    (void)arg;
    jd_suspend(me, publish, &shared.parked[shared.nparked++]);
    jd_compute(me, PIECE_NS);
    shared.done++;
    shared.ended = jd_now(me);
}

static void long_task(jd_self *me, void *arg)
{
    (void)arg;
    while (shared.nparked < PARKED)
        jd_yield(me);
    shared.woken = jd_now(me);
    for (int i = 0; i < PARKED; i++)
        jd_resume(me, shared.parked[i]);
    jd_compute(me, LONG_NS);
}

static int busy_body(jd_self *me, int argc, char **argv)
{
    jd_coll *c;
    (void)argc, (void)argv;
    shared = (struct shared){0};
    must(me, jd_coll_create(me, NULL, &c));
    for (int i = 0; i < PARKED; i++)
        must(me, jd_coll_add(me, c, PARK, NULL, 0));
    must(me, jd_coll_add(me, c, LONG, NULL, 0));
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_destroy(me, c));
    return 0;
}

/* Wakes the other of two, and waits for it. */
static void ping(jd_self *me, void *arg)
{
    (void)arg;
    while (!shared.third_ran && shared.pings < PINGS) {
        jd_self *other = shared.ball;
        shared.pings++;
        if (shared.piece_ns)
            jd_compute(me, shared.piece_ns);
        if (shared.third && shared.pings == LATE) {
            shared.woken = jd_now(me);
            jd_resume(me, shared.third);
            shared.third = NULL;
        }
        if (other)
            jd_resume(me, other);
        jd_suspend(me, publish, &shared.ball);
    }
    if (shared.ball) {
        jd_self *other = shared.ball;
        shared.ball = NULL;
        jd_resume(me, other);
    }
}

static void third(jd_self *me, void *arg)
{
    (void)arg;
    jd_suspend(me, publish, &shared.third);
    shared.third_ran = true;
    shared.third_at = jd_now(me);
}

static uint64_t piece_ns; /* of the next job */

static int fair_body(jd_self *me, int argc, char **argv)
{
    jd_coll *c;
    (void)argc, (void)argv;
    shared = (struct shared){.piece_ns = piece_ns};
    must(me, jd_coll_create(me, NULL, &c));
    must(me, jd_coll_add(me, c, PING, NULL, 0));
    must(me, jd_coll_add(me, c, PING, NULL, 0));
    must(me, jd_coll_add(me, c, THIRD, NULL, 0)); /* the youngest runs first */
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_destroy(me, c));
    return 0;
}

static const jd_task_def tasks[] = {[PARK] = JD_TASK(park),
                                    [LONG] = JD_TASK(long_task),
                                    [PING] = JD_TASK(ping),
                                    [THIRD] = JD_TASK(third),
                                    JD_TASK_END};

static bool job(jd_body body, const char *workers)
{
    static char word[] = "job", *argv[] = {word, NULL};
    setenv("JACKDAW_WORKERS", workers, 1);
    return jd_launch(1, argv, body, tasks) == 0;
}

int main(void)
{
    static const char *const place[] = {"last", "current", "deque", "proactive"};
    /* As long as the idle workers need for the pieces, and half a piece more. */
    const double most =
        1e-9 * PIECE_NS * (0.5 + (PARKED + WORKERS - 2) / (WORKERS - 1)); // NOLINT
    setenv("JACKDAW_RANKS", "1", 1);
    for (int p = 0; p < 4; p++) {
        double worst = 0;
        bool right = true;
        setenv("JACKDAW_UNBLOCK", place[p], 1);
        for (int seed = 1; seed <= SEEDS; seed++) {
            char text[16];
            snprintf(text, sizeof text, "%d", seed);
            setenv("JACKDAW_SEED", text, 1);
            right = right && job(busy_body, "4") && shared.done == PARKED;
            double took = shared.ended - shared.woken;
            worst = took > worst ? took : worst;
        }
        ok(right && worst <= most, "%s: idle workers take them: %.2f ms, not over %.2f",
           place[p], 1e3 * worst, 1e3 * most);
        right = job(fair_body, "1");
        ok(right && shared.third_ran && shared.pings > 0 && shared.pings <= PINGS_MOST,
           "%s: a third task goes on after %d pings", place[p], shared.pings);
        for (piece_ns = 1000; piece_ns <= 1000000; piece_ns *= 10) {
            right = job(fair_body, "1");
            double took = shared.third_at - shared.woken, least = 2e-9 * (double)piece_ns;
            ok(right && shared.third_ran && took <= 1e-3 + least,
               "%s: it waits %.0f us for pieces of %.0f us", place[p], 1e6 * took,
               1e-3 * (double)piece_ns);
        }
        piece_ns = 0;
    }
    return done_testing();
}
