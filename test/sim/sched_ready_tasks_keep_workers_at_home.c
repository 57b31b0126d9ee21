/*
 * sched_ready_tasks_keep_workers_at_home.c
 *
 * Role: a worker with ready ULTs does not look for tasks of others at the end of each row of ULTs, which is
 *       not free; but it does now and then, and so a task is reached whose owner is in a long one.
 * Owner: the body; time is virtual, and the streams of the simulator are one thread.
 * See: SEEK_NS in sched/worker.c; ARCHITECTURE.md "Where a ULT goes on".
 */
#include "test/dist/sched_kit.h"

enum { PING, LONG, SHORT };
enum {
    SHORTS = 8,
    PINGS = 2000,
    PIECE_NS = 100000,
    LONG_NS = 100000000,
    LOOK_NS = 50000
};
/* Of each piece: a look at the neighbour once in 10 ms, and what a switch costs.  With a look in each row it
 * was 125,000.  A row may take 64 pieces before it ends. */
enum { PING_MOST_NS = 102000, REACHED_MOST_NS = 18000000 };

static struct shared {
    jd_self *ball;
    int pings;
    double began, ended, added, reached;
} shared;

static void publish(jd_self *me, void *slot)
{
    *(jd_self **)slot = me;
}

/* Wakes the other of two, and waits for it. */
static void ping(jd_self *me, void *arg)
{
    (void)arg;
    if (!shared.pings)
        shared.began = jd_now(me);
    while (shared.pings++ < PINGS) {
        jd_self *other = shared.ball;
        jd_compute(me, PIECE_NS);
        if (other)
            jd_resume(me, other);
        jd_suspend(me, publish, &shared.ball);
    }
    shared.ended = jd_now(me);
    if (shared.ball) {
        jd_self *other = shared.ball;
        shared.ball = NULL;
        jd_resume(me, other);
    }
}

static void long_task(jd_self *me, void *arg)
{
    (void)arg;
    shared.added = jd_now(me);
    jd_compute(me, LONG_NS);
}

static void short_task(jd_self *me, void *arg)
{
    (void)arg;
    if (shared.reached == 0)
        shared.reached = jd_now(me);
}

static int body(jd_self *me, int argc, char **argv)
{
    jd_coll *c;
    (void)argc, (void)argv;
    shared = (struct shared){0};
    must(me, jd_coll_create(me, NULL, &c));
    /* The oldest are stolen first; the youngest runs first, on this worker. */
    must(me, jd_coll_add(me, c, PING, NULL, 0));
    must(me, jd_coll_add(me, c, PING, NULL, 0));
    for (int i = 0; i < SHORTS; i++)
        must(me, jd_coll_add(me, c, SHORT, NULL, 0));
    must(me, jd_coll_add(me, c, LONG, NULL, 0));
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_destroy(me, c));
    return 0;
}

static const jd_task_def tasks[] = {[PING] = JD_TASK(ping),
                                    [LONG] = JD_TASK(long_task),
                                    [SHORT] = JD_TASK(short_task),
                                    JD_TASK_END};

int main(void)
{
    static const char *const place[] = {"last", "current", "deque", "proactive"};
    char word[] = "job", *argv[] = {word, NULL}, look[16];
    snprintf(look, sizeof look, "%d", LOOK_NS);
    setenv("JACKDAW_SIM_LOOK", look, 1);
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "2", 1);
    setenv("JACKDAW_LOCAL_AMOUNT", "one", 1); /* the thief leaves the short ones */
    for (int p = 0; p < 4; p++) {
        setenv("JACKDAW_UNBLOCK", place[p], 1);
        bool right = jd_launch(1, argv, body, tasks) == 0;
        double each = 1e9 * (shared.ended - shared.began) / PINGS;
        double reached = 1e9 * (shared.reached - shared.added);
        ok(right && each >= PIECE_NS && each <= PING_MOST_NS,
           "%s: a piece of %d ns takes %.0f", place[p], PIECE_NS, each);
        ok(right && reached > 0 && reached <= REACHED_MOST_NS,
           "%s: a task behind a long one begins after %.2f ms", place[p], 1e-6 * reached);
    }
    return done_testing();
}
