/*
 * idle.c - what a rank without work costs, and how soon it takes part in a steal.
 *
 * Role: rank 0 computes, in one task after the other, for some seconds while the others find
 *       nothing: the share of a core that each of them takes.  Then, again and again, rank 0
 *       makes a few tasks after a silence: how long until one of them runs elsewhere.
 * Owner: the body; a probe's clock is the machine's, so all ranks are on one host.
 * Invariants: I1 until then there is never more than the one task that runs.
 * See: bench/README.md.
 *
 *     test/kit/ranks.sh smp 4 bench/idle [SECONDS [TASK_US [PROBES]]]
 */
#include "jackdaw.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { WORK, PROBE, SILENCE_US = 20000, TASKS = 64, MOST = 10000 };

struct run {
    double until, task;
    int probes; /* 0: only compute */
};

struct seen {
    uint32_t n;
    uint64_t ns[MOST]; /* of each probe, the first task of it that ran here; 0: none */
};

static void must(int error)
{
    if (error) {
        fprintf(stderr, "idle: %s\n", jd_strerror(error));
        exit(1);
    }
}

static void compute(double seconds)
{
    for (double end = jd_now(NULL) + seconds; jd_now(NULL) < end;)
        ;
}

struct probe {
    double made;
    int number;
};

static void probe(jd_self *me, void *arg)
{
    const struct probe *p = arg;
    struct seen *seen = jd_local(me);
    if (!seen->ns[p->number])
        seen->ns[p->number] = (uint64_t)(1e9 * (jd_now(NULL) - p->made));
    compute(20e-6);
}

/* One of a chain: it makes the next one, and when a silence is over the tasks of a probe. */
static void work(jd_self *me, void *arg)
{
    struct run r = *(const struct run *)arg;
    compute(r.task);
    if (jd_now(NULL) > r.until) {
        struct probe p = {.made = jd_now(NULL), .number = --r.probes};
        for (int i = 0; r.probes >= 0 && i < TASKS; i++)
            must(jd_coll_add(me, jd_coll_mine(me), PROBE, &p, sizeof p));
        r.until = jd_now(NULL) + 1e-6 * SILENCE_US;
    }
    if (r.probes >= 0)
        must(jd_coll_add(me, jd_coll_mine(me), WORK, &r, sizeof r));
}

static const jd_task_def tasks[] = {
    [WORK] = JD_TASK(work), [PROBE] = JD_TASK(probe), JD_TASK_END};

static double cpu(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* One phase; the share of a core that this rank took in it. */
static double phase(jd_self *me, jd_coll *c, struct run r)
{
    r.until += jd_now(NULL);
    if (jd_rank(me) == 0)
        must(jd_coll_add(me, c, WORK, &r, sizeof r));
    must(jd_barrier(me));
    double wall = jd_now(NULL), spent = cpu();
    must(jd_coll_process(me, c));
    return (cpu() - spent) / (jd_now(NULL) - wall);
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Of each probe the rank that was first counts; those that nobody got to are the last. */
static void report_probes(jd_self *me, struct seen *seen, int probes)
{
    int missed = 0;
    for (int i = 0; i < probes; i++)
        if (!seen->ns[i] || jd_rank(me) == 0)
            seen->ns[i] = UINT64_MAX;
    must(jd_allreduce_u64(me, seen->ns, (uint32_t)probes, JD_MIN));
    qsort(seen->ns, (size_t)probes, sizeof *seen->ns, ascending);
    for (int i = 0; i < probes; i++)
        missed += seen->ns[i] == UINT64_MAX;
    if (jd_rank(me) == 0 && probes > missed)
        printf("%d probes: half within %.0f us, 90%% within %.0f us; nobody came to %d\n",
               probes, 1e-3 * (double)seen->ns[probes / 2],
               1e-3 * (double)seen->ns[probes * 9 / 10], missed);
}

static int body(jd_self *me, int argc, char **argv)
{
    static const jd_coll_props props = {.arg_size = sizeof(struct run), .no_restore = 1};
    double seconds = argc > 1 ? atof(argv[1]) : 10;
    struct run r = {seconds, 1e-6 * (argc > 2 ? atof(argv[2]) : 10), 0};
    int probes = argc > 3 ? atoi(argv[3]) : 100;
    if (jd_nranks(me) < 2 || seconds <= 0 || r.task <= 0 || probes < 0 || probes > MOST) {
        fprintf(stderr, "usage: idle [SECONDS [TASK_US [PROBES]]], 2 ranks or more\n");
        return 2;
    }
    struct seen *seen = calloc(1, sizeof *seen);
    jd_coll *c = NULL;
    must(seen ? jd_coll_create(me, &props, &c) : JD_ENOMEM);
    jd_set_local(me, seen);
    double share = phase(me, c, r), least = share, most = share;
    if (jd_rank(me) == 0)
        least = 2, most = 0;
    must(jd_allreduce_f64(me, &least, 1, JD_MIN));
    must(jd_allreduce_f64(me, &most, 1, JD_MAX));
    if (jd_rank(me) == 0)
        printf("a rank without work takes %.2f to %.2f%% of a core\n", 100 * least,
               100 * most);
    r = (struct run){1e-6 * SILENCE_US, r.task, probes};
    if (probes) {
        (void)phase(me, c, r);
        report_probes(me, seen, probes);
    }
    must(jd_coll_destroy(me, c));
    free(seen);
    return 0;
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
