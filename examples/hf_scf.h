/*
 * hf_scf.h - the part of Hartree-Fock that is linear algebra: from a Fock matrix to the next density.
 *
 * Role: orthogonalises once; then extrapolates (Pulay's DIIS), diagonalises (Jacobi) and occupies.
 * Owner: one thread.
 * Invariants: I1 the columns of `orbital` are orthonormal under the overlap.
 * See: examples/hf.c; Pulay, "Convergence acceleration of iterative sequences", 1980.
 */
#ifndef JDI_EXAMPLES_HF_SCF_H
#define JDI_EXAMPLES_HF_SCF_H

#include <stddef.h>

enum { HF_PAST = 8 }; /* Fock matrices that are remembered */

struct hf_scf {
    size_t n, m, pairs;     /* functions, orbitals, pairs of electrons */
    double *overlap, *core; /* n x n; the caller's */
    double *first,
        *orbital; /* n x m: of the overlap alone, and of the last Fock matrix */
    double *past[HF_PAST], *wrong[HF_PAST]; /* Fock matrices, and how far off each was */
    size_t steps;
    double energy, error; /* of the last density that was given, without the nuclei */
};

/* 0, or -1: out of memory; then it is to be closed too. */
int hf_scf_open(struct hf_scf *s, size_t n, size_t pairs, double *overlap, double *core);
void hf_scf_close(struct hf_scf *s);
/* `density`, n x n, is that of one electron of each pair; `repulsion` what it does, n x n.  It becomes the next
 * density.  0 or -1, as above. */
int hf_scf_step(struct hf_scf *s, double *density, const double *repulsion);
/* The density of the core alone. */
int hf_scf_guess(struct hf_scf *s, double *density);

#endif
