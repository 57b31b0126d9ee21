/*
 * hf_serial.c - the energy of beryllium atoms by Hartree-Fock, as plainly as that can be.
 *
 * Role: the check of examples/hf.c: one process, direct loops over all functions, no symmetry, no screening, no
 *       library.  The Boys function is a series, the eigenvalue problem is reduced by Cholesky's method, and
 *       the iteration is damped.
 * Owner: one thread.
 * Invariants: I1 beside the exponents and the places nothing is shared with examples/hf.c.
 * See: examples/README.md; Szabo, Ostlund, "Modern Quantum Chemistry", chapter 3 and appendix A.
 *
 *     hf_serial [ATOMS [DISTANCE [ANGLE]]]
 */
#include "examples/hf_basis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 500, SWEEPS = 60, TERMS = 400 };

static const double pi = 3.14159265358979323846;

struct system {
    size_t atoms, n;
    double (*place)[3], *overlap, *core;
    double *electron; /* (ij|kl) */
};

static double *numbers(size_t n)
{
    double *p = calloc(n, sizeof *p);
    if (!p) {
        fprintf(stderr, "hf_serial: out of memory\n");
        exit(1);
    }
    return p;
}

/* ---- integrals ----------------------------------------------------------------------- */

/* The integral of exp(-t u^2) for u from 0 to 1. */
static double boys(double t)
{
    double term = 1, sum = 1;
    if (t > 40)
        return sqrt(pi / t) / 2;
    for (int i = 1; i < TERMS && term > 1e-17 * sum; i++)
        sum += term *= 2 * t / (2 * i + 1);
    return exp(-t) * sum;
}

static double square(const double a[3], const double b[3])
{
    double sum = 0;
    for (int x = 0; x < 3; x++)
        sum += (a[x] - b[x]) * (a[x] - b[x]);
    return sum;
}

/* The product of functions i and j is a Gaussian: its exponent, its place, its height. */
struct product {
    double p, at[3], height;
};

static struct product product_of(const struct system *s, size_t i, size_t j)
{
    const double *a = s->place[i / HF_EACH], *b = s->place[j / HF_EACH];
    double za = hf_exponents[i % HF_EACH], zb = hf_exponents[j % HF_EACH];
    struct product r = {.p = za + zb};
    for (int x = 0; x < 3; x++)
        r.at[x] = (za * a[x] + zb * b[x]) / r.p;
    r.height = pow(4 * za * zb / (pi * pi), 0.75) * exp(-za * zb / r.p * square(a, b));
    return r;
}

static double core_of(const struct system *s, size_t i, size_t j, double overlap)
{
    struct product r = product_of(s, i, j);
    double mu = hf_exponents[i % HF_EACH] * hf_exponents[j % HF_EACH] / r.p;
    double apart = square(s->place[i / HF_EACH], s->place[j / HF_EACH]);
    double sum = mu * (3 - 2 * mu * apart) * overlap;
    for (size_t c = 0; c < s->atoms; c++)
        sum -=
            HF_CHARGE * 2 * pi / r.p * r.height * boys(r.p * square(r.at, s->place[c]));
    return sum;
}

static void integrate(struct system *s)
{
    size_t n = s->n;
    struct product *pair = malloc(n * n * sizeof *pair);
    if (!pair)
        exit(1);
    for (size_t ij = 0; ij < n * n; ij++) {
        pair[ij] = product_of(s, ij / n, ij % n);
        s->overlap[ij] = pair[ij].height * pow(pi / pair[ij].p, 1.5);
        s->core[ij] = core_of(s, ij / n, ij % n, s->overlap[ij]);
    }
    for (size_t ij = 0; ij < n * n; ij++)
        for (size_t kl = 0; kl < n * n; kl++) {
            const struct product *a = &pair[ij], *b = &pair[kl];
            double all = a->p + b->p, rho = a->p * b->p / all;
            s->electron[ij * n * n + kl] = 2 * pow(pi, 2.5) / (a->p * b->p * sqrt(all)) *
                                           a->height * b->height *
                                           boys(rho * square(a->at, b->at));
        }
    free(pair);
}

/* ---- eigenvalues --------------------------------------------------------------------- */

/* a = l l^T; the triangle below the diagonal of a becomes l. */
static void factor(double *a, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        for (size_t k = 0; k < j; k++)
            for (size_t i = j; i < n; i++)
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
        double root = sqrt(a[j * n + j]);
        for (size_t i = j; i < n; i++)
            a[i * n + j] /= root;
    }
}

/* Each column of f becomes l^-1 times it. */
static void solve_columns(const double *l, double *f, size_t n)
{
    for (size_t c = 0; c < n; c++)
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < i; k++)
                f[i * n + c] -= l[i * n + k] * f[k * n + c];
            f[i * n + c] /= l[i * n + i];
        }
}

static void transpose(double *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double x = a[i * n + j];
            a[i * n + j] = a[j * n + i];
            a[j * n + i] = x;
        }
}

/* Turn a and the rows of v so that a[p][q] becomes 0. */
static void turn(double *a, double *v, size_t n, size_t p, size_t q)
{
    double angle = atan2(2 * a[p * n + q], a[p * n + p] - a[q * n + q]) / 2;
    double c = cos(angle), s = sin(angle);
    for (size_t k = 0; k < n; k++) {
        double x = a[k * n + p], y = a[k * n + q];
        a[k * n + p] = c * x + s * y;
        a[k * n + q] = c * y - s * x;
    }
    for (size_t k = 0; k < n; k++) {
        double x = a[p * n + k], y = a[q * n + k], vx = v[p * n + k], vy = v[q * n + k];
        a[p * n + k] = c * x + s * y;
        a[q * n + k] = c * y - s * x;
        v[p * n + k] = c * vx + s * vy;
        v[q * n + k] = c * vy - s * vx;
    }
}

static void diagonalise(double *a, double *v, size_t n)
{
    double off = 1;
    for (size_t i = 0; i < n * n; i++)
        v[i] = i % n == i / n;
    for (int sweep = 0; sweep < SWEEPS && off > 1e-24; sweep++) {
        off = 0;
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                off += a[p * n + q] * a[p * n + q];
                turn(a, v, n, p, q);
            }
    }
}

/* ---- iteration ----------------------------------------------------------------------- */

/* The density of the lowest orbitals of f, for which l l^T is the overlap. */
static void occupy(const double *l, const double *f, double *density, size_t n,
                   size_t pairs)
{
    double *a = numbers(n * n), *v = numbers(n * n);
    memcpy(a, f, n * n * sizeof *a);
    solve_columns(l, a, n);
    transpose(a, n);
    solve_columns(l, a, n);
    diagonalise(a, v, n);
    memset(density, 0, n * n * sizeof *density);
    for (size_t o = 0; o < pairs; o++) {
        size_t least = 0;
        for (size_t i = 1; i < n; i++)
            if (a[i * n + i] < a[least * n + least])
                least = i;
        a[least * n + least] = INFINITY;
        double *c = &v[least * n];
        for (size_t i = n; i-- > 0;) { /* l^T c = v */
            for (size_t k = i + 1; k < n; k++)
                c[i] -= l[k * n + i] * c[k];
            c[i] /= l[i * n + i];
        }
        for (size_t i = 0; i < n * n; i++)
            density[i] += 2 * c[i / n] * c[i % n];
    }
    free(a);
    free(v);
}

static void add_electrons(const struct system *s, const double *density, double *f)
{
    size_t n = s->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = s->core[i * n + j];
            for (size_t k = 0; k < n; k++)
                for (size_t l = 0; l < n; l++)
                    sum += density[k * n + l] *
                           (s->electron[((i * n + j) * n + k) * n + l] -
                            s->electron[((i * n + k) * n + j) * n + l] / 2);
            f[i * n + j] = sum;
        }
}

static double energy_of(const struct system *s, const double *density, const double *f)
{
    double sum = 0;
    for (size_t i = 0; i < s->n * s->n; i++)
        sum += density[i] * (s->core[i] + f[i]) / 2;
    for (size_t a = 0; a < s->atoms; a++)
        for (size_t b = 0; b < a; b++)
            sum += HF_CHARGE * HF_CHARGE / sqrt(square(s->place[a], s->place[b]));
    return sum;
}

/* Half of the old density stays: slow, and it does not swing. */
static int iterate(const struct system *s)
{
    size_t n = s->n, pairs = s->atoms * HF_CHARGE / 2;
    double *l = numbers(n * n), *f = numbers(n * n), *old = numbers(n * n),
           *fresh = numbers(n * n), last = 0, energy = 0, change = 1;
    int i;
    memcpy(l, s->overlap, n * n * sizeof *l);
    factor(l, n);
    occupy(l, s->core, old, n, pairs);
    for (i = 0; i < TURNS && change > 1e-9; i++) {
        add_electrons(s, old, f);
        last = energy;
        energy = energy_of(s, old, f);
        occupy(l, f, fresh, n, pairs);
        change = fabs(energy - last);
        for (size_t k = 0; k < n * n; k++) {
            change = fmax(change, fabs(fresh[k] - old[k]));
            old[k] = (old[k] + fresh[k]) / 2;
        }
    }
    printf("total energy %.10f after %d iterations%s\n", energy, i,
           change > 1e-9 ? ": NOT CONVERGED" : "");
    free(l);
    free(f);
    free(old);
    free(fresh);
    return change > 1e-9;
}

int main(int argc, char **argv)
{
    struct system s = {.atoms = argc > 1 ? strtoul(argv[1], NULL, 10) : 1};
    double distance = argc > 2 ? strtod(argv[2], NULL) : 4.3;
    double angle = argc > 3 ? strtod(argv[3], NULL) : 0;
    if (s.atoms < 1 || s.atoms > 6 || distance <= 0) {
        fprintf(stderr, "usage: hf_serial [ATOMS (1 to 6) [DISTANCE [ANGLE]]]\n");
        return 2;
    }
    s.n = s.atoms * HF_EACH;
    s.place = malloc(s.atoms * sizeof *s.place);
    if (!s.place)
        return 1;
    for (size_t i = 0; i < s.atoms; i++)
        hf_place(i, distance, angle, s.place[i]);
    s.overlap = numbers(s.n * s.n);
    s.core = numbers(s.n * s.n);
    s.electron = numbers(s.n * s.n * s.n * s.n);
    integrate(&s);
    int status = iterate(&s);
    free(s.place);
    free(s.overlap);
    free(s.core);
    free(s.electron);
    return status;
}
