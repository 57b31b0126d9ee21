/*
 * busy.c - how soon a rank answers while all its workers are in long tasks.
 *
 * Role: four figures, each over many probes: a jd_get from a rank whose worker computes; a task that
 *       a long task has made, until it runs elsewhere; the end of a finish whose last task ran
 *       there just before a long one; a cancellation, until the long task sees it.
 * Owner: the bodies; all clocks are the machine's, so all ranks are on one host.
 * Invariants: I1 rank 1 has one worker, and that is in a task or in its body from the first probe
 *             to the last: nobody there but the communication thread can help.
 * See: bench/README.md.
 *
 *     JACKDAW_WORKERS=1 test/kit/ranks.sh smp 2 bench/busy [PROBES]
 */
#include "jackdaw.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MADE, LAST, LONG, STUBBORN, MAKER };
enum { MOST = 100000, GAP_US = 1000, LONG_US = 20000 };

struct figures {
    uint32_t n;
    double us[MOST];
};

/* What lies in registered memory, so that rank 0 can read it. */
struct shared {
    double ended;     /* when the last task of the finish returned */
    double cancelled; /* when the long task saw that */
};

struct bench {
    int probes;
    struct figures made;
    struct shared *mine;
};

static void must(int error)
{
    if (error < 0) {
        fprintf(stderr, "busy: %s\n", jd_strerror(error));
        exit(1);
    }
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void note(struct figures *f, double since)
{
    if (f->n < MOST)
        f->us[f->n++] = 1e6 * (seconds() - since);
}

static void compute(double us)
{
    for (double end = seconds() + 1e-6 * us; seconds() < end;)
        ;
}

/* Between two probes rank 0 has nothing to do. */
static void rest(double us)
{
    struct timespec t = {.tv_nsec = (long)(1000 * us)};
    nanosleep(&t, NULL);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const char *what, struct figures *f)
{
    qsort(f->us, f->n, sizeof f->us[0], compare);
    if (!f->n)
        printf("%-16s nothing\n", what);
    else
        printf("%-16s %6u probes: median %8.1f us, p99 %8.1f, most %8.1f\n", what, f->n,
               f->us[f->n / 2], f->us[f->n - 1 - f->n / 100], f->us[f->n - 1]);
    fflush(stdout);
}

/* ---- a get --------------------------------------------------------------------------- */

static void gets(jd_self *me, struct bench *b, jd_mem mem, struct figures *f)
{
    f->n = 0;
    must(jd_barrier(me));
    if (jd_rank(me) == 1)
        compute((double)b->probes * GAP_US);
    for (int i = 0; jd_rank(me) == 0 && i < b->probes / 2; i++) {
        double x, since;
        rest(GAP_US / 2);
        since = seconds();
        must(jd_get(me, mem, 1, 0, &x, sizeof x));
        note(f, since);
    }
    must(jd_barrier(me));
    if (jd_rank(me) == 0)
        report("get", f);
}

/* ---- a steal ------------------------------------------------------------------------- */

static void made(jd_self *me, void *arg)
{
    struct bench *b = jd_coll_local(jd_coll_mine(me));
    if (jd_rank(me) == 0)
        note(&b->made, *(double *)arg);
}

static void maker(jd_self *me, void *arg)
{
    int probes = *(int *)arg;
    for (int i = 0; i < probes; i++) {
        double since = seconds();
        must(jd_coll_add(me, jd_coll_mine(me), MADE, &since, sizeof since));
        compute(5 * GAP_US);
    }
}

static void steals(jd_self *me, struct bench *b)
{
    jd_coll *c;
    jd_coll_props props = {.local = b};
    int probes = b->probes / 5;
    must(jd_coll_create(me, &props, &c));
    if (jd_rank(me) == 1)
        must(jd_coll_add(me, c, MAKER, &probes, sizeof probes));
    must(jd_barrier(me));
    must(jd_coll_process(me, c));
    must(jd_coll_destroy(me, c));
    if (jd_rank(me) == 0)
        report("steal", &b->made);
}

/* ---- the end of a finish, and a cancellation ------------------------------------------ */

/* The last task of the finish at this rank; `after` it the worker goes on with a long one. */
static void last(jd_self *me, void *arg)
{
    struct bench *b = jd_local(me);
    (void)arg;
    b->mine->ended = seconds();
}

static void long_task(jd_self *me, void *arg)
{
    (void)me;
    (void)arg;
    compute(LONG_US);
}

static void stubborn(jd_self *me, void *arg)
{
    struct bench *b = jd_local(me);
    must(jd_future_set(me, *(jd_future *)arg, NULL, 0)); /* it has begun */
    while (!jd_cancelled(me))
        ;
    b->mine->cancelled = seconds();
}

static void one_task(jd_self *me, void *task)
{
    must(jd_async_at(me, 1, *(jd_task *)task, NULL, 0));
}

struct ends {
    struct bench *b;
    jd_mem mem;
    struct figures *f;
};

/* While rank 1's worker is in a long task, a task of this finish waits for it; so the worker runs it
 * between two long ones. */
static void probe_ends(jd_self *me, void *arg)
{
    struct ends *e = arg;
    jd_task task = LAST;
    for (int i = 0; i < e->b->probes / 20; i++) {
        struct shared s;
        must(jd_async_at(me, 1, LONG, NULL, 0));
        rest(GAP_US);
        must(jd_finish(me, one_task, &task));
        double now = seconds();
        must(jd_get(me, e->mem, 1, 0, &s, sizeof s));
        e->f->us[e->f->n++] = 1e6 * (now - s.ended);
    }
}

struct cancel {
    double since;
};

static void cancel_soon(jd_self *me, void *arg)
{
    struct cancel *c = arg;
    jd_future begun;
    must(jd_future_create(me, &begun));
    must(jd_async_at(me, 1, STUBBORN, &begun, sizeof begun));
    must(jd_future_wait(me, begun, NULL));
    must(jd_future_destroy(me, begun));
    rest(GAP_US);
    c->since = seconds();
    must(jd_cancel(me, jd_finish_mine(me)));
}

static void probe_cancels(jd_self *me, struct ends *e)
{
    for (int i = 0; i < e->b->probes / 20; i++) {
        struct shared s;
        struct cancel c;
        (void)!jd_finish(me, cancel_soon, &c);
        must(jd_get(me, e->mem, 1, 0, &s, sizeof s));
        e->f->us[e->f->n++] = 1e6 * (s.cancelled - c.since);
    }
}

static void finishes(jd_self *me, struct bench *b, jd_mem mem, struct figures *f)
{
    struct ends e = {b, mem, f};
    f->n = 0;
    must(jd_barrier(me));
    if (jd_rank(me) == 0) {
        must(jd_finish(me, probe_ends, &e));
        report("end of a finish", f);
        f->n = 0;
        probe_cancels(me, &e);
        report("cancellation", f);
    }
    must(jd_barrier(me));
}

static int body(jd_self *me, int argc, char **argv)
{
    int probes = argc > 1 ? atoi(argv[1]) : 2000;
    struct bench *b = calloc(1, sizeof *b);
    struct figures *f = calloc(1, sizeof *f);
    struct shared mine = {0};
    jd_mem mem;
    if (!b || !f || jd_nranks(me) < 2 || probes < 20 || probes > MOST) {
        fprintf(stderr, "busy: wants 2 ranks or more, and 20 to %d probes\n", MOST);
        return 2;
    }
    b->probes = probes;
    b->mine = &mine;
    jd_set_local(me, b);
    must(jd_mem_create(me, &mine, sizeof mine, &mem));
    gets(me, b, mem, f);
    steals(me, b);
    finishes(me, b, mem, f);
    must(jd_mem_destroy(me, mem));
    free(f);
    free(b);
    return 0;
}

static const jd_task_def tasks[] = {
    [MADE] = JD_TASK(made),         [LAST] = JD_TASK(last),   [LONG] = JD_TASK(long_task),
    [STUBBORN] = JD_TASK(stubborn), [MAKER] = JD_TASK(maker), JD_TASK_END};

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
