/*
 * tce_check.c - is a contraction right?
 *
 * Role: see tce_tensor.h.  A and B are taken from the formula, not from the tiles that were multiplied.
 * Owner: the bodies, when no task runs.
 * Invariants: I1 of tce_tensor.h: what is compared is exact.
 * See: tce_tensor.h.
 */
#include "examples/tce_tensor.h"

#include <stdio.h>

enum { LEFT_SALT = 3, RIGHT_SALT = 4 };

/* A vector over all i, j, and one over all k, l; a and b are what A and B make of them, for each a, b. */
struct projection {
    size_t inner; /* length of an inner axis */
    double *sums; /* of A: for each a, b; of B likewise */
    const double *tile;
    double c;
    uint64_t salt;
};

static double left_of(const size_t x[4])
{
    return tce_tensor_element(LEFT_SALT, (size_t[]){x[0], x[1], 0, 0});
}

static double right_of(const size_t x[4])
{
    return tce_tensor_element(RIGHT_SALT, (size_t[]){x[2], x[3], 0, 0});
}

static void project_a(void *ctx, size_t at, const size_t x[4])
{
    struct projection *p = ctx;
    (void)at;
    p->sums[x[2] * p->inner + x[3]] += left_of(x) * tce_tensor_element(p->salt, x);
}

static void project_b(void *ctx, size_t at, const size_t x[4])
{
    struct projection *p = ctx;
    (void)at;
    p->sums[x[0] * p->inner + x[1]] += tce_tensor_element(p->salt, x) * right_of(x);
}

static void project_c(void *ctx, size_t at, const size_t x[4])
{
    struct projection *p = ctx;
    p->c += left_of(x) * p->tile[at] * right_of(x);
}

/* Each rank sees to the tiles that are its own. */
static void project(jd_self *me, const struct tensor *t, struct projection *p,
                    void (*fn)(void *ctx, size_t at, const size_t index[4]))
{
    size_t place[4];
    p->salt = t->salt;
    for (size_t at = 0; at < tce_tensor_all(t); at++) {
        if (t->number[at] == TCE_ZERO)
            continue;
        p->tile = tiles_own(me, &t->tiles, (size_t)t->number[at]);
        tce_tensor_divide(t, at, place);
        if (p->tile)
            tce_tensor_each(t, place, p, fn);
    }
}

int tce_check_vector(jd_self *me, const struct tensor t[3], int64_t times)
{
    size_t inner = t[0].axis[2]->n, n = inner * inner;
    struct projection p = {.inner = inner, .sums = tce_space(me, n, sizeof *p.sums)};
    struct projection q = {.inner = inner, .sums = tce_space(me, n, sizeof *q.sums)};
    double want = 0;
    project(me, &t[0], &p, project_a);
    project(me, &t[1], &q, project_b);
    project(me, &t[2], &p, project_c);
    tce_must(me, jd_allreduce_f64(me, p.sums, n, JD_SUM), "sum");
    tce_must(me, jd_allreduce_f64(me, q.sums, n, JD_SUM), "sum");
    tce_must(me, jd_allreduce_f64(me, &p.c, 1, JD_SUM), "sum");
    for (size_t ab = 0; ab < n; ab++)
        want += (double)times * p.sums[ab] * q.sums[ab];
    if (jd_rank(me) == 0)
        printf("with a vector at each side C is %.0f%s\n", p.c,
               p.c == want ? ", as it is to be" : ": WRONG");
    free(p.sums);
    free(q.sums);
    return p.c != want;
}

struct all_of {
    const struct tensor *t;
    double *at;
};

static size_t dense_place(const struct tensor *t, const size_t x[4])
{
    return ((x[0] * t->axis[1]->n + x[1]) * t->axis[2]->n + x[2]) * t->axis[3]->n + x[3];
}

static void fill_dense(void *ctx, size_t at, const size_t x[4])
{
    struct all_of *all = ctx;
    (void)at;
    all->at[dense_place(all->t, x)] = tce_tensor_element(all->t->salt, x);
}

/* All elements, with those that are zero. */
static double *make_dense(jd_self *me, const struct tensor *t)
{
    size_t n = 1, p[4];
    for (int d = 0; d < 4; d++)
        n *= t->axis[d]->n;
    struct all_of all = {t, tce_space(me, n, sizeof *all.at)};
    for (size_t at = 0; at < tce_tensor_all(t); at++) {
        tce_tensor_divide(t, at, p);
        if (t->number[at] != TCE_ZERO)
            tce_tensor_each(t, p, &all, fill_dense);
    }
    return all.at;
}

struct comparison {
    size_t n, inner; /* sides */
    double times;
    double *a, *b;      /* all elements */
    const double *tile; /* NULL: all of it is to be 0 */
    uint64_t wrong;
};

static void compare(void *ctx, size_t at, const size_t x[4])
{
    struct comparison *c = ctx;
    size_t n = c->n, m = c->inner * c->inner;
    double sum = 0;
    for (size_t ab = 0; ab < m; ab++)
        sum += c->a[(x[0] * n + x[1]) * m + ab] * c->b[(ab * n + x[2]) * n + x[3]];
    c->wrong += c->times * sum != (c->tile ? c->tile[at] : 0);
}

int tce_check_dense(jd_self *me, struct tensor t[3], int64_t times)
{
    uint64_t wrong = 0;
    size_t p[4];
    if (jd_rank(me) == 0) {
        struct comparison c = {.n = t[2].axis[0]->n,
                               .inner = t[0].axis[2]->n,
                               .times = (double)times,
                               .a = make_dense(me, &t[0]),
                               .b = make_dense(me, &t[1])};
        tiles_are_new(&t[2].tiles); /* it is complete only now */
        for (size_t at = 0; at < tce_tensor_all(&t[2]); at++) {
            int32_t tile = t[2].number[at];
            tce_tensor_divide(&t[2], at, p);
            jd_loan loan = {0};
            c.tile = tile == TCE_ZERO
                         ? NULL
                         : tiles_borrow(me, &t[2].tiles, (size_t)tile, &loan);
            tce_tensor_each(&t[2], p, &c, compare);
            jd_give_back(me, &loan);
        }
        wrong = c.wrong;
        printf("C has %llu wrong elements of %zu\n", (unsigned long long)wrong,
               c.n * c.n * c.n * c.n);
        free(c.a);
        free(c.b);
    }
    tce_must(me, jd_barrier(me), "jd_barrier");
    return wrong != 0;
}
