/*
 * async.c - what a task costs: jd_async against OpenMP, Argobots and oneTBB, with one worker.
 *
 * Role: ns per empty task, spawned and run: in batches from one task, in a binary tree, and
 *       with a join in every task.  Several rounds, interleaved; the median is said.
 * Owner: the body; the other libraries' rows run in a thread of their own, while it waits.
 * Invariants: I1 one worker: JACKDAW_WORKERS=1; the others have one thread.
 * See: bench/README.md; bench/async.h.
 *
 *     make bench/async && JACKDAW_WORKERS=1 bench/async [ROUNDS]
 */
#include "bench/async.h"

#include "jackdaw.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FINISHES = 1000000, MOST = 101, ROWS = 32 };
enum { EMPTY, TREE, FIB };

static inline void must(jd_self *me, int error)
{
    if (error)
        jd_abort(me, 1, "%s", jd_strerror(error));
}

static void empty(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static void tree(jd_self *me, void *arg)
{
    unsigned depth = *(unsigned *)arg;
    if (!depth--)
        return;
    must(me, jd_async(me, TREE, &depth, sizeof depth));
    must(me, jd_async(me, TREE, &depth, sizeof depth));
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
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async(me, FIB, &(struct fib){f.n - 1, &a}, sizeof f));
    must(me, jd_async(me, FIB, &(struct fib){f.n - 2, &b}, sizeof f));
    must(me, jd_finish_end(me, &s));
    *f.sum = a + b;
}

static const jd_task_def tasks[] = {
    [EMPTY] = JD_TASK(empty), [TREE] = JD_TASK(tree), [FIB] = JD_TASK(fib), JD_TASK_END};

/* ---- one round of each; ns per task -------------------------------------------------- */

static double flat(jd_self *me, size_t size)
{
    char arg[64] = {0};
    double start = bench_now();
    for (int i = 0; i < BENCH_BATCHES; i++) {
        jd_scope s;
        must(me, jd_finish_begin(me, &s));
        for (int k = 0; k < BENCH_BATCH; k++)
            must(me, jd_async(me, EMPTY, arg, size));
        must(me, jd_finish_end(me, &s));
    }
    return (bench_now() - start) / BENCH_BATCH / BENCH_BATCHES;
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
    unsigned depth = BENCH_DEPTH;
    double start = bench_now();
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async(me, TREE, &depth, sizeof depth));
    must(me, jd_finish_end(me, &s));
    return (bench_now() - start) / BENCH_NODES;
}

static double finishes(jd_self *me)
{
    double start = bench_now();
    for (int i = 0; i < FINISHES; i++) {
        jd_scope s;
        must(me, jd_finish_begin(me, &s));
        must(me, jd_finish_end(me, &s));
    }
    return (bench_now() - start) / FINISHES;
}

static double finish_each(jd_self *me)
{
    unsigned long sum = 0;
    double start = bench_now();
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async(me, FIB, &(struct fib){BENCH_FIB, &sum}, sizeof(struct fib)));
    must(me, jd_finish_end(me, &s));
    double ns = (bench_now() - start);
    if (sum != BENCH_FIB_IS)
        jd_abort(me, 1, "fib is not %lu", sum);
    return ns / BENCH_FIB_CALLS;
}

/* ---- the other libraries, in a thread of their own ----------------------------------- */

static const struct bench_side *const sides[] = {
    &bench_omp,
#ifdef BENCH_ARGOBOTS
    &bench_abt,
#endif
#ifdef BENCH_TBB
    &bench_tbb,
#endif
};
enum { SIDES = sizeof sides / sizeof *sides };

/* A call that one of the two threads makes for the other; they take turns. */
struct turns {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const struct bench_row *row; /* to be run, or NULL: the turn is the body's */
    double ns;
    bool end;
    bool there[SIDES];
};

static void wait_for_turn(struct turns *t, bool others)
{
    while ((t->row || t->end) != others)
        pthread_cond_wait(&t->changed, &t->lock);
}

static void *be_others(void *arg)
{
    struct turns *t = arg;
    for (int i = 0; i < SIDES; i++)
        t->there[i] = !sides[i]->open();
    pthread_mutex_lock(&t->lock);
    t->row = NULL;
    pthread_cond_signal(&t->changed);
    for (;;) {
        wait_for_turn(t, true);
        if (t->end)
            break;
        t->ns = t->row->run();
        t->row = NULL;
        pthread_cond_signal(&t->changed);
    }
    pthread_mutex_unlock(&t->lock);
    for (int i = 0; i < SIDES; i++)
        if (t->there[i])
            sides[i]->close();
    return NULL;
}

static double run_other(struct turns *t, const struct bench_row *row)
{
    pthread_mutex_lock(&t->lock);
    t->row = row;
    pthread_cond_signal(&t->changed);
    wait_for_turn(t, false);
    pthread_mutex_unlock(&t->lock);
    return t->ns;
}

static pthread_t begin_others(jd_self *me, struct turns *t)
{
    static const struct bench_row opening = {0};
    pthread_t thread;
    *t = (struct turns){.row = &opening};
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
    if (pthread_create(&thread, NULL, be_others, t))
        jd_abort(me, 2, "no thread for the other libraries");
    pthread_mutex_lock(&t->lock);
    wait_for_turn(t, false);
    pthread_mutex_unlock(&t->lock);
    return thread;
}

static void end_others(struct turns *t, pthread_t thread)
{
    pthread_mutex_lock(&t->lock);
    t->end = true;
    pthread_cond_signal(&t->changed);
    pthread_mutex_unlock(&t->lock);
    pthread_join(thread, NULL);
}

/* ---- the table ----------------------------------------------------------------------- */

static const struct own_row {
    const char *name;
    double (*run)(jd_self *me);
} own[] = {
    {"jd_async, no argument, batches of 1000", flat_empty},
    {"jd_async, 16 bytes, batches of 1000", flat_16},
    {"jd_async, binary tree", in_tree},
    {"jd_finish, nothing in it", finishes},
    {"fib, a finish in every call", finish_each},
};

struct line {
    const struct own_row *own; /* or */
    const struct bench_row *other;
    double ns[MOST];
};

static int all_rows(const struct turns *t, struct line *line)
{
    int n = 0;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        line[n++].own = &own[i];
    for (int i = 0; i < SIDES; i++)
        for (const struct bench_row *row = sides[i]->row; t->there[i] && row->name; row++)
            line[n++].other = row;
    return n;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print(struct line *line, int rounds)
{
    qsort(line->ns, (size_t)rounds, sizeof *line->ns, compare);
    printf("%-40s %8.1f ns  (%.1f to %.1f)\n",
           line->own ? line->own->name : line->other->name, line->ns[rounds / 2],
           line->ns[0], line->ns[rounds - 1]);
}

static int body(jd_self *me, int argc, char **argv)
{
    static struct line line[ROWS];
    struct turns turns;
    int rounds = argc > 1 ? atoi(argv[1]) : 7;
    if (rounds < 1 || rounds > MOST || jd_nworkers(me) != 1)
        jd_abort(me, 2, "bench/async: one worker, 1 to %d rounds", MOST);
    pthread_t thread = begin_others(me, &turns);
    int n = all_rows(&turns, line);
    for (int i = -1; i < rounds; i++) /* the first is to warm up */
        for (int k = 0; k < n; k++)
            line[k].ns[i < 0 ? 0 : i] =
                line[k].own ? line[k].own->run(me) : run_other(&turns, line[k].other);
    end_others(&turns, thread);
    for (int k = 0; k < n; k++)
        print(&line[k], rounds);
    return 0;
}

int main(int argc, char **argv)
{
    /* So that Argobots is free for its own rows; what the user says counts. */
    setenv("JACKDAW_ULT", "boost", 0);
    return jd_launch(argc, argv, body, tasks);
}
