/*
 * iterate.c - an iterative program whose load is uneven, and the same every time.
 *
 * Role: show retentive seeding: in the first iteration work stealing spreads the heavy
 *       tasks of rank 0; under --restore=retain each worker starts the next iteration with
 *       what it ran last, so that steals fall; under --restore=seed they do not.  Under --restore=central, tree or
 *       gossip a balancer moves tasks before each iteration.  With --timed the
 *       collection measures its tasks, and with --null=K every K-th task has nothing to do: it runs in the first
 *       iteration only.
 * Owner: each worker adds to its own load; the body reads them after jd_coll_process.
 * Invariants: I1 only rank 0 prints; I2 a task's work depends only on its argument.
 * See: Lifflander, Krishnamoorthy, Kale, "Work Stealing and Persistence-based Load
 *      Balancers for Iterative Overdecomposed Applications", HPDC 2012; examples/README.md.
 */
#include "examples/options.h"
#include "examples/steals.h"
#include "jackdaw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEP };
enum { LIGHT_SHARE = 8 }; /* a heavy task works as long as 8 light ones */

struct options {
    long iterations, tasks, usec, null; /* null: 0 if there are no such tasks */
    int restore, timed, steals;
};

struct load {
    _Alignas(64) uint64_t usec; /* a cache line for each worker */
};

struct run {
    struct load *loads;
};

struct work {
    uint32_t usec; /* 0: nothing to do */
};

/* ---- work --------------------------------------------------------------------------- */

static void step(jd_self *me, void *arg)
{
    struct run *run = jd_coll_local(jd_coll_mine(me));
    struct work work = *(const struct work *)arg;
    if (!work.usec && jd_task_null(me))
        jd_abort(me, 1, "iterate: the collection is not timed");
    jd_compute(me, 1000ull * work.usec);
    run->loads[jd_worker(me)].usec += work.usec;
}

static const jd_task_def tasks[] = {[STEP] = JD_TASK(step), JD_TASK_END};

/* ---- iterations --------------------------------------------------------------------- */

static void must(jd_self *me, int error, const char *what)
{
    if (error < 0)
        jd_abort(me, 1, "iterate: %s: %s", what, jd_strerror(error));
}

/* All heavy tasks on rank 0, light ones elsewhere. */
static void seed(jd_self *me, jd_coll *coll, const struct options *o)
{
    long usec = jd_rank(me) == 0 ? o->usec : o->usec / LIGHT_SHARE;
    struct work work = {(uint32_t)(usec > 0 ? usec : 1)}, null = {0};
    for (long i = 0; i < o->tasks; i++) {
        int nothing = o->null && i % o->null == 0;
        must(me, jd_coll_add(me, coll, STEP, nothing ? &null : &work, sizeof work),
             "jd_coll_add");
    }
}

/* What all ranks run in an iteration. */
static uint64_t expected(jd_self *me, const struct options *o, long iteration)
{
    long nulls = o->null && iteration > 1 ? (o->tasks + o->null - 1) / o->null : 0;
    return (uint64_t)(o->tasks - nulls) * jd_nranks(me);
}

/* What the collection has measured: how uneven ranks and workers were loaded, and the longest task. */
static void report_times(jd_self *me, jd_coll *coll)
{
    jd_coll_spread load;
    must(me, jd_coll_get_load(me, coll, &load), "jd_coll_get_load");
    if (jd_rank(me) == 0)
        printf("          own times: max/mean %.3f of ranks, %.3f of workers, longest "
               "task %.3f ms\n",
               load.ranks.imbalance, load.workers.imbalance, 1e-6 * (double)load.longest);
}

/* One line of the table: sums over ranks, and how uneven the load was. */
static uint64_t report(jd_self *me, const struct run *run, const jd_coll *coll,
                       long iteration, double seconds)
{
    jd_coll_info info;
    uint64_t load = 0;
    must(me, jd_coll_get_info(me, coll, &info), "jd_coll_get_info");
    for (unsigned w = 0; w < jd_nworkers(me); w++)
        load += run->loads[w].usec;
    uint64_t most = load, sums[] = {load, info.stolen_in, info.steals, info.attempts};
    must(me, jd_allreduce_u64(me, sums, 4, JD_SUM), "sum");
    must(me, jd_allreduce_u64(me, &most, 1, JD_MAX), "max");
    must(me, jd_allreduce_f64(me, &seconds, 1, JD_MAX), "max");
    if (jd_rank(me) == 0) {
        double mean = (double)sums[0] / jd_nranks(me);
        printf("%9ld %9.3f %8llu %8llu %8llu %10llu %9.3f\n", iteration, 1e3 * seconds,
               (unsigned long long)info.all_executed, (unsigned long long)sums[1],
               (unsigned long long)sums[2], (unsigned long long)sums[3],
               (double)most / mean);
        fflush(stdout);
    }
    return info.all_executed;
}

static int iterate(jd_self *me, struct run *run, const struct options *o)
{
    jd_coll_props props = {.name = "steps",
                           .arg_size = 16,
                           .uniform = 1,
                           .local = run,
                           .timed = o->timed || o->null || is_balancer(o->restore)};
    int status = 0;
    struct steals steals = {0};
    jd_coll *coll;
    must(me, jd_coll_create(me, &props, &coll), "jd_coll_create");
    seed(me, coll, o);
    if (jd_rank(me) == 0)
        printf("iteration   time/ms    tasks   stolen   steals   requests  max/mean\n");
    for (long i = 1; i <= o->iterations; i++) {
        memset(run->loads, 0, jd_nworkers(me) * sizeof *run->loads);
        must(me, jd_barrier(me), "jd_barrier");
        double start = jd_now(me);
        must(me, jd_coll_process(me, coll), "jd_coll_process");
        double seconds = jd_now(me) - start;
        if (report(me, run, coll, i, seconds) != expected(me, o, i))
            status = 1;
        if (o->steals)
            must(me, steals_report(me, &steals, coll, i, seconds), "steals");
        if (o->timed)
            report_times(me, coll);
        if (i < o->iterations)
            must(me, steals_restore(me, &steals, coll, o->restore), "jd_coll_restore");
    }
    must(me, jd_coll_destroy(me, coll), "jd_coll_destroy");
    return status;
}

/* ---- command line ------------------------------------------------------------------- */

/* If `word` is NAME=number in [1, 1000000], sets *out and returns 1. */
static int is_number(const char *word, const char *name, long *out)
{
    char *end;
    size_t length = strlen(name);
    if (strncmp(word, name, length))
        return 0;
    long value = strtol(word + length, &end, 10);
    if (end == word + length || *end || value < 1 || value > 1000000)
        return 0;
    *out = value;
    return 1;
}

static int parse(struct options *o, int argc, char **argv)
{
    *o = (struct options){
        .iterations = 6, .tasks = 200, .usec = 400, .restore = JD_RESTORE_RETAIN};
    for (int i = 1; i < argc; i++) {
        if (is_number(argv[i], "--iterations=", &o->iterations) ||
            is_number(argv[i], "--tasks=", &o->tasks) ||
            is_number(argv[i], "--usec=", &o->usec) ||
            is_number(argv[i], "--null=", &o->null))
            continue;
        if (!strcmp(argv[i], "--timed"))
            o->timed = 1;
        else if (!strcmp(argv[i], "--steals"))
            o->steals = 1;
        else if (strncmp(argv[i], "--restore=", 10) ||
                 !read_restore(argv[i] + 10, &o->restore))
            return i;
    }
    return 0;
}

static int body(jd_self *me, int argc, char **argv)
{
    struct options options;
    int bad = parse(&options, argc, argv);
    if (bad) {
        if (jd_rank(me) == 0)
            fprintf(
                stderr,
                "iterate: bad option '%s'\nusage: iterate [--iterations=K] "
                "[--tasks=N] [--usec=U] "
                "[--restore=seed|retain|central|tree|gossip|auto]\n"
                "[--timed] [--null=L] [--steals]\n"
                "K, N (tasks per rank), U (of a heavy task) and L from 1 to 1000000\n",
                argv[bad]);
        return 2;
    }
    struct run run = {0};
    run.loads = aligned_alloc(64, jd_nworkers(me) * sizeof *run.loads);
    if (!run.loads)
        jd_abort(me, 1, "iterate: out of memory");
    int status = iterate(me, &run, &options);
    free(run.loads);
    return status;
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
