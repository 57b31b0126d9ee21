/*
 * tce.c - a tensor contraction, C[i,j,k,l] += A[i,j,a,b] * B[a,b,k,l], in tiles of which many are zero.
 *
 * Role: a task computes a tile of C: the sum of products of tiles of A and B, which lie at other ranks.  A tile is zero, and not
 *       there, if the blocks of its four indices do not go together; which do is algebra, as the symmetry of
 *       orbitals is.  Tasks differ in size because blocks and tiles do not divide evenly.
 * Owner: a task has memory of its own for its tile of C.
 * Invariants: I1 only rank 0 prints. I2 elements of A and B are whole numbers, and so all sums are exact.
 * See: Lifflander, Krishnamoorthy, Kale, "Work Stealing and Persistence-based Load Balancers for Iterative
 *      Overdecomposed Applications", HPDC 2012, section 7.1; examples/README.md.
 */
#include "examples/options.h"
#include "examples/steals.h"
#include "examples/tce_product.h"
#include "examples/tce_tensor.h"
#include "jackdaw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTRACT };
enum { A, B, C };

static const char usage[] =
    "usage: tce [OPTION VALUE]...\n"
    "  -f F   blocks of 240/F, 180/F, 100/F, 210/F orbitals, and of 20/F, 24/F, 20/F, "
    "20/F (10)\n"
    "  -t T   orbitals in a tile, 1 to 32 (5); the paper's: -f 1 -t 20\n"
    "  -i I   iterations, each of which adds the product once more, 1 to 1000 (2)\n"
    "  -c C   check: dense, at rank 0, for small ones; vector; or none (vector)\n"
    "  -r R   how tasks come back: seed, retain, central, tree, gossip or auto (retain)\n"
    "  -x X   a task takes a nanosecond more for X multiplications: for the simulator, "
    "where\n"
    "         computing takes no time (0: none)\n"
    "  -s S   1: a line of steals for each iteration (0)\n"
    "  -p F   writes what each task took into this file, in a job of one rank\n"
    "  -h     this text\n";

struct options {
    int64_t factor, tile, iterations, charge, steals;
    int restore, check; /* the first letter of its name */
    const char *times;  /* the name of a file, or NULL */
};

struct run {
    struct options o;
    struct axis outer, inner; /* of i, j, k, l; of a, b */
    struct tensor t[3];
    _Atomic uint64_t multiplications;
};

/* The argument of a task: a tile of C. */
struct place {
    uint16_t tile[4];
};

/* ---- tasks --------------------------------------------------------------------------- */

static size_t area(const struct axis *x, size_t p, size_t q)
{
    return x->width[p] * x->width[q];
}

/* All products whose sum is this tile of C. */
static uint64_t add_products(jd_self *me, struct run *r, const size_t p[4], double *c)
{
    size_t m = area(&r->outer, p[0], p[1]), n = area(&r->outer, p[2], p[3]);
    uint64_t all = 0;
    for (size_t a = 0; a < r->inner.tiles; a++)
        for (size_t b = 0; b < r->inner.tiles; b++) {
            size_t k = area(&r->inner, a, b);
            int32_t left = tce_tensor_number(&r->t[A], (size_t[]){p[0], p[1], a, b});
            int32_t right = tce_tensor_number(&r->t[B], (size_t[]){a, b, p[2], p[3]});
            if (left == TCE_ZERO || right == TCE_ZERO)
                continue;
            jd_loan of_a, of_b;
            const double *at_a = tiles_borrow(me, &r->t[A].tiles, (size_t)left, &of_a);
            const double *at_b = tiles_borrow(me, &r->t[B].tiles, (size_t)right, &of_b);
            tce_product(c, at_a, at_b, m, n, k);
            jd_give_back(me, &of_a);
            jd_give_back(me, &of_b);
            all += m * n * k;
        }
    return all;
}

static void contract(jd_self *me, void *arg)
{
    struct run *r = jd_coll_local(jd_coll_mine(me));
    const struct place *at = arg;
    const size_t p[4] = {at->tile[0], at->tile[1], at->tile[2], at->tile[3]};
    double *c = tce_space(me, r->t[C].tiles.each, sizeof *c);
    jd_done done = JD_DONE_INIT;
    uint64_t n = add_products(me, r, p, c);
    if (r->o.charge)
        jd_compute(me, n / (uint64_t)r->o.charge);
    tiles_add(me, &r->t[C].tiles, (size_t)tce_tensor_number(&r->t[C], p), c, &done);
    tce_must(me, jd_done_wait(me, &done), "jd_accumulate_nb");
    atomic_fetch_add_explicit(&r->multiplications, n, memory_order_relaxed);
    free(c);
}

/* OpenBLAS has more on its stack than tasks usually have. */
static const jd_task_def tasks[] = {[CONTRACT] = JD_TASK_STACK(contract, 1 << 20),
                                    JD_TASK_END};

/* Each rank seeds the tasks for its tiles. */
static void seed(jd_self *me, const struct run *r, jd_coll *coll)
{
    size_t p[4];
    for (size_t at = 0; at < tce_tensor_all(&r->t[C]); at++) {
        tce_tensor_divide(&r->t[C], at, p);
        int32_t tile = r->t[C].number[at];
        if (tile == TCE_ZERO || tiles_home(me, (size_t)tile) != jd_rank(me))
            continue;
        struct place to = {
            {(uint16_t)p[0], (uint16_t)p[1], (uint16_t)p[2], (uint16_t)p[3]}};
        tce_must(me, jd_coll_add(me, coll, CONTRACT, &to, sizeof to), "jd_coll_add");
    }
}

static void report(jd_self *me, struct run *r, const jd_coll *coll, int64_t i,
                   double seconds)
{
    jd_coll_info info;
    tce_must(me, jd_coll_get_info(me, coll, &info), "jd_coll_get_info");
    uint64_t sum[] = {r->multiplications, info.stolen_in};
    tce_must(me, jd_allreduce_u64(me, sum, 2, JD_SUM), "sum");
    tce_must(me, jd_allreduce_f64(me, &seconds, 1, JD_MAX), "max");
    if (jd_rank(me) == 0)
        printf("%9lld %9.3f %9llu %8llu %9.3f\n", (long long)i, 1e3 * seconds,
               (unsigned long long)info.all_executed, (unsigned long long)sum[1],
               seconds > 0 ? 2e-9 * (double)sum[0] / seconds : 0);
    fflush(stdout);
}

static void iterate(jd_self *me, struct run *r)
{
    jd_coll_props props = {.name = "tiles of C",
                           .arg_size = sizeof(struct place),
                           .uniform = 1,
                           .local = r,
                           .timed = is_balancer(r->o.restore) || r->o.times};
    struct steals steals = {0};
    jd_coll *coll;
    tce_must(me, jd_coll_create(me, &props, &coll), "jd_coll_create");
    seed(me, r, coll);
    if (jd_rank(me) == 0)
        printf("products by %s\niteration   time/ms     tasks   stolen   GFlop/s\n",
               tce_product_name());
    for (int64_t i = 1; i <= r->o.iterations; i++) {
        if (i > 1)
            tce_must(me, steals_restore(me, &steals, coll, r->o.restore),
                     "jd_coll_restore");
        r->multiplications = 0;
        tiles_are_new(&r->t[C].tiles);
        tce_must(me, jd_barrier(me), "jd_barrier");
        double begin = jd_now(me);
        tce_must(me, jd_coll_process(me, coll), "jd_coll_process");
        double seconds = jd_now(me) - begin;
        report(me, r, coll, i, seconds);
        if (r->o.steals)
            tce_must(me, steals_report(me, &steals, coll, i, seconds), "steals");
    }
    const char *fault = r->o.times ? steals_write_times(me, coll, r->o.times) : NULL;
    if (fault)
        jd_abort(me, 1, "tce: %s", fault);
    tce_must(me, jd_coll_destroy(me, coll), "jd_coll_destroy");
}

static void report_bytes(jd_self *me, const struct run *r)
{
    const struct tiles *const t[] = {&r->t[A].tiles, &r->t[B].tiles, &r->t[C].tiles};
    struct tiles_bytes sum = tiles_bytes(me, t, sizeof t / sizeof *t);
    if (jd_rank(me) == 0)
        printf("remote bytes %llu, of different tiles %llu\n",
               (unsigned long long)sum.moved, (unsigned long long)sum.distinct);
}

/* ---- begin and end ------------------------------------------------------------------- */

static int read_option(void *options, char letter, const char *value)
{
    struct options *o = options;
    switch (letter) {
    case 'f':
        return read_number(value, 1, 240, &o->factor);
    case 't':
        return read_number(value, 1, 32, &o->tile);
    case 'i':
        return read_number(value, 1, 1000, &o->iterations);
    case 'x':
        return read_number(value, 0, 1000000, &o->charge);
    case 'c':
        return read_choice(value, "dense", 'd', &o->check) ||
               read_choice(value, "vector", 'v', &o->check) ||
               read_choice(value, "none", 'n', &o->check);
    case 'r':
        return read_restore(value, &o->restore);
    case 's':
        return read_number(value, 0, 1, &o->steals);
    case 'p':
        o->times = value;
        return *value != 0;
    default:
        return 0;
    }
}

/* 0, or a status: it cannot be computed. */
static int prepare(const jd_self *me, struct run *r)
{
    static const size_t outer[TCE_BLOCKS] = {240, 180, 100, 210};
    static const size_t inner[TCE_BLOCKS] = {20, 24, 20, 20};
    size_t factor = (size_t)r->o.factor, tile = (size_t)r->o.tile;
    const char *fault = tce_product_begin(jd_nworkers(me));
    if (tce_tensor_cut(&r->outer, outer, factor, tile) ||
        tce_tensor_cut(&r->inner, inner, factor, tile))
        fault = "an index has more than 64 tiles: take larger ones";
    else if (r->o.check == 'd' && r->outer.n > TCE_DENSE_MOST)
        fault = "this is too large for -c dense: take -f 20 or more";
    if (fault && jd_rank(me) == 0)
        fprintf(stderr, "tce: %s\n", fault);
    return fault ? 2 : 0;
}

static int run_all(jd_self *me, struct run *r)
{
    int status = 0;
    tce_tensor_open(me, &r->t[A], &r->outer, &r->inner, 1);
    tce_tensor_open(me, &r->t[B], &r->inner, &r->outer, 2);
    tce_tensor_open(me, &r->t[C], &r->outer, &r->outer, 0);
    tce_must(me, jd_mem_freeze(me, r->t[A].tiles.mem, 1), "jd_mem_freeze");
    tce_must(me, jd_mem_freeze(me, r->t[B].tiles.mem, 1), "jd_mem_freeze");
    iterate(me, r);
    if (r->o.check == 'v')
        status = tce_check_vector(me, r->t, r->o.iterations);
    if (r->o.check == 'd')
        status = tce_check_dense(me, r->t, r->o.iterations);
    report_bytes(me, r);
    tce_tensor_close(me, &r->t[A]);
    tce_tensor_close(me, &r->t[B]);
    tce_tensor_close(me, &r->t[C]);
    return status;
}

static int body(jd_self *me, int argc, char **argv)
{
    struct run r = {.o = {.factor = 10,
                          .tile = 5,
                          .iterations = 2,
                          .restore = JD_RESTORE_RETAIN,
                          .check = 'v'}};
    int bad = read_options_by(argc, argv, &r.o, read_option);
    if (bad)
        return end_with_usage(me, "tce", argv, bad, usage);
    int status = prepare(me, &r);
    return status ? status : run_all(me, &r);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
