/*
 * sched_phasers_carry_stencils.c
 *
 * Role: what phasers are for: rows of a stencil step together, and leave at steps of their own; a producer that only
 *       signals is as far ahead of consumers that only wait as a second phaser lets it be.  Cells and slots are
 *       plain memory: the result is that of one loop, and the thread sanitizer sees no race.  Argument: how many steps.
 * Owner: a row belongs to its task, its other half of each step to its neighbours, who read it.
 * See: doc/phasers.md.
 */
#include "test/dist/sched_kit.h"

enum { ROW, PRODUCE, CONSUME };
enum { ROWS = 12, CONSUMERS = 3, SLOTS = 4 };

/* ---- a stencil -------------------------------------------------------------------------- */

struct grid {
    jd_phaser p;
    uint64_t steps, cell[2][ROWS + 2];
};

struct row {
    struct grid *g;
    int i;
};

/* The first rows leave first, one every step, without a last signal. */
static uint64_t steps_of(const struct grid *g, int i)
{
    uint64_t early = (uint64_t)(ROWS - i);
    return g->steps > early ? g->steps - early : 0;
}

static uint64_t mix(const uint64_t *cell, int i)
{
    return cell[i - 1] * 3 + cell[i] * 5 + cell[i + 1] * 7 + 1;
}

static void row_task(jd_self *me, void *arg)
{
    const struct row r = *(struct row *)arg;
    uint64_t n = steps_of(r.g, r.i);
    for (uint64_t t = 0; t < n; t++) {
        r.g->cell[(t + 1) & 1][r.i] = mix(r.g->cell[t & 1], r.i);
        if (t + 1 ==
            n) { /* what the neighbours read from now on: the same in both halves */
            must(me, jd_phaser_next(me, r.g->p, JD_FOREVER));
            r.g->cell[n & 1 ? 0 : 1][r.i] = r.g->cell[n & 1][r.i];
            return;
        }
        must(me, jd_phaser_next(me, r.g->p, JD_FOREVER));
    }
}

static void init_cells(struct grid *g)
{
    for (int i = 0; i < ROWS + 2; i++)
        g->cell[0][i] = g->cell[1][i] = (uint64_t)i * i;
}

/* The same, by one loop. */
static void compute_alone(struct grid *g)
{
    init_cells(g);
    for (uint64_t t = 0; t < g->steps; t++)
        for (int i = 1; i <= ROWS; i++)
            g->cell[(t + 1) & 1][i] =
                t < steps_of(g, i) ? mix(g->cell[t & 1], i) : g->cell[t & 1][i];
}

static void test_stencil(jd_self *me, uint64_t steps, unsigned mode)
{
    struct grid g = {.steps = steps}, model = {.steps = steps};
    jd_scope s;
    init_cells(&g);
    compute_alone(&model);
    must(me, jd_finish_begin(me, &s));
    must(me, jd_phaser_create(me, mode, &g.p));
    for (int i = 1; i <= ROWS; i++) {
        struct row r = {&g, i};
        must(me,
             jd_async_phased(me, &(jd_phased){g.p, JD_PHASE_BOTH}, 1, ROW, &r, sizeof r));
    }
    must(me, jd_phaser_drop(me, g.p));
    must(me, jd_finish_end(me, &s));
    bool right = true;
    for (int i = 1; i <= ROWS; i++)
        right = right && g.cell[steps & 1][i] == model.cell[steps & 1][i];
    ok_all(me, right, "a stencil of %d rows is as one loop makes it", ROWS);
    must(me, jd_phaser_destroy(me, g.p));
}

/* ---- a ring with many readers ----------------------------------------------------------- */

struct ring {
    jd_phaser full, empty;
    uint64_t n, slot[SLOTS];
    _Atomic uint64_t sum;
};

static void produce(jd_self *me, void *arg)
{
    struct ring *r = *(struct ring **)arg;
    for (uint64_t i = 0; i < r->n; i++) {
        if (i >= SLOTS)
            must(me, jd_phaser_next(me, r->empty, JD_FOREVER));
        r->slot[i % SLOTS] = i;
        must(me, jd_phaser_next(me, r->full, JD_FOREVER));
    }
}

/* One that reads all that there is. */
static void consume(jd_self *me, void *arg)
{
    struct ring *r = *(struct ring **)arg;
    uint64_t sum = 0, n = 0;
    int error;
    while (!(error = jd_phaser_next(me, r->full, JD_FOREVER))) {
        sum += r->slot[n++ % SLOTS];
        must(me, jd_phaser_next(me, r->empty, JD_FOREVER));
    }
    if (error != JD_ECLOSED || n != r->n)
        jd_abort(me, 99, "%llu of %llu: %s", (unsigned long long)n,
                 (unsigned long long)r->n, jd_strerror(error));
    atomic_fetch_add(&r->sum, sum);
}

static void test_ring(jd_self *me, uint64_t n)
{
    struct ring r = {.n = n}, *at = &r;
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_phaser_create(me, JD_PHASE_SIGNAL, &r.full));
    must(me, jd_phaser_create(me, JD_PHASE_SIGNAL, &r.empty));
    const jd_phased reads[] = {{r.full, JD_PHASE_WAIT}, {r.empty, JD_PHASE_SIGNAL}};
    const jd_phased writes[] = {{r.full, JD_PHASE_SIGNAL}, {r.empty, JD_PHASE_WAIT}};
    for (int i = 0; i < CONSUMERS; i++)
        must(me, jd_async_phased(me, reads, 2, CONSUME, &at, sizeof at));
    must(me, jd_async_phased(me, writes, 2, PRODUCE, &at, sizeof at));
    must(me, jd_phaser_drop(me, r.full));
    must(me, jd_phaser_drop(me, r.empty));
    must(me, jd_finish_end(me, &s));
    ok_all(me, atomic_load(&r.sum) == CONSUMERS * (n * (n - 1) / 2),
           "each consumer has read each slot in time");
    ok_all(me,
           jd_phaser_phase(me, r.full) == (int64_t)n &&
               jd_phaser_phase(me, r.empty) == (int64_t)n,
           "as many phases have ended as there were items");
    must(me, jd_phaser_destroy(me, r.full));
    must(me, jd_phaser_destroy(me, r.empty));
}

static const jd_task_def tasks[] = {[ROW] = JD_TASK(row_task),
                                    [PRODUCE] = JD_TASK(produce),
                                    [CONSUME] = JD_TASK(consume),
                                    JD_TASK_END};

static int body(jd_self *me, int argc, char **argv)
{
    uint64_t steps = argc > 1 ? (uint64_t)atol(argv[1]) : 60;
    test_stencil(me, steps, JD_PHASE_SIGNAL);
    test_stencil(me, steps + 1, JD_PHASE_BOTH);
    test_ring(me, steps);
    test_ring(me, 3);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
