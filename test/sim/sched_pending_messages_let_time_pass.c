/*
 * sched_pending_messages_let_time_pass.c
 *
 * Role: in virtual time a rank whose messages wait for credits, while its tasks sleep, looks again when something can
 *       have changed, and not at each nanosecond.
 * Owner: the body; time is virtual, and the streams of the simulator are one thread.
 * See: doc/sim.md; sched/comm.c.
 */
#include "sched/worker.h"
#include "test/dist/sched_kit.h"

enum { NAP, LETTER };
enum { NAPS = 100, NAP_NS = 10000, LETTERS = 40, LEAST_NS = 500 };

static uint64_t letters, sleeps, ns;

static void letter(jd_self *me, void *arg)
{
    (void)me, (void)arg;
    letters++;
}

static void nap(jd_self *me, void *arg)
{
    (void)arg;
    for (int i = 0; i < NAPS; i++)
        must(me, jd_sleep(me, NAP_NS));
}

static void send_and_sleep(jd_self *me, void *arg)
{
    (void)arg;
    must(me, jd_async_local(me, NAP, NULL, 0));
    for (int i = 0; i < LETTERS; i++)
        must(me, jd_async_at(me, 1, LETTER, NULL, 0));
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    if (jd_rank(me))
        return 0;
    jd_time began = jd_clock(me);
    uint64_t before = me->rank->stats->sleeps;
    must(me, jd_finish(me, send_and_sleep, NULL));
    ns = jd_clock(me) - began;
    sleeps = me->rank->stats->sleeps - before;
    return 0;
}

static const jd_task_def tasks[] = {
    [NAP] = JD_TASK(nap), [LETTER] = JD_TASK(letter), JD_TASK_END};

int main(void)
{
    static char word[] = "job", *argv[] = {word, NULL};
    setenv("JACKDAW_RANKS", "2", 1);
    setenv("JACKDAW_WORKERS", "1", 1);
    setenv("JACKDAW_COMM", "dedicated", 1);
    setenv("JACKDAW_CREDITS", "1", 1);
    setenv("JACKDAW_SIM_LAW", "uniform:20000", 1);
    setenv("JACKDAW_SEED", "1", 1);
    ok(!jd_launch(1, argv, body, tasks) && letters == LETTERS, "all letters come");
    ok(ns >= (uint64_t)NAPS * NAP_NS && sleeps < ns / LEAST_NS,
       "the communication thread has slept %llu times in %llu ns",
       (unsigned long long)sleeps, (unsigned long long)ns);
    return done_testing();
}
