/*
 * hf.c - the energy of beryllium atoms by Hartree-Fock: an iterative program with real, uneven tasks.
 *
 * Role: a task computes the integrals between two pairs of tiles, as far as their Schwarz bound permits, and what
 *       they do to the Fock matrix.  Bounds, density and Fock matrix are tiles that are dealt out over the ranks.
 *       The same tasks run in each iteration, until the density is that of its own Fock matrix.
 * Owner: a task adds to the sums of its rank, the body of each rank those to the Fock matrix; rank 0 makes the next
 *        density.
 * Invariants: I1 only rank 0 prints. I2 a pair of tiles (I, J) has I >= J, a task (bra, ket) bra >= ket, so each integral
 *             is computed once.
 * See: Lifflander, Krishnamoorthy, Kale, "Work Stealing and Persistence-based Load Balancers for Iterative
 *      Overdecomposed Applications", HPDC 2012, section 7.1; examples/hf_serial.c; examples/README.md.
 */
#include "examples/hf_basis.h"
#include "examples/hf_run.h"
#include "examples/options.h"
#include "examples/steals.h"

#include <stdio.h>
#include <string.h>

enum { QUARTET };

static const char usage[] =
    "usage: hf [OPTION VALUE]...\n"
    "  -n N   atoms of beryllium, 1 to 512 (2)\n"
    "  -d D   between neighbours, in hundredths of a bohr (430)\n"
    "  -a A   degrees by which all are turned (0)\n"
    "  -t T   functions in a tile, of 15 for each atom, 1 to 200 (20)\n"
    "  -e E   integrals below 10^-E are left out, 6 to 14 (11)\n"
    "  -i I   iterations at most (50)\n"
    "  -r R   how tasks come back: seed, retain, central, tree, gossip or auto (retain)\n"
    "  -x X   an integral takes X nanoseconds more (0): in the simulator computing takes "
    "no time\n"
    "  -s S   1: a line of steals for each iteration (0)\n"
    "  -p F   writes what each task took into this file, in a job of one rank\n"
    "  -h     this text\n";

static const jd_task_def tasks[] = {[QUARTET] = JD_TASK(hf_quartet), JD_TASK_END};

/* ---- iterations ----------------------------------------------------------------------- */

static void seed(jd_self *me, const struct hf_run *r, jd_coll *coll)
{
    uint64_t n = 0;
    for (uint32_t bra = 0; bra < r->pairs; bra++)
        for (uint32_t ket = 0; ket <= bra; ket++)
            if (n++ % jd_nranks(me) == jd_rank(me)) {
                struct hf_job q = {bra, ket};
                hf_must(me, jd_coll_add(me, coll, QUARTET, &q, sizeof q), "jd_coll_add");
            }
}

/* What the tasks of this rank have added goes to the Fock matrix. */
static void add_fock(jd_self *me, struct hf_run *r)
{
    const double *sums = jd_mem_local(me, r->sums, NULL);
    jd_done done = JD_DONE_INIT;
    for (size_t pair = 0; pair < r->pairs; pair++)
        if (atomic_load_explicit(&r->added[pair], memory_order_relaxed))
            tiles_add(me, &r->fock, pair, sums + pair * r->fock.each, &done);
    hf_must(me, jd_done_wait(me, &done), "jd_accumulate_nb");
}

static void clear_fock(jd_self *me, struct hf_run *r)
{
    size_t size;
    void *sums = jd_mem_local(me, r->sums, &size);
    memset(sums, 0, size);
    memset((void *)r->added, 0, r->pairs);
    for (size_t pair = jd_rank(me); pair < r->pairs; pair += jd_nranks(me))
        memset(tiles_own(me, &r->fock, pair), 0, r->fock.each * sizeof(double));
    tiles_are_new(&r->density);
    tiles_are_new(&r->fock);
    r->null = r->integrals = 0;
}

/* A line of the table. */
static void report(jd_self *me, struct hf_run *r, const jd_coll *coll, int64_t i,
                   const double *value)
{
    jd_coll_info info;
    hf_must(me, jd_coll_get_info(me, coll, &info), "jd_coll_get_info");
    uint64_t sum[] = {r->null, r->integrals, info.stolen_in};
    hf_must(me, jd_allreduce_u64(me, sum, 3, JD_SUM), "sum");
    if (jd_rank(me) == 0)
        printf("%9lld %9.3f %9llu %9llu %12llu %8llu %18.10f %9.1e\n", (long long)i,
               1e3 * value[2], (unsigned long long)info.all_executed,
               (unsigned long long)sum[0], (unsigned long long)sum[1],
               (unsigned long long)sum[2], value[0], value[1]);
    fflush(stdout);
}

/* One iteration, from the density in the tiles to the next: the energy, how far off it is, and the time of the
 * tasks. */
static void iterate(jd_self *me, struct hf_run *r, jd_coll *coll, struct hf_chief *c,
                    double *value)
{
    clear_fock(me, r);
    hf_must(me, jd_barrier(me), "jd_barrier");
    double begin = jd_now(me);
    hf_must(me, jd_coll_process(me, coll), "jd_coll_process");
    double seconds = jd_now(me) - begin;
    add_fock(me, r);
    hf_must(me, jd_barrier(me), "jd_barrier");
    value[0] = value[1] = value[2] = 0;
    if (jd_rank(me) == 0) {
        hf_density_step(me, r, c);
        value[0] = c->scf.energy + hf_nuclei(&r->matter);
        value[1] = c->scf.error;
        value[2] = seconds;
    }
    hf_must(me, jd_allreduce_f64(me, value, 3, JD_SUM), "sum");
}

static int iterate_all(jd_self *me, struct hf_run *r, struct hf_chief *c)
{
    jd_coll_props props = {.name = "fock",
                           .arg_size = sizeof(struct hf_job),
                           .uniform = 1,
                           .local = r,
                           .timed =
                               1}; /* tasks with nothing to do are not seeded again */
    jd_coll *coll;
    double value[3] = {0, 1, 0}, last = 0;
    struct steals steals = {0};
    int done = 0;
    hf_must(me, jd_coll_create(me, &props, &coll), "jd_coll_create");
    seed(me, r, coll);
    if (jd_rank(me) == 0)
        printf(
            "iteration   time/ms     tasks      null    integrals   stolen             "
            "energy     error\n");
    for (int64_t i = 1; i <= r->o.iterations && !done; i++) {
        if (i > 1)
            hf_must(me, steals_restore(me, &steals, coll, r->o.restore),
                    "jd_coll_restore");
        iterate(me, r, coll, c, value);
        report(me, r, coll, i, value);
        if (r->o.steals)
            hf_must(me, steals_report(me, &steals, coll, i, value[2]), "steals");
        done = value[1] < 1e-7 && fabs(value[0] - last) < 1e-9;
        last = value[0];
    }
    const char *fault = r->o.times ? steals_write_times(me, coll, r->o.times) : NULL;
    if (fault)
        jd_abort(me, 1, "hf: %s", fault);
    hf_must(me, jd_coll_destroy(me, coll), "jd_coll_destroy");
    if (jd_rank(me) == 0)
        printf("total energy %.10f%s\n", last, done ? "" : ": NOT CONVERGED");
    return !done;
}

/* ---- begin and end -------------------------------------------------------------------- */

static void open_run(jd_self *me, struct hf_run *r)
{
    size_t n = (size_t)r->o.atoms * HF_EACH, t = (size_t)r->o.tile;
    r->matter.atoms = (size_t)r->o.atoms;
    r->matter.n = n;
    r->matter.place = hf_space(me, r->matter.atoms, sizeof *r->matter.place);
    for (size_t i = 0; i < r->matter.atoms; i++)
        hf_place(i, (double)r->o.distance / 100, (double)r->o.angle, r->matter.place[i]);
    size_t side = (n + t - 1) / t;
    r->pairs = side * (side + 1) / 2;
    r->least = pow(10, -(double)r->o.digits);
    r->added = hf_space(me, r->pairs, sizeof *r->added);
    hf_must(me, tiles_open(me, &r->schwarz, r->pairs, t * t + 1), "jd_mem_create");
    hf_must(me, tiles_open(me, &r->density, r->pairs, t * t), "jd_mem_create");
    hf_must(me, tiles_open(me, &r->fock, r->pairs, t * t), "jd_mem_create");
    hf_must(me, jd_mem_create(me, NULL, r->pairs * t * t * sizeof(double), &r->sums),
            "jd_mem_create");
    for (size_t pair = jd_rank(me); pair < r->pairs; pair += jd_nranks(me))
        hf_make_bounds(r, pair, tiles_own(me, &r->schwarz, pair));
}

static void close_run(jd_self *me, struct hf_run *r)
{
    tiles_close(me, &r->schwarz);
    tiles_close(me, &r->density);
    tiles_close(me, &r->fock);
    hf_must(me, jd_mem_destroy(me, r->sums), "jd_mem_destroy");
    free((void *)r->added);
    free(r->matter.place);
}

/* The bytes that all ranks have moved, and those of the different tiles that they have used; the bounds are the same in
 * each iteration. */
static int report_bytes(jd_self *me, const struct hf_run *r)
{
    const struct tiles *const t[] = {&r->schwarz, &r->density, &r->fock};
    struct tiles_bytes sum = tiles_bytes(me, t, sizeof t / sizeof *t);
    if (jd_rank(me) == 0)
        printf("remote bytes %llu, of different tiles %llu: %.3f times\n",
               (unsigned long long)sum.moved, (unsigned long long)sum.distinct,
               sum.distinct ? (double)sum.moved / (double)sum.distinct : 1);
    return (double)sum.moved > 1.2 * (double)sum.distinct;
}

static int read_option(void *options, char letter, const char *value)
{
    struct hf_options *o = options;
    switch (letter) {
    case 'n':
        return read_number(value, 1, 512, &o->atoms);
    case 'd':
        return read_number(value, 100, 1000000, &o->distance);
    case 'a':
        return read_number(value, -360, 360, &o->angle);
    case 't':
        return read_number(value, 1, 200, &o->tile);
    case 'e':
        return read_number(value, 6, 14, &o->digits);
    case 'i':
        return read_number(value, 1, 1000, &o->iterations);
    case 'x':
        return read_number(value, 0, 1000000, &o->charge);
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

static int body(jd_self *me, int argc, char **argv)
{
    struct hf_run r = {.o = {.atoms = 2,
                             .distance = 430,
                             .tile = 20,
                             .digits = 11,
                             .iterations = 50,
                             .restore = JD_RESTORE_RETAIN}};
    struct hf_chief c = {0};
    int bad = read_options_by(argc, argv, &r.o, read_option);
    if (bad)
        return end_with_usage(me, "hf", argv, bad, usage);
    open_run(me, &r);
    hf_must(me, jd_mem_freeze(me, r.schwarz.mem, 1), "jd_mem_freeze");
    if (jd_rank(me) == 0)
        hf_density_open(me, &r, &c);
    int status = iterate_all(me, &r, &c);
    status |= report_bytes(me, &r);
    if (jd_rank(me) == 0)
        hf_density_close(&c);
    close_run(me, &r);
    return status;
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
