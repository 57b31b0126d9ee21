/*
 * hf_tasks.c - the tasks of the example hf: two pairs of tiles, and what they do to the Fock matrix.
 *
 * Role: finds out whether a task is null; makes the pairs of functions; adds.
 * Owner: a task has memory of its own, and adds to the sums of its rank.
 * Invariants: I1 of hf_run.h.  I2 a task that is null reads two numbers of the bounds.
 * See: examples/hf_run.h, examples/hf_integrals.h.
 */
#include "examples/hf_run.h"

#include <math.h>

/* The memory of a task, which is too much for its stack. */
struct scratch {
    struct hf_pair *bra, *ket;
    double *fock; /* HF_BLOCKS tiles */
};

/* ---- pairs of tiles ------------------------------------------------------------------- */

static size_t pair_at(size_t i, size_t j)
{
    return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
}

void hf_pair_of_tiles(size_t pair, size_t *i, size_t *j)
{
    size_t row = (size_t)((sqrt(8 * (double)pair + 1) - 1) / 2);
    while (row * (row + 1) / 2 > pair)
        row--;
    while ((row + 1) * (row + 2) / 2 <= pair)
        row++;
    *i = row;
    *j = pair - row * (row + 1) / 2;
}

/* Functions of a tile. */
static size_t width(const struct hf_run *r, size_t i)
{
    size_t t = (size_t)r->o.tile, left = r->matter.n - i * t;
    return left < t ? left : t;
}

/* The pair in tile `pair` whose column and row in the tile are these; 0: there is none, or it is another
 * pair the other way round. */
static int find_pair(const struct hf_run *r, size_t pair, size_t at,
                     struct hf_pair *found)
{
    size_t i, j, t = (size_t)r->o.tile, row = at / t, column = at % t;
    hf_pair_of_tiles(pair, &i, &j);
    if (row >= width(r, i) || column >= width(r, j) || (i == j && column > row))
        return 0;
    *found = hf_pair_of(&r->matter, i * t + row, j * t + column);
    found->row = (uint16_t)row;
    found->column = (uint16_t)column;
    return 1;
}

void hf_make_bounds(const struct hf_run *r, size_t pair, double *bounds)
{
    size_t t = (size_t)r->o.tile;
    struct hf_pair p;
    for (size_t at = 0; at < t * t; at++)
        if (find_pair(r, pair, at, &p)) {
            bounds[at] = p.bound;
            bounds[t * t] = fmax(bounds[t * t], p.bound);
        }
}

/* ---- tasks ---------------------------------------------------------------------------- */

static int by_bound(const void *a, const void *b)
{
    double x = ((const struct hf_pair *)a)->bound, y = ((const struct hf_pair *)b)->bound;
    return (x < y) - (x > y);
}

/* Those pairs of functions that matter beside a bound, with large bounds first. */
static size_t list_pairs(const struct hf_run *r, size_t pair, const double *bounds,
                         double beside, struct hf_pair *out)
{
    size_t n = 0, t = (size_t)r->o.tile;
    for (size_t at = 0; at < t * t; at++)
        if (bounds[at] * beside >= r->least && find_pair(r, pair, at, &out[n]))
            n++;
    qsort(out, n, sizeof *out, by_bound);
    return n;
}

/* Which two tiles stand where: rows and columns of blocks, of I, J, K, L. */
static const unsigned char block_sides[HF_BLOCKS][2] = {
    [HF_KL] = {2, 3}, [HF_IJ] = {0, 1}, [HF_JL] = {1, 3},
    [HF_IK] = {0, 2}, [HF_JK] = {1, 2}, [HF_IL] = {0, 3}};

/* Tile (i, j) of a matrix that has those with i >= j only, at `at`. */
static struct hf_block block_at(const struct hf_run *r, const double *at, size_t i,
                                size_t j)
{
    size_t t = (size_t)r->o.tile;
    return (struct hf_block){(double *)(uintptr_t)at, i >= j ? t : 1, i >= j ? 1 : t};
}

static void add_sums(jd_self *me, struct hf_run *r, size_t pair, const double *more)
{
    uint64_t each = r->fock.each;
    hf_must(
        me,
        jd_accumulate(me, r->sums, jd_rank(me), pair * each * sizeof *more, more, each),
        "jd_accumulate");
    atomic_store_explicit(&r->added[pair], 1, memory_order_relaxed);
}

/* What a task has borrowed: the bounds of its two pairs, and the density. */
struct loans {
    jd_loan bra, ket, density[HF_BLOCKS];
    const double *bra_at, *ket_at;
};

static void run_quartet(jd_self *me, struct hf_run *r, const struct hf_job *at,
                        struct loans *l, struct scratch *s)
{
    size_t side[4], each = r->fock.each;
    hf_pair_of_tiles(at->bra, &side[0], &side[1]);
    hf_pair_of_tiles(at->ket, &side[2], &side[3]);
    struct hf_quartet q = {
        .bra = s->bra, .ket = s->ket, .same = at->bra == at->ket, .least = r->least};
    q.nbra = list_pairs(r, at->bra, l->bra_at, l->ket_at[each], s->bra);
    q.nket = list_pairs(r, at->ket, l->ket_at, l->bra_at[each], s->ket);
    for (int b = 0; b < HF_BLOCKS; b++) {
        size_t i = side[block_sides[b][0]], j = side[block_sides[b][1]];
        const double *tile = tiles_borrow(me, &r->density, pair_at(i, j), &l->density[b]);
        q.density[b] = block_at(r, tile, i, j);
        q.fock[b] = block_at(r, s->fock + (size_t)b * each, i, j);
    }
    uint64_t n = hf_add_quartet(&q);
    if (r->o.charge)
        jd_compute(me, n * (uint64_t)r->o.charge);
    for (int b = 0; b < HF_BLOCKS; b++) {
        jd_give_back(me, &l->density[b]);
        add_sums(me, r, pair_at(side[block_sides[b][0]], side[block_sides[b][1]]),
                 s->fock + (size_t)b * each);
    }
    atomic_fetch_add_explicit(&r->integrals, n, memory_order_relaxed);
}

static void run_in_memory(jd_self *me, struct hf_run *r, const struct hf_job *at,
                          struct loans *l)
{
    size_t each = r->fock.each;
    struct scratch s = {hf_space(me, each, sizeof *s.bra),
                        hf_space(me, each, sizeof *s.ket),
                        hf_space(me, HF_BLOCKS * each, sizeof *s.fock)};
    run_quartet(me, r, at, l, &s);
    free(s.bra);
    free(s.ket);
    free(s.fock);
}

void hf_quartet(jd_self *me, void *arg)
{
    struct hf_run *r = jd_coll_local(jd_coll_mine(me));
    const struct hf_job at = *(const struct hf_job *)arg;
    size_t each = r->fock.each;
    struct loans l;
    l.bra_at = tiles_borrow(me, &r->schwarz, at.bra, &l.bra);
    l.ket_at = tiles_borrow(me, &r->schwarz, at.ket, &l.ket);
    if (l.bra_at[each] * l.ket_at[each] < r->least) {
        atomic_fetch_add_explicit(&r->null, 1, memory_order_relaxed);
        hf_must(me, jd_task_null(me), "jd_task_null"); /* as in every iteration */
    } else {
        run_in_memory(me, r, &at, &l);
    }
    jd_give_back(me, &l.bra);
    jd_give_back(me, &l.ket);
}
