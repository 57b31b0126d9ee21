/*
 * heat.c - a rod that cools down: tasks that go through the steps of a stencil together.
 *
 * Role: each task has a strip of cells; a phaser separates the steps.  A task computes the two cells at its
 *       borders, signals, computes those inside while the others signal, and waits: a barrier is
 *       only waited for by who is early.  For comparison, a finish of new tasks for each step.
 * Owner: rank 0; a strip belongs to its task, whose neighbours read the cells at its borders.
 * Invariants: I1 only rank 0 prints. I2 in step t the half t % 2 is read, and the other one is written.
 * See: examples/README.md; jd_phaser in jackdaw.h.
 */
#include "examples/options.h"
#include "jackdaw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GO_ALONG, ONE_STEP };

static const char usage[] = "usage: heat [OPTION VALUE]...\n"
                            "  -n N   cells of each strip (10000)\n"
                            "  -k K   strips (16)\n"
                            "  -s S   steps (200)\n"
                            "  -h     this text\n"
                            "It runs on rank 0.\n";

struct options {
    int64_t cells, strips, steps;
};

struct rod {
    struct options o;
    jd_phaser p;
    double *half[2]; /* one cell more at each end, which stays as it is */
};

struct strip {
    int64_t number, step;
};

static void must(jd_self *me, int error)
{
    if (error)
        jd_abort(me, 1, "heat: %s", jd_strerror(error));
}

/* ---- cells -------------------------------------------------------------------------- */

static void compute_cells(const struct rod *r, int64_t step, int64_t begin, int64_t end)
{
    const double *from = r->half[step % 2];
    double *to = r->half[(step + 1) % 2];
    for (int64_t i = begin; i < end; i++)
        to[i] = from[i] + 0.25 * (from[i - 1] - 2 * from[i] + from[i + 1]);
}

/* A rod with one end hot. */
static void init_rod(jd_self *me, struct rod *r, const struct options *o)
{
    size_t n = (size_t)(o->cells * o->strips) + 2;
    r->o = *o;
    for (int k = 0; k < 2; k++) {
        r->half[k] = calloc(n, sizeof(double));
        must(me, r->half[k] ? 0 : JD_ENOMEM);
        r->half[k][0] = 100;
    }
}

/* What is left at the end, and the storage is given back. */
static double *take_result(struct rod *r)
{
    free(r->half[(r->o.steps + 1) % 2]);
    return r->half[r->o.steps % 2];
}

/* ---- by phases ---------------------------------------------------------------------- */

static void go_along(jd_self *me, void *arg)
{
    const struct rod *r = jd_local(me);
    int64_t begin = 1 + ((struct strip *)arg)->number * r->o.cells;
    int64_t last = begin + r->o.cells - 1;
    for (int64_t t = 0; t < r->o.steps; t++) {
        compute_cells(r, t, begin, begin + 1);
        compute_cells(r, t, last, last + 1);
        must(me, jd_phaser_signal(me, r->p)); /* the neighbours may go on */
        compute_cells(r, t, begin + 1, last);
        must(me, jd_phaser_wait(me, r->p, JD_FOREVER));
    }
}

/* The body holds the first phase until all strips have a task. */
static void run_phases(jd_self *me, struct rod *r)
{
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_phaser_create(me, JD_PHASE_SIGNAL, &r->p));
    for (int64_t k = 0; k < r->o.strips; k++) {
        struct strip strip = {.number = k};
        must(me, jd_async_phased(me, &(jd_phased){r->p, JD_PHASE_BOTH}, 1, GO_ALONG,
                                 &strip, sizeof strip));
    }
    must(me, jd_phaser_drop(me, r->p));
    must(me, jd_finish_end(me, &s));
    must(me, jd_phaser_destroy(me, r->p));
}

/* ---- by finishes -------------------------------------------------------------------- */

static void one_step(jd_self *me, void *arg)
{
    const struct rod *r = jd_local(me);
    const struct strip s = *(struct strip *)arg;
    int64_t begin = 1 + s.number * r->o.cells;
    compute_cells(r, s.step, begin, begin + r->o.cells);
}

static void run_finishes(jd_self *me, struct rod *r)
{
    for (int64_t t = 0; t < r->o.steps; t++) {
        jd_scope s;
        must(me, jd_finish_begin(me, &s));
        for (int64_t k = 0; k < r->o.strips; k++)
            must(me, jd_async_local(me, ONE_STEP, &(struct strip){k, t},
                                    sizeof(struct strip)));
        must(me, jd_finish_end(me, &s));
    }
}

static const jd_task_def tasks[] = {
    [GO_ALONG] = JD_TASK(go_along), [ONE_STEP] = JD_TASK(one_step), JD_TASK_END};

/* ---- the whole ---------------------------------------------------------------------- */

static void run_alone(jd_self *me, struct rod *r)
{
    (void)me;
    for (int64_t t = 0; t < r->o.steps; t++)
        compute_cells(r, t, 1, 1 + r->o.cells * r->o.strips);
}

static double *run_rod(jd_self *me, const struct options *o, const char *what,
                       void (*run)(jd_self *me, struct rod *r))
{
    struct rod r;
    init_rod(me, &r, o);
    jd_set_local(me, &r);
    double begin = jd_now(me);
    run(me, &r);
    printf("%s: %.6f s\n", what, jd_now(me) - begin);
    return take_result(&r);
}

static int run_all(jd_self *me, const struct options *o)
{
    size_t bytes = ((size_t)(o->cells * o->strips) + 2) * sizeof(double);
    double *want = run_rod(me, o, "one loop", run_alone);
    double *phases = run_rod(me, o, "phases", run_phases);
    double *finishes = run_rod(me, o, "finishes", run_finishes);
    int wrong = memcmp(phases, want, bytes) || memcmp(finishes, want, bytes);
    printf("the cell at the hot end: %.6f%s\n", want[1], wrong ? ": WRONG" : "");
    free(want);
    free(phases);
    free(finishes);
    return wrong;
}

/* 0, or the argument that is wrong; -1: the user wants the text. */
static int read_options(int argc, char **argv, struct options *o)
{
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        int right = 0;
        if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
            return -1;
        if (!strcmp(argv[i], "-n"))
            right = read_number(value, 2, 1000000, &o->cells);
        else if (!strcmp(argv[i], "-k"))
            right = read_number(value, 1, 10000, &o->strips);
        else if (!strcmp(argv[i], "-s"))
            right = read_number(value, 0, 1000000, &o->steps);
        if (!right)
            return i;
    }
    return 0;
}

static int body(jd_self *me, int argc, char **argv)
{
    struct options o = {.cells = 10000, .strips = 16, .steps = 200};
    int bad = read_options(argc, argv, &o);
    if (bad)
        return end_with_usage(me, "heat", argv, bad, usage);
    return jd_rank(me) == 0 ? run_all(me, &o) : 0;
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
