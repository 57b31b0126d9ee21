/*
 * hf_density.c - the densities of the example hf: the first one, and from a Fock matrix to the next.
 *
 * Role: brings matrices from tiles and to tiles.
 * Owner: rank 0.
 * Invariants: I1 of hf_run.h.
 * See: examples/hf_run.h, examples/hf_scf.h.
 */
#include "examples/hf_basis.h"
#include "examples/hf_run.h"

#include <stdio.h>
#include <string.h>

/* ---- the density ---------------------------------------------------------------------- */

/* One atom alone, in plain loops: where all of them begin. */
static void find_atom(jd_self *me, const struct hf_run *r, double *density)
{
    enum { N = HF_EACH };
    double overlap[N * N], core[N * N], place[1][3], f[N * N];
    struct hf_pair pair[N * N];
    struct hf_matter one = {1, N, place};
    struct hf_scf s;
    memcpy(place, r->matter.place, sizeof place);
    hf_one_electron(&one, overlap, core);
    for (size_t i = 0; i < N * N; i++)
        pair[i] = hf_pair_of(&one, i / N, i % N);
    hf_must(me, hf_scf_open(&s, N, HF_CHARGE / 2, overlap, core), "an atom");
    hf_must(me, hf_scf_guess(&s, density), "an atom");
    do {
        for (size_t ij = 0; ij < N * N; ij++) {
            f[ij] = 0;
            for (size_t kl = 0; kl < N * N; kl++)
                f[ij] += density[kl] * (2 * hf_repulsion(&pair[ij], &pair[kl]) -
                                        hf_repulsion(&pair[ij / N * N + kl / N],
                                                     &pair[ij % N * N + kl % N]));
        }
        hf_must(me, hf_scf_step(&s, density, f), "an atom");
    } while (s.error > 1e-6 && s.steps < 50);
    hf_scf_close(&s);
}

/* The density, n x n, goes to the tiles. */
static void write_density(jd_self *me, struct hf_run *r, const double *density)
{
    size_t t = (size_t)r->o.tile, n = r->matter.n, i, j;
    double *tile = hf_space(me, t * t, sizeof *tile);
    jd_done done = JD_DONE_INIT;
    for (size_t pair = 0; pair < r->pairs; pair++) {
        hf_pair_of_tiles(pair, &i, &j);
        for (size_t at = 0; at < t * t; at++) {
            size_t row = i * t + at / t, column = j * t + at % t;
            tile[at] = row < n && column < n ? density[row * n + column] : 0;
        }
        tiles_write(me, &r->density, pair, tile, &done);
    }
    hf_must(me, jd_done_wait(me, &done), "jd_put_nb");
    free(tile);
}

/* What the electrons do to one of them, of the tiles: see hf_add_quartet. */
static void read_fock(jd_self *me, struct hf_run *r, double *f)
{
    size_t t = (size_t)r->o.tile, n = r->matter.n, i, j;
    memset(f, 0, n * n * sizeof *f);
    for (size_t pair = 0; pair < r->pairs; pair++) {
        jd_loan loan;
        const double *tile = tiles_borrow(me, &r->fock, pair, &loan);
        hf_pair_of_tiles(pair, &i, &j);
        for (size_t at = 0; at < t * t; at++) {
            size_t row = i * t + at / t, column = j * t + at % t;
            if (row >= n || column >= n)
                continue;
            f[row * n + column] += tile[at] / 2;
            f[column * n + row] += tile[at] / 2;
        }
        jd_give_back(me, &loan);
    }
}

void hf_density_open(jd_self *me, struct hf_run *r, struct hf_chief *c)
{
    size_t n = r->matter.n;
    double atom[HF_EACH * HF_EACH];
    c->overlap = hf_space(me, n * n, sizeof(double));
    c->core = hf_space(me, n * n, sizeof(double));
    c->density = hf_space(me, n * n, sizeof(double));
    c->fock = hf_space(me, n * n, sizeof(double));
    hf_one_electron(&r->matter, c->overlap, c->core);
    size_t pairs = r->matter.atoms * HF_CHARGE / 2;
    if (hf_scf_open(&c->scf, n, pairs, c->overlap, c->core))
        jd_abort(me, 1, "hf: out of memory");
    find_atom(me, r, atom);
    for (size_t a = 0; a < r->matter.atoms; a++)
        for (size_t k = 0; k < HF_EACH * HF_EACH; k++)
            c->density[(a * HF_EACH + k / HF_EACH) * n + a * HF_EACH + k % HF_EACH] =
                atom[k];
    if (c->scf.m < n)
        printf("%zu of %zu functions depend on the others\n", n - c->scf.m, n);
    write_density(me, r, c->density);
}

void hf_density_close(struct hf_chief *c)
{
    hf_scf_close(&c->scf);
    free(c->overlap);
    free(c->core);
    free(c->density);
    free(c->fock);
}

void hf_density_step(jd_self *me, struct hf_run *r, struct hf_chief *c)
{
    tiles_are_new(&r->fock); /* what it is now is not what this rank has added to it */
    read_fock(me, r, c->fock);
    if (hf_scf_step(&c->scf, c->density, c->fock))
        jd_abort(me, 1, "hf: out of memory");
    tiles_are_new(&r->density); /* it is another one from now on */
    write_density(me, r, c->density);
}
