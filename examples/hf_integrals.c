/*
 * hf_integrals.c - integrals over s-type Gaussians, and what a pair of tiles of the Fock matrix gets of them.
 *
 * Role: see hf_integrals.h.
 * Owner: whoever calls; any thread.
 * Invariants: I1 of hf_integrals.h.
 * See: hf_integrals.h.
 */
#include "examples/hf_integrals.h"

#include "examples/hf_basis.h"

static const double pi = 3.14159265358979323846;

enum { FAR = 36 }; /* from here on the error function is 1, in doubles */

/* The Boys function F0, the integral of exp(-t u^2) for u from 0 to 1. */
static double boys(double t)
{
    if (t <= 0)
        return 1;
    double root = sqrt(t), half = 0.88622692545275801365 / root;
    return t > FAR ? half : half * erf(root);
}

static double square(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

/* ---- pairs --------------------------------------------------------------------------- */

/* How high the product of two normalised functions is, and where.  Its weight is not set. */
static double product_at(const struct hf_matter *m, size_t i, size_t j,
                         struct hf_pair *pair)
{
    const double *a = m->place[i / HF_EACH], *b = m->place[j / HF_EACH];
    double za = hf_exponents[i % HF_EACH], zb = hf_exponents[j % HF_EACH];
    pair->p = za + zb;
    for (int x = 0; x < 3; x++)
        pair->at[x] = (za * a[x] + zb * b[x]) / pair->p;
    double normal = pow(2 * za / pi, 0.75) * pow(2 * zb / pi, 0.75);
    return normal * exp(-za * zb / pair->p * square(a, b));
}

struct hf_pair hf_pair_of(const struct hf_matter *m, size_t i, size_t j)
{
    struct hf_pair pair = {.weight_of_two = i == j ? 1 : 2};
    double height = product_at(m, i, j, &pair);
    pair.weight = sqrt(2) * pow(pi, 1.25) * height / pair.p;
    pair.bound = sqrt(hf_repulsion(&pair, &pair));
    return pair;
}

double hf_repulsion(const struct hf_pair *a, const struct hf_pair *b)
{
    double all = a->p + b->p;
    return a->weight * b->weight / sqrt(all) *
           boys(a->p * b->p / all * square(a->at, b->at));
}

/* ---- one electron -------------------------------------------------------------------- */

void hf_one_electron(const struct hf_matter *m, double *overlap, double *core)
{
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = 0; j <= i; j++) {
            struct hf_pair pair;
            double height = product_at(m, i, j, &pair),
                   s = height * pow(pi / pair.p, 1.5);
            double mu = hf_exponents[i % HF_EACH] * hf_exponents[j % HF_EACH] / pair.p;
            double apart = square(m->place[i / HF_EACH], m->place[j / HF_EACH]);
            double h = mu * (3 - 2 * mu * apart) * s;
            for (size_t c = 0; c < m->atoms; c++)
                h -= HF_CHARGE * 2 * pi / pair.p * height *
                     boys(pair.p * square(pair.at, m->place[c]));
            overlap[i * m->n + j] = overlap[j * m->n + i] = s;
            core[i * m->n + j] = core[j * m->n + i] = h;
        }
}

double hf_nuclei(const struct hf_matter *m)
{
    double sum = 0;
    for (size_t a = 0; a < m->atoms; a++)
        for (size_t b = 0; b < a; b++)
            sum += HF_CHARGE * HF_CHARGE / sqrt(square(m->place[a], m->place[b]));
    return sum;
}

/* ---- two electrons ------------------------------------------------------------------- */

static double *element(const struct hf_block *b, size_t row, size_t column)
{
    return &b->at[row * b->row + column * b->column];
}

/* Of two pairs of the same tiles: is this their one turn? */
static int is_first(const struct hf_pair *a, const struct hf_pair *b)
{
    return a->row > b->row || (a->row == b->row && a->column >= b->column);
}

static void add_integral(const struct hf_quartet *q, const struct hf_pair *a,
                         const struct hf_pair *b, double v)
{
    size_t i = a->row, j = a->column, k = b->row, l = b->column;
    const struct hf_block *d = q->density, *f = q->fock;
    *element(&f[HF_IJ], i, j) += v * *element(&d[HF_KL], k, l);
    *element(&f[HF_KL], k, l) += v * *element(&d[HF_IJ], i, j);
    v /= 4;
    *element(&f[HF_IK], i, k) -= v * *element(&d[HF_JL], j, l);
    *element(&f[HF_JL], j, l) -= v * *element(&d[HF_IK], i, k);
    *element(&f[HF_IL], i, l) -= v * *element(&d[HF_JK], j, k);
    *element(&f[HF_JK], j, k) -= v * *element(&d[HF_IL], i, l);
}

uint64_t hf_add_quartet(const struct hf_quartet *q)
{
    uint64_t n = 0;
    for (size_t x = 0; x < q->nbra; x++) {
        const struct hf_pair *a = &q->bra[x];
        for (size_t y = 0; y < q->nket; y++) {
            const struct hf_pair *b = &q->ket[y];
            if (a->bound * b->bound < q->least)
                break; /* the others are smaller */
            if (q->same && !is_first(a, b))
                continue;
            int equal = q->same && a->row == b->row && a->column == b->column;
            double times = a->weight_of_two * b->weight_of_two * (equal ? 1 : 2);
            add_integral(q, a, b, times * hf_repulsion(a, b));
            n++;
        }
    }
    return n;
}
