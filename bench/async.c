/*
 * async.c - what a task costs: jd_async against OpenMP tasks, spawned and run by one worker.
 *
 * Role: ns per empty task, spawned from one task in batches, and in a binary tree; and per
 *       finish, empty and around one task.  Several rounds, interleaved; the median is said.
 * Owner: the body.
 * Invariants: I1 one worker: JACKDAW_WORKERS=1; OpenMP gets one thread.
 * See: bench/README.md.
 *
 *     make bench/async && JACKDAW_WORKERS=1 bench/async [ROUNDS]
 */
#include "jackdaw.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCH = 1000, BATCHES = 1000, DEPTH = 19, FINISHES = 1000000, MOST = 101 };
enum { EMPTY, TREE, FIB };

static _Atomic unsigned long sink; /* what the compiler must not see through */

static void empty(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static void tree(jd_self *me, void *arg)
{
    unsigned depth = *(unsigned *)arg;
    if (!depth--)
        return;
    jd_async(me, TREE, &depth, sizeof depth);
    jd_async(me, TREE, &depth, sizeof depth);
}

/* A finish in every task: the worst there is. */
struct fib {
    unsigned n;
    unsigned long *sum;
};

static void fib(jd_self *me, void *arg)
{
    struct fib f = *(struct fib *)arg;
    if (f.n < 2) {
        *f.sum = f.n;
        return;
    }
    unsigned long a, b;
    jd_scope s;
    jd_finish_begin(me, &s);
    jd_async(me, FIB, &(struct fib){f.n - 1, &a}, sizeof f);
    jd_async(me, FIB, &(struct fib){f.n - 2, &b}, sizeof f);
    jd_finish_end(me, &s);
    *f.sum = a + b;
}

static const jd_task_def tasks[] = {
    [EMPTY] = JD_TASK(empty), [TREE] = JD_TASK(tree), [FIB] = JD_TASK(fib), JD_TASK_END};

/* ns of this thread: what others take of its core does not count. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* ---- one round of each; ns per task -------------------------------------------------- */

static double flat(jd_self *me, size_t size)
{
    char arg[64] = {0};
    double start = now();
    for (int i = 0; i < BATCHES; i++) {
        jd_scope s;
        jd_finish_begin(me, &s);
        for (int k = 0; k < BATCH; k++)
            jd_async(me, EMPTY, arg, size);
        jd_finish_end(me, &s);
    }
    return (now() - start) / BATCH / BATCHES;
}

static double flat_empty(jd_self *me)
{
    return flat(me, 0);
}
static double flat_16(jd_self *me)
{
    return flat(me, 16);
}

static double in_tree(jd_self *me)
{
    unsigned depth = DEPTH;
    double start = now();
    jd_scope s;
    jd_finish_begin(me, &s);
    jd_async(me, TREE, &depth, sizeof depth);
    jd_finish_end(me, &s);
    return (now() - start) / ((2 << DEPTH) - 1);
}

static double finishes(jd_self *me)
{
    double start = now();
    for (int i = 0; i < FINISHES; i++) {
        jd_scope s;
        jd_finish_begin(me, &s);
        jd_finish_end(me, &s);
    }
    return (now() - start) / FINISHES;
}

static double finish_each(jd_self *me)
{
    unsigned long sum = 0;
    double start = now();
    jd_scope s;
    jd_finish_begin(me, &s);
    jd_async(me, FIB, &(struct fib){25, &sum}, sizeof(struct fib));
    jd_finish_end(me, &s);
    double ns = (now() - start);
    if (sum != 75025)
        jd_abort(me, 1, "fib(25) is not %lu", sum);
    return ns / 242785; /* calls of fib(25) */
}

/* In a team of one thread a task is run where it is made. */
static double omp_flat(jd_self *me)
{
    (void)me;
    double start = now();
#pragma omp parallel num_threads(1)
#pragma omp single
    for (int i = 0; i < BATCHES; i++) {
        for (int k = 0; k < BATCH; k++) {
#pragma omp task
            sink += 0 * (unsigned long)k;
        }
#pragma omp taskwait
    }
    return (now() - start) / BATCH / BATCHES;
}

/* ---- the table ----------------------------------------------------------------------- */

static const struct {
    const char *name;
    double (*run)(jd_self *me);
} row[] = {
    {"jd_async, no argument, batches of 1000", flat_empty},
    {"jd_async, 16 bytes, batches of 1000", flat_16},
    {"jd_async, binary tree", in_tree},
    {"jd_finish, nothing in it", finishes},
    {"fib, a finish in every call", finish_each},
    {"OpenMP task, one thread", omp_flat},
};
enum { ROWS = sizeof row / sizeof *row };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int body(jd_self *me, int argc, char **argv)
{
    static double ns[ROWS][MOST];
    int rounds = argc > 1 ? atoi(argv[1]) : 7;
    if (rounds < 1 || rounds > MOST || jd_nworkers(me) != 1)
        jd_abort(me, 2, "bench/async: one worker, 1 to %d rounds", MOST);
    for (int i = -1; i < rounds; i++) /* the first is to warm up */
        for (int k = 0; k < ROWS; k++)
            ns[k][i < 0 ? 0 : i] = row[k].run(me);
    for (int k = 0; k < ROWS; k++) {
        qsort(ns[k], (size_t)rounds, sizeof **ns, compare);
        printf("%-40s %8.1f ns  (%.1f to %.1f)\n", row[k].name, ns[k][rounds / 2],
               ns[k][0], ns[k][rounds - 1]);
    }
    return 0;
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
