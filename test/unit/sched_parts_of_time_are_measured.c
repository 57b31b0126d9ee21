/*
 * sched_parts_of_time_are_measured.c
 *
 * Role: on real threads the parts of time add up to the life of the threads, and a known load, a task of
 *       10 ms or a sleep of 30 ms, is reported within 1%.
 * Owner: the body; the network is the in-process loop.
 * Invariants: I1, I2 of core/clock.h.
 * See: test/sim/sched_parts_of_time_are_exact.c has every load, in virtual time.
 *
 * The machine may take the processor away at any moment, between two looks at the clock, too.  So a load may
 * be tried again, and a task is compared with the time that it saw itself.
 *
 * A worker that sleeps looks around before it does and from time to time, and the table is right not to call
 * that idle.  In 30 ms it takes 30 us, and 0.3 ms with the thread sanitizer, which makes every access dear.
 */
#include "test/dist/sched_time_kit.h"
#include "test/kit/instrumented.h"

enum { COMPUTE };
enum { TASK_NS = 10000000, SLEEP_NS = 30000000, TRIES = 100 };

static struct shared {
    uint64_t took; /* as the load itself saw it */
} shared;

static void compute(jd_self *me, void *arg)
{
    (void)arg;
    jd_time start = jd_clock(me);
    jd_compute(me, TASK_NS);
    shared.took = jd_clock(me) - start;
}

static int one_task(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    if (jd_rank(me) == 0)
        must(me, jd_finish(me, compute, NULL));
    return 0;
}

static int one_sleep(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    jd_time start = jd_clock(me);
    must(me, jd_sleep(me, SLEEP_NS));
    shared.took = jd_clock(me) - start;
    return 0;
}

static const jd_task_def tasks[] = {[COMPUTE] = JD_TASK(compute), JD_TASK_END};

static bool is_within(int percent, uint64_t got, uint64_t want)
{
    uint64_t off = got > want ? got - want : want - got;
    return off <= want / 100 * (uint64_t)percent;
}

int main(void)
{
    struct parts p;
    bool add_up = true, right = false;
    setenv("JACKDAW_STATS", "1", 1);
    for (int i = 0; i < TRIES && !right; i++) {
        add_up = add_up && run_job("1", "1", one_task, tasks, &p) && p.all == p.life;
        right = is_within(1, p.work, shared.took);
    }
    say(&p);
    ok(right && shared.took >= TASK_NS, "a task of 10 ms is work");
    ok(p.cpu >= TASK_NS, "the thread has had a processor for as long");
    right = false;
    for (int i = 0; i < TRIES && !right; i++) {
        add_up = add_up && run_job("1", "1", one_sleep, tasks, &p) && p.all == p.life;
        right = is_within(INSTRUMENTED ? 4 : 1, p.idle, shared.took);
    }
    say(&p);
    ok(right && shared.took >= SLEEP_NS, "a sleep of 30 ms is idle");
    setenv("JACKDAW_ULT", "boost",
           1); /* the engine that has room for two ranks in a process */
    add_up = add_up && run_job("2", "2", one_task, tasks, &p) && p.all == p.life;
    say(&p);
    ok(add_up, "the parts add up to the life of the threads");
    return done_testing();
}
