/*
 * iterations.c - an iterative program made of times of tasks that were recorded before.
 *
 * Role: seeds tasks with the times of a file, again and again until there are as many as wanted, dealt out over the
 *       ranks in the order of the file; runs them for some iterations; says for each what it took and which steals
 *       there were.  The paper's protocols: RETAIN with stealing; or a balancer with stealing off, which begins with
 *       the third iteration.  Or loads that change: even, stationary, drifting, random.
 * Owner: the body of each rank.
 * Invariants: I1 only rank 0 prints. I2 what a seed takes in an iteration depends on its number and on the iteration.
 * See: bench/sim_iterate.sh, bench/auto.sh; examples/steals.h; paper 003, section 7.
 */
#include "examples/options.h"
#include "examples/steals.h"

#include <stdatomic.h>
#include <string.h>

enum { STEP };
enum load { EVEN = 1, STATIONARY, DRIFTING, RANDOM };

static const char usage[] =
    "usage: iterations [OPTION VALUE]...\n"
    "  -p FILE  times of tasks, as hf -p writes them: index and ns (none: exponential)\n"
    "  -n N     tasks of all ranks (10000)\n"
    "  -m NS    what a task takes on average (100000)\n"
    "  -i I     iterations (5)\n"
    "  -r R     seed, retain, central, tree, gossip or auto (retain)\n"
    "  -l L     load: even, stationary, drifting or random (stationary)\n"
    "  -b B     bytes of an argument, 16 to 4096 (16)\n"
    "  -u U     uneven: the first rank of U gets 4 times as many tasks (0: none does)\n"
    "  -k K     1: no stealing from the second iteration on, as in the paper's PLB;\n"
    "           2: none at all (0)\n"
    "  -t T     1: timed with seed and retain, too; retain: long tasks first (0)\n"
    "  -h       this text\n";

struct options {
    int64_t tasks, mean, iterations, bytes, uneven, quiet, timed;
    int restore, load;
    const char *file;
};

struct run {
    struct options o;
    uint64_t *time; /* of the file, scaled; NULL */
    size_t n;
    int64_t iteration;
    _Atomic uint64_t work; /* ns, of this rank in this iteration */
};

struct step {
    uint64_t number;
};

static void must(jd_self *me, int error, const char *what)
{
    if (error < 0)
        jd_abort(me, 1, "iterations: %s: %s", what, jd_strerror(error));
}

/* ---- times ---------------------------------------------------------------------------- */

/* A number from 0 up to, but without, 1 that depends on two. */
static double chance(uint64_t a, uint64_t b)
{
    uint64_t x =
        (a + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (b + 1) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 31) * UINT64_C(0x94d049bb133111eb);
    x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return (double)((x ^ x >> 32) >> 11) / (double)(UINT64_C(1) << 53);
}

static double exponential(uint64_t a, uint64_t b)
{
    return -log(1 - chance(a, b));
}

static uint64_t time_of(const struct run *r, uint64_t number)
{
    double mean = (double)r->o.mean, old;
    uint64_t phase = (uint64_t)r->iteration;
    switch (r->o.load) {
    case EVEN:
        return (uint64_t)mean;
    case DRIFTING: /* each time a tenth of the way to another one, which is reached after ten iterations */
        old = (double)(phase % 10) / 10;
        return (uint64_t)(mean * ((1 - old) * exponential(number, phase / 10) +
                                  old * exponential(number, phase / 10 + 1)));
    case RANDOM:
        return (uint64_t)(mean * exponential(number, phase));
    default:
        return r->time ? r->time[number % r->n]
                       : (uint64_t)(mean * exponential(number, 0));
    }
}

static int by_index(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* The times of the file in the order of their tasks, so that their mean is that of -m. */
static void read_times(jd_self *me, struct run *r)
{
    FILE *from = fopen(r->o.file, "r");
    uint64_t(*row)[2] = NULL;
    unsigned long long index, ns;
    double sum = 0;
    if (!from)
        jd_abort(me, 1, "iterations: no file %s", r->o.file);
    for (; fscanf(from, "%llu %llu", &index, &ns) == 2; r->n++) {
        if ((r->n & (r->n - 1)) == 0)
            row = realloc(row, (r->n ? 2 * r->n : 1) * sizeof *row);
        if (!row)
            jd_abort(me, 1, "iterations: out of memory");
        row[r->n][0] = index;
        row[r->n][1] = ns;
        sum += (double)ns;
    }
    if (!feof(from) || !r->n || !(r->time = malloc(r->n * sizeof *r->time)))
        jd_abort(me, 1, "iterations: %s has no times of tasks", r->o.file);
    fclose(from);
    qsort(row, r->n, sizeof *row, by_index);
    for (size_t i = 0; i < r->n; i++)
        r->time[i] =
            (uint64_t)((double)row[i][1] * (double)r->o.mean * (double)r->n / sum);
    free(row);
}

/* ---- iterations ----------------------------------------------------------------------- */

static void step(jd_self *me, void *arg)
{
    struct run *r = jd_coll_local(jd_coll_mine(me));
    uint64_t ns = time_of(r, ((const struct step *)arg)->number);
    jd_compute(me, ns);
    atomic_fetch_add_explicit(&r->work, ns, memory_order_relaxed);
}

static const jd_task_def tasks[] = {[STEP] = JD_TASK(step), JD_TASK_END};

static void seed(jd_self *me, const struct run *r, jd_coll *coll)
{
    char arg[4096] = {0};
    uint64_t ranks = jd_nranks(me), rank = jd_rank(me), to = 0, extra = 0;
    for (uint64_t i = 0; i < (uint64_t)r->o.tasks; i++) {
        if (to == rank) {
            memcpy(arg, &(struct step){i}, sizeof(struct step));
            must(me, jd_coll_add(me, coll, STEP, arg, (size_t)r->o.bytes), "jd_coll_add");
        }
        if (r->o.uneven && to % (uint64_t)r->o.uneven == 0 && extra < 3)
            extra++;
        else {
            to = (to + 1) % ranks;
            extra = 0;
        }
    }
}

/* Work of all ranks in this iteration over the time that all workers had. */
static void report_efficiency(jd_self *me, struct run *r, int64_t i, double seconds)
{
    uint64_t work = atomic_exchange_explicit(&r->work, 0, memory_order_relaxed);
    uint64_t most = work, workers = (uint64_t)jd_nranks(me) * jd_nworkers(me);
    must(me, jd_allreduce_u64(me, &work, 1, JD_SUM), "sum");
    must(me, jd_allreduce_u64(me, &most, 1, JD_MAX), "max");
    must(me, jd_allreduce_f64(me, &seconds, 1, JD_MAX), "max");
    if (jd_rank(me) == 0)
        printf("efficiency %lld %.5f imbalance %.5f\n", (long long)i,
               1e-9 * (double)work / ((double)workers * seconds),
               (double)most * jd_nranks(me) / (double)work);
}

static void quieten(jd_self *me, const struct run *r, jd_coll *coll, int64_t i)
{
    if (r->o.quiet == 2 || (r->o.quiet == 1 && i > 1))
        must(me, jd_coll_stealing(me, coll, JD_STEAL_NONE), "jd_coll_stealing");
}

/* With the paper's PLB the second iteration starts with what was stolen in the first one, without a balancer. */
static int restore_of(const struct run *r, int64_t i)
{
    return r->o.quiet == 1 && i == 2 ? JD_RESTORE_RETAIN : r->o.restore;
}

static void iterate(jd_self *me, struct run *r, jd_coll *coll)
{
    struct steals steals = {0};
    double began = jd_now(me);
    for (int64_t i = 1; i <= r->o.iterations; i++) {
        quieten(me, r, coll, i);
        if (i > 1)
            must(me, steals_restore(me, &steals, coll, restore_of(r, i)),
                 "jd_coll_restore");
        r->iteration = i;
        must(me, jd_barrier(me), "jd_barrier");
        double start = jd_now(me);
        must(me, jd_coll_process(me, coll), "jd_coll_process");
        double seconds = jd_now(me) - start;
        must(me, steals_report(me, &steals, coll, i, seconds), "steals");
        report_efficiency(me, r, i, seconds);
        if (i == 1)
            began = jd_now(me);
    }
    double all[] = {jd_now(me) - began};
    must(me, jd_allreduce_f64(me, all, 1, JD_MAX), "max");
    if (jd_rank(me) == 0)
        printf("later %.6f ms\n", 1e3 * all[0]);
}

static int read_load(const char *value, int *out)
{
    return read_choice(value, "even", EVEN, out) ||
           read_choice(value, "stationary", STATIONARY, out) ||
           read_choice(value, "drifting", DRIFTING, out) ||
           read_choice(value, "random", RANDOM, out);
}

static int read_option(void *options, char letter, const char *value)
{
    struct options *o = options;
    switch (letter) {
    case 'p':
        o->file = value;
        return 1;
    case 'n':
        return read_number(value, 1, 1000000000, &o->tasks);
    case 'm':
        return read_number(value, 1, 10000000000, &o->mean);
    case 'i':
        return read_number(value, 1, 10000, &o->iterations);
    case 'b':
        return read_number(value, 16, 4096, &o->bytes);
    case 'u':
        return read_number(value, 0, 1000000, &o->uneven);
    case 'k':
        return read_number(value, 0, 2, &o->quiet);
    case 't':
        return read_number(value, 0, 1, &o->timed);
    case 'r':
        return read_restore(value, &o->restore);
    case 'l':
        return read_load(value, &o->load);
    default:
        return 0;
    }
}

static int body(jd_self *me, int argc, char **argv)
{
    struct run r = {.o = {.tasks = 10000,
                          .mean = 100000,
                          .iterations = 5,
                          .bytes = 16,
                          .restore = JD_RESTORE_RETAIN,
                          .load = STATIONARY}};
    int bad = read_options_by(argc, argv, &r.o, read_option);
    if (bad)
        return end_with_usage(me, "iterations", argv, bad, usage);
    if (r.o.file)
        read_times(me, &r);
    jd_coll_props props = {.name = "steps",
                           .arg_size = (size_t)r.o.bytes,
                           .uniform = 1,
                           .local = &r,
                           .timed = r.o.timed || is_balancer(r.o.restore)};
    jd_coll *coll;
    must(me, jd_coll_create(me, &props, &coll), "jd_coll_create");
    seed(me, &r, coll);
    iterate(me, &r, coll);
    must(me, jd_coll_destroy(me, coll), "jd_coll_destroy");
    free(r.time);
    return 0;
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
