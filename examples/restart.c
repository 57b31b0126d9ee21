/*
 * restart.c - an iterative program that may be killed at any time, and goes on where it was.
 *
 * Role: cells that lie in blocks over the ranks; in each step a task for each cell gets the cell, computes its next value and puts it
 *       back.  After each step everything is saved.  When the program is started again, with as many ranks or others, it
 *       goes on after the last step that was saved.  The result is checked against one loop without tasks.
 * Owner: a cell belongs to its task.
 * Invariants: I1 only rank 0 prints. I2 the value of a cell depends on its number and the step alone.
 * See: examples/README.md; jd_coll_save in jackdaw.h; doc/checkpoint.md.
 */
#include "examples/options.h"
#include "jackdaw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL };
enum { PATH_SIZE = 900 };

static const char usage[] =
    "usage: restart [OPTION VALUE]...\n"
    "  -f FILE  where to save and to go on (restart.jdc)\n"
    "  -n N     cells (500)\n"
    "  -s S     steps (20)\n"
    "  -w U     microseconds of work of a cell in a step, at most (20)\n"
    "  -h       this text\n";

struct options {
    char path[PATH_SIZE];
    int64_t cells, steps, work;
};

/* What is saved beside cells and seeds. */
struct state {
    int64_t cells, steps; /* steps: those that are done */
};

struct run {
    struct options o;
    struct state now;
    jd_mem cell;
    uint32_t nranks;
};

static void must(jd_self *me, int error, const char *what)
{
    if (error)
        jd_abort(me, 1, "restart: %s: %s", what, jd_strerror(error));
}

/* ---- cells ------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t word)
{
    word = (word ^ word >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    return word ^ word >> 29;
}

/* The value of a cell after the step of that number. */
static uint64_t next_value(uint64_t value, int64_t cell, int64_t step)
{
    return mix(value + mix((uint64_t)cell << 32 | (uint64_t)step));
}

/* The first cell of a rank. */
static int64_t first_of(const struct run *run, uint32_t rank)
{
    return run->o.cells * rank / run->nranks;
}

static uint32_t rank_of(const struct run *run, int64_t cell)
{
    uint32_t rank = (uint32_t)(cell * run->nranks / run->o.cells);
    while (first_of(run, rank + 1) <= cell)
        rank++;
    return rank;
}

/* ---- a task ----------------------------------------------------------------------------- */

static void step_cell(jd_self *me, void *arg)
{
    const struct run *run = jd_coll_local(jd_coll_mine(me));
    int64_t cell = *(int64_t *)arg;
    uint32_t home = rank_of(run, cell);
    uint64_t at = 8 * (uint64_t)(cell - first_of(run, home)), value;
    must(me, jd_get(me, run->cell, home, at, &value, sizeof value), "jd_get");
    jd_compute(me, 1000 * (mix((uint64_t)cell) % (uint64_t)(run->o.work + 1)));
    value = next_value(value, cell, run->now.steps);
    must(me, jd_put(me, run->cell, home, at, &value, sizeof value), "jd_put");
}

static const jd_task_def tasks[] = {[CELL] = JD_TASK(step_cell), JD_TASK_END};

/* ---- steps ------------------------------------------------------------------------------ */

/* Go on from the file, or begin. */
static void begin(jd_self *me, struct run *run, jd_coll *c, const jd_checkpoint *saved)
{
    int error = jd_coll_load(me, c, saved);
    if (error != JD_ENOENT) {
        must(me, error, run->o.path);
        if (run->now.cells != run->o.cells)
            jd_abort(me, 2, "restart: %s has %lld cells", run->o.path,
                     (long long)run->now.cells);
        if (jd_rank(me) == 0)
            printf("goes on after step %lld\n", (long long)run->now.steps);
        fflush(stdout); /* before somebody kills it */
        return;
    }
    run->now.cells = run->o.cells;
    for (int64_t i = first_of(run, jd_rank(me)); i < first_of(run, jd_rank(me) + 1); i++)
        must(me, jd_coll_add(me, c, CELL, &i, sizeof i), "jd_coll_add");
}

static void iterate(jd_self *me, struct run *run)
{
    jd_coll_props props = {.name = "cells", .arg_size = 16, .uniform = 1, .local = run};
    jd_checkpoint saved = {.path = run->o.path,
                           .mem = &run->cell,
                           .mems = 1,
                           .state = &run->now,
                           .state_size = sizeof run->now};
    jd_coll *c;
    must(me, jd_coll_create(me, &props, &c), "jd_coll_create");
    begin(me, run, c, &saved);
    while (run->now.steps < run->o.steps) {
        if (run->now.steps)
            must(me, jd_coll_restore(me, c, JD_RESTORE_RETAIN), "jd_coll_restore");
        must(me, jd_coll_process(me, c), "jd_coll_process");
        run->now.steps++;
        must(me, jd_coll_save(me, c, &saved), "jd_coll_save");
    }
    must(me, jd_coll_destroy(me, c), "jd_coll_destroy");
}

/* The sum of all cells, and how many are not what one loop without tasks makes of them. */
static uint64_t check(jd_self *me, const struct run *run, uint64_t *wrong)
{
    const uint64_t *value = jd_mem_local(me, run->cell, NULL);
    int64_t first = first_of(run, jd_rank(me)), end = first_of(run, jd_rank(me) + 1);
    uint64_t sums[2] = {0, 0};
    for (int64_t i = first; i < end; i++) {
        uint64_t should = 0;
        for (int64_t step = 0; step < run->now.steps; step++)
            should = next_value(should, i, step);
        sums[0] += value[i - first];
        sums[1] += value[i - first] != should;
    }
    must(me, jd_allreduce_u64(me, sums, 2, JD_SUM), "jd_allreduce_u64");
    *wrong = sums[1];
    return sums[0];
}

/* ---- command line ----------------------------------------------------------------------- */

static int read_option(void *ctx, char letter, const char *value)
{
    struct options *o = ctx;
    switch (letter) {
    case 'f':
        return *value &&
               (size_t)snprintf(o->path, sizeof o->path, "%s", value) < sizeof o->path;
    case 'n':
        return read_number(value, 1, 1 << 24, &o->cells);
    case 's':
        return read_number(value, 1, 1 << 24, &o->steps);
    case 'w':
        return read_number(value, 0, 1000000, &o->work);
    default:
        return 0;
    }
}

static int body(jd_self *me, int argc, char **argv)
{
    struct run run = {.o = {"restart.jdc", 500, 20, 20}, .nranks = jd_nranks(me)};
    uint64_t wrong;
    int bad = read_options_by(argc, argv, &run.o, read_option);
    if (bad)
        return end_with_usage(me, "restart", argv, bad, usage);
    int64_t cells = first_of(&run, jd_rank(me) + 1) - first_of(&run, jd_rank(me));
    must(me, jd_mem_create(me, NULL, 8 * (size_t)cells, &run.cell), "jd_mem_create");
    iterate(me, &run);
    uint64_t sum = check(me, &run, &wrong);
    if (jd_rank(me) == 0)
        printf("%lld cells after %lld steps: sum %016llx%s\n", (long long)run.now.cells,
               (long long)run.now.steps, (unsigned long long)sum,
               wrong ? ", which is wrong" : "");
    must(me, jd_mem_destroy(me, run.cell), "jd_mem_destroy");
    return wrong > 0;
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
