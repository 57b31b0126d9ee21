/*
 * hf_scf.c - the part of Hartree-Fock that is linear algebra: from a Fock matrix to the next density.
 *
 * Role: see hf_scf.h.
 * Owner: one thread.
 * Invariants: I1 of hf_scf.h.
 * See: hf_scf.h.
 */
#include "examples/hf_scf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 60 };
static const double dependent =
    1e-8; /* eigenvalues of the overlap below this are left out */

static double *numbers(size_t n)
{
    return calloc(n ? n : 1, sizeof(double));
}

/* ---- matrices ------------------------------------------------------------------------ */

/* c = a b, with r rows, c columns and k between. */
static void times(const double *a, const double *b, double *c, size_t r, size_t k,
                  size_t columns)
{
    memset(c, 0, r * columns * sizeof *c);
    for (size_t i = 0; i < r; i++)
        for (size_t x = 0; x < k; x++)
            for (size_t j = 0; j < columns; j++)
                c[i * columns + j] += a[i * k + x] * b[x * columns + j];
}

/* c = x^T a x, for an n x n matrix a and n x m ones x. */
static int within(const double *x, const double *a, double *c, size_t n, size_t m)
{
    double *ax = numbers(n * m);
    if (!ax)
        return -1;
    times(a, x, ax, n, n, m);
    memset(c, 0, m * m * sizeof *c);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < m; j++)
                c[i * m + j] += x[k * m + i] * ax[k * m + j];
    free(ax);
    return 0;
}

/* Rows and columns p and q of a, and the rows of v, are turned so that a[p][q] is 0. */
static void turn_pair(double *a, double *v, size_t n, size_t p, size_t q)
{
    double ratio = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
    double t = (ratio < 0 ? -1 : 1) / (fabs(ratio) + sqrt(1 + ratio * ratio));
    double c = 1 / sqrt(1 + t * t), s = t * c;
    for (size_t k = 0; k < n; k++) {
        double x = a[k * n + p], y = a[k * n + q];
        a[k * n + p] = c * x - s * y;
        a[k * n + q] = s * x + c * y;
    }
    for (size_t k = 0; k < n; k++) {
        double x = a[p * n + k], y = a[q * n + k], vx = v[p * n + k], vy = v[q * n + k];
        a[p * n + k] = c * x - s * y;
        a[q * n + k] = s * x + c * y;
        v[p * n + k] = c * vx - s * vy;
        v[q * n + k] = s * vx + c * vy;
    }
}

/* Jacobi's method: a becomes diagonal, the rows of v are its eigenvectors.  Few sweeps if it nearly was. */
static void diagonalise(double *a, double *v, size_t n)
{
    double all = 0, off = 1;
    for (size_t i = 0; i < n * n; i++) {
        v[i] = i / n == i % n;
        all += a[i] * a[i];
    }
    for (int sweep = 0; sweep < SWEEPS && off > 1e-30 * all; sweep++) {
        off = 0;
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                double x = a[p * n + q] * a[p * n + q];
                off += x;
                if (x > 1e-36 * all)
                    turn_pair(a, v, n, p, q);
            }
    }
}

/* ---- orbitals ------------------------------------------------------------------------ */

/* The columns of `first` are the eigenvectors of the overlap, each divided by the root of its eigenvalue; those
 * that are nearly dependent are left out. */
static int orthogonalise(struct hf_scf *s)
{
    size_t n = s->n;
    double *a = numbers(n * n), *v = numbers(n * n);
    if (a && v) {
        memcpy(a, s->overlap, n * n * sizeof *a);
        diagonalise(a, v, n);
        for (size_t o = 0; o < n; o++)
            s->m += a[o * n + o] > dependent;
        for (size_t o = 0, k = 0; o < n; o++)
            if (a[o * n + o] > dependent) {
                for (size_t i = 0; i < n; i++)
                    s->first[i * s->m + k] = v[o * n + i] / sqrt(a[o * n + o]);
                k++;
            }
        memcpy(s->orbital, s->first, n * s->m * sizeof *a);
    }
    int error = a && v ? 0 : -1;
    free(a);
    free(v);
    return error;
}

int hf_scf_open(struct hf_scf *s, size_t n, size_t pairs, double *overlap, double *core)
{
    *s = (struct hf_scf){.n = n, .pairs = pairs, .overlap = overlap, .core = core};
    s->first = numbers(n * n);
    s->orbital = numbers(n * n);
    for (int i = 0; i < HF_PAST; i++) {
        s->past[i] = numbers(n * n);
        s->wrong[i] = numbers(n * n);
        if (!s->past[i] || !s->wrong[i])
            return -1;
    }
    return s->first && s->orbital ? orthogonalise(s) : -1;
}

void hf_scf_close(struct hf_scf *s)
{
    free(s->first);
    free(s->orbital);
    for (int i = 0; i < HF_PAST; i++) {
        free(s->past[i]);
        free(s->wrong[i]);
    }
}

/* The place of the lowest one on the diagonal of a, which is taken out. */
static size_t take_lowest(double *a, size_t m)
{
    size_t least = 0;
    for (size_t i = 1; i < m; i++)
        if (a[i * m + i] < a[least * m + least])
            least = i;
    a[least * m + least] = INFINITY;
    return least;
}

/* The lowest orbitals of f get their electrons.  The new orbitals are made of the last ones, in which f is nearly
 * diagonal. */
static int occupy(struct hf_scf *s, const double *f, double *density)
{
    size_t n = s->n, m = s->m;
    double *a = numbers(m * m), *v = numbers(m * m), *next = numbers(n * m);
    int error = a && v && next ? within(s->orbital, f, a, n, m) : -1;
    if (!error) {
        diagonalise(a, v, m);
        for (size_t i = 0; i < n; i++)
            for (size_t o = 0; o < m; o++)
                for (size_t k = 0; k < m; k++)
                    next[i * m + o] += s->orbital[i * m + k] * v[o * m + k];
        memcpy(s->orbital, next, n * m * sizeof *next);
        memset(density, 0, n * n * sizeof *density);
        for (size_t pair = 0; pair < s->pairs; pair++) {
            size_t o = take_lowest(a, m);
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++)
                    density[i * n + j] += next[i * m + o] * next[j * m + o];
        }
    }
    free(a);
    free(v);
    free(next);
    return error;
}

int hf_scf_guess(struct hf_scf *s, double *density)
{
    return occupy(s, s->core, density);
}

/* ---- extrapolation ------------------------------------------------------------------- */

/* How far f and the density are from having common orbitals: f d s - s d f. */
static int find_wrong(const struct hf_scf *s, const double *f, const double *d,
                      double *wrong)
{
    size_t n = s->n;
    double *fd = numbers(n * n), *fds = numbers(n * n), *skew = numbers(n * n);
    int error = fd && fds && skew ? 0 : -1;
    if (!error) {
        times(f, d, fd, n, n, n);
        times(fd, s->overlap, fds, n, n, n);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                skew[i * n + j] = fds[i * n + j] - fds[j * n + i];
        error = within(s->first, skew, wrong, n, s->m);
    }
    free(fd);
    free(fds);
    free(skew);
    return error;
}

/* Solve a x = b by elimination, n unknowns in rows of n + 1 numbers whose last is of b; x comes to the last
 * column.  -1: there is no solution. */
static int eliminate(double *a, size_t n)
{
    for (size_t c = 0; c < n; c++) {
        size_t best = c;
        for (size_t r = c + 1; r < n; r++)
            if (fabs(a[r * (n + 1) + c]) > fabs(a[best * (n + 1) + c]))
                best = r;
        for (size_t k = 0; k <= n; k++) {
            double x = a[c * (n + 1) + k];
            a[c * (n + 1) + k] = a[best * (n + 1) + k];
            a[best * (n + 1) + k] = x;
        }
        double pivot = a[c * (n + 1) + c];
        if (fabs(pivot) < 1e-14)
            return -1;
        for (size_t k = 0; k <= n; k++)
            a[c * (n + 1) + k] /= pivot;
        for (size_t r = 0; r < n; r++) {
            double by = a[r * (n + 1) + c];
            for (size_t k = 0; k <= n && r != c; k++)
                a[r * (n + 1) + k] -= by * a[c * (n + 1) + k];
        }
    }
    return 0;
}

static double inner(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The mixture of the past Fock matrices that should be least wrong. */
static void extrapolate(const struct hf_scf *s, size_t have, double *f)
{
    enum { ROW = HF_PAST + 2 };
    double a[(HF_PAST + 1) * ROW], scale;
    size_t rows = have + 1, n = s->n * s->n, last = (s->steps - 1) % HF_PAST;
    scale = inner(s->wrong[last], s->wrong[last], s->m * s->m);
    for (size_t i = 0; i < have; i++) {
        for (size_t j = 0; j < have; j++)
            a[i * (rows + 1) + j] = inner(s->wrong[i], s->wrong[j], s->m * s->m) / scale;
        a[i * (rows + 1) + have] = a[have * (rows + 1) + i] = 1;
        a[i * (rows + 1) + rows] = 0;
    }
    a[have * (rows + 1) + have] = 0;
    a[have * (rows + 1) + rows] = 1;
    if (!(scale > 0) || eliminate(a, rows)) {
        memcpy(f, s->past[last], n * sizeof *f);
        return;
    }
    memset(f, 0, n * sizeof *f);
    for (size_t i = 0; i < have; i++)
        for (size_t k = 0; k < n; k++)
            f[k] += a[i * (rows + 1) + rows] * s->past[i][k];
}

int hf_scf_step(struct hf_scf *s, double *density, const double *repulsion)
{
    size_t n = s->n * s->n, at = s->steps % HF_PAST;
    double *f = s->past[at], *mixed = numbers(n);
    s->energy = s->error = 0;
    for (size_t k = 0; k < n; k++) {
        f[k] = s->core[k] + repulsion[k];
        s->energy += density[k] * (s->core[k] + f[k]);
    }
    int error = mixed ? find_wrong(s, f, density, s->wrong[at]) : -1;
    if (!error) {
        for (size_t k = 0; k < s->m * s->m; k++)
            s->error = fmax(s->error, fabs(s->wrong[at][k]));
        s->steps++;
        extrapolate(s, s->steps < HF_PAST ? s->steps : HF_PAST, mixed);
        error = occupy(s, mixed, density);
    }
    free(mixed);
    return error;
}
