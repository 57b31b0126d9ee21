/*
 * switch.c - what it costs a task to wait for another one of its worker, and to yield.
 *
 * Role: two tasks that suspend themselves and resume each other, and one that yields while nobody else is
 *       ready; with each engine, and beside Argobots itself.  The rounds take turns.
 * Owner: one rank with one worker, in process.
 * See: bench/README.md; bench/switch_abt.c.
 */
#include "bench/switch.h"

#include "jackdaw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PING, YIELD };
enum { ROUNDS_MOST = 101 };

static struct bench {
    jd_self *stopped; /* the one of the two that waits */
    long times;
    struct switch_times now;
} bench;

static void publish(jd_self *me, void *arg)
{
    (void)arg;
    bench.stopped = me;
}

static void wake_other(jd_self *me)
{
    jd_self *other = bench.stopped;
    bench.stopped = NULL;
    if (other)
        jd_resume(me, other);
}

static void ping(jd_self *me, void *arg)
{
    (void)arg;
    while (bench.times < SWITCH_TIMES) {
        bench.times++;
        wake_other(me);
        jd_suspend(me, publish, NULL);
    }
    wake_other(me);
}

static void yield(jd_self *me, void *arg)
{
    (void)arg;
    for (long i = 0; i < SWITCH_TIMES; i++)
        jd_yield(me);
}

/* ns for each of SWITCH_TIMES. */
static double process(jd_self *me, jd_coll *c, jd_task task, int ntasks)
{
    for (int i = 0; i < ntasks; i++)
        if (jd_coll_add(me, c, task, NULL, 0))
            jd_abort(me, 1, "a task was not added");
    double begin = jd_now(me);
    if (jd_coll_process(me, c))
        jd_abort(me, 1, "the tasks were not run");
    return 1e9 * (jd_now(me) - begin) / SWITCH_TIMES;
}

static int body(jd_self *me, int argc, char **argv)
{
    jd_coll *c;
    (void)argc, (void)argv;
    bench.times = 0;
    if (jd_coll_create(me, NULL, &c))
        return 1;
    bench.now.resume = process(me, c, PING, 2);
    bench.now.yield = process(me, c, YIELD, 1);
    return jd_coll_destroy(me, c);
}

static const jd_task_def tasks[] = {
    [PING] = JD_TASK(ping), [YIELD] = JD_TASK(yield), JD_TASK_END};

static struct switch_times run_jackdaw(const char *engine)
{
    static char word[] = "switch", *argv[] = {word, NULL};
    setenv("JACKDAW_ULT", engine, 1);
    if (jd_launch(1, argv, body, tasks))
        exit(1);
    return bench.now;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_line(const char *who, const char *what, double *ns, int rounds)
{
    qsort(ns, (size_t)rounds, sizeof *ns, by_size);
    printf("%-20s %-18s %6.1f (%.1f-%.1f) ns\n", who, what, ns[rounds / 2], ns[0],
           ns[rounds - 1]);
}

int main(int argc, char **argv)
{
    static const char *const who[] = {"jackdaw, boost", "jackdaw, argobots", "argobots"};
    static double resume[3][ROUNDS_MOST], yields[3][ROUNDS_MOST];
    int rounds = argc > 1 ? atoi(argv[1]) : 7, nways = 1;
#ifdef BENCH_ARGOBOTS
    nways = 3;
#endif
    if (argc > 2 || rounds < 1 || rounds > ROUNDS_MOST) {
        fprintf(stderr, "usage: switch [ROUNDS]   1 to %d, 7 without\n", ROUNDS_MOST);
        return 2;
    }
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "1", 1);
    for (int i = 0; i < rounds; i++)
        for (int way = 0; way < nways; way++) {
            struct switch_times t = {0};
            if (way < 2)
                t = run_jackdaw(way ? "argobots" : "boost");
#ifdef BENCH_ARGOBOTS
            else
                t = bench_switch_argobots();
#endif
            resume[way][i] = t.resume;
            yields[way][i] = t.yield;
        }
    for (int way = 0; way < nways; way++) {
        print_line(who[way], "suspend and resume", resume[way], rounds);
        print_line(who[way], "yield", yields[way], rounds);
    }
    return 0;
}
