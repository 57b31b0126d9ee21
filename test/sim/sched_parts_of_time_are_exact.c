/*
 * sched_parts_of_time_are_exact.c
 *
 * Role: in virtual time, where nothing but a known load takes time, each part of the time of all threads is
 *       that load to the nanosecond, whoever takes the time: a task, the body, a ULT that goes on, a sleep,
 *       a take, a poll.
 * Owner: the body; time is virtual, and the streams of the simulator are one thread.
 * Invariants: I1, I2 of core/clock.h.
 * See: sched/worker.c, sched/comm.c; core/stats.def.
 */
#include "test/dist/sched_time_kit.h"

enum { COMPUTE, COMPUTE_AND_SLEEP, YIELD, SENT };
enum { LOAD_NS = 10000000, TASKS = 4, YIELDS = 1000, SWITCHES_NS = 100 };
enum { TAKE_NS = 700, O_NS = 900, L_NS = 5000, MESSAGES = 50 };

static void compute(jd_self *me, void *arg)
{
    (void)arg;
    jd_compute(me, LOAD_NS);
}

/* The ULT stops twice, and other ULTs are ready when it goes on. */
static void compute_and_sleep(jd_self *me, void *arg)
{
    compute(me, arg);
    must(me, jd_sleep(me, 2 * (uint64_t)LOAD_NS));
    compute(me, arg);
    must(me, jd_sleep(me, LOAD_NS));
    compute(me, arg);
}

static void yield_often(jd_self *me, void *arg)
{
    (void)arg;
    for (int i = 0; i < YIELDS; i++) {
        jd_compute(me, LOAD_NS / YIELDS);
        jd_yield(me);
    }
}

/* One message each, because rank 1 has no tasks of its own. */
static void send_all(jd_self *me, void *arg)
{
    (void)arg;
    for (int i = 0; i < MESSAGES; i++) {
        must(me, jd_sleep(me, LOAD_NS / MESSAGES));
        must(me, jd_async_at(me, 1, SENT, NULL, 0));
    }
}

static void sent(jd_self *me, void *arg)
{
    compute(me, arg);
}

static const jd_task_def tasks[] = {[COMPUTE] = JD_TASK(compute),
                                    [COMPUTE_AND_SLEEP] = JD_TASK(compute_and_sleep),
                                    [YIELD] = JD_TASK(yield_often),
                                    [SENT] = JD_TASK(sent),
                                    JD_TASK_END};

/* ---- bodies --------------------------------------------------------------------------- */

static void process_on_rank_0(jd_self *me, int fn, int ntasks)
{
    jd_coll *c;
    must(me, jd_coll_create(me, NULL, &c));
    for (int i = 0; i < ntasks && jd_rank(me) == 0; i++)
        must(me, jd_coll_add(me, c, fn, NULL, 0));
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_destroy(me, c));
}

#define BODY(name, statement)                                                            \
    static int name(jd_self *me, int argc, char **argv)                                  \
    {                                                                                    \
        (void)argc, (void)argv;                                                          \
        statement;                                                                       \
        return 0;                                                                        \
    }
BODY(body_computes, compute(me, NULL))
BODY(body_sleeps, must(me, jd_sleep(me, LOAD_NS)))
BODY(tasks_compute, process_on_rank_0(me, COMPUTE, TASKS))
BODY(one_task_computes, process_on_rank_0(me, COMPUTE, 1))
BODY(tasks_sleep, process_on_rank_0(me, COMPUTE_AND_SLEEP, 2))
BODY(tasks_yield, process_on_rank_0(me, YIELD, 2))
BODY(tasks_are_sent, {
    if (jd_rank(me) == 0)
        must(me, jd_finish(me, send_all, NULL));
    must(me, jd_barrier(me));
})

/* ---- jobs ------------------------------------------------------------------------------ */

static struct parts parts;

static bool job(const char *ranks, const char *workers, jd_body body)
{
    return run_job(ranks, workers, body, tasks, &parts);
}

/* A switch of ULTs takes 1 ns and counts as work. */
static bool is_about(uint64_t got, uint64_t want)
{
    return got >= want && got <= want + SWITCHES_NS;
}

static void test_one_worker(void)
{
    ok(job("1", "1", body_computes) && is_about(parts.work, LOAD_NS) &&
           parts.all == parts.work,
       "what the body computes is work, and nothing else is anything");
    ok(parts.life == parts.all && !parts.cpu,
       "the parts are the life of the thread, which has no processor");
    say(&parts);
    ok(job("1", "1", body_sleeps) && is_about(parts.idle, LOAD_NS) &&
           is_about(parts.all, parts.idle),
       "a sleep of the body is idle");
    say(&parts);
    ok(job("1", "1", tasks_compute) && is_about(parts.work, TASKS * (uint64_t)LOAD_NS) &&
           parts.all == parts.work,
       "tasks of 10 ms are work");
    say(&parts);
    ok(job("1", "1", tasks_sleep) && is_about(parts.work, 6 * (uint64_t)LOAD_NS) &&
           is_about(parts.all, parts.work + parts.idle) && parts.idle > 0,
       "of tasks that wait, what they compute is work, and what is left of their sleeps "
       "idle");
    say(&parts);
    ok(job("1", "1", tasks_yield) && parts.all == parts.work &&
           parts.work >= 2 * (uint64_t)LOAD_NS &&
           parts.work <= 2 * (uint64_t)(LOAD_NS + YIELDS) + SWITCHES_NS,
       "rows of ULTs that yield are work");
    say(&parts);
}

static void test_workers(void)
{
    setenv("JACKDAW_SIM_TAKE", "700", 1);
    ok(job("1", "4", one_task_computes) && is_about(parts.work, LOAD_NS) &&
           parts.idle >= 3 * (uint64_t)LOAD_NS - SWITCHES_NS && parts.steal == 0,
       "beside one long task three workers idle");
    say(&parts);
    ok(job("1", "4", tasks_compute) && is_about(parts.work, TASKS * (uint64_t)LOAD_NS) &&
           parts.steal > 0 && parts.steal % TAKE_NS == 0,
       "takes from other workers are steal");
    say(&parts);
}

static void test_ranks(const char *comm)
{
    setenv("JACKDAW_SIM_NET", "o:900,L:5000,g:50,G:0.1", 1);
    setenv("JACKDAW_COMM", comm, 1);
    ok(job("2", "1", tasks_are_sent) &&
           is_about(parts.work, MESSAGES * (uint64_t)LOAD_NS) &&
           parts.progress >= MESSAGES * (uint64_t)O_NS && parts.progress % O_NS == 0,
       "%s: what a message costs the processor is progress", comm);
    say(&parts);
    ok(job("3", "2", one_task_computes) && is_about(parts.work, LOAD_NS) &&
           parts.idle > 5 * (uint64_t)LOAD_NS - LOAD_NS / 100,
       "%s: beside one long task all others idle", comm);
    say(&parts);
}

int main(void)
{
    setenv("JACKDAW_STATS", "1", 1);
    setenv("JACKDAW_SEED", "1", 1);
    setenv("JACKDAW_SIM_TASK", "0", 1);
    test_one_worker();
    test_workers();
    test_ranks("inline");
    test_ranks("dedicated");
    return done_testing();
}
