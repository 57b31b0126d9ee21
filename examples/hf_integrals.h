/*
 * hf_integrals.h - integrals over s-type Gaussians, and what a pair of tiles of the Fock matrix gets of them.
 *
 * Role: pure functions: places and pairs of functions in, numbers out.
 * Owner: whoever calls; any thread.
 * Invariants: I1 the product of two functions is a Gaussian at one place, which is all that a pair is.
 * See: examples/hf.c; Szabo, Ostlund, "Modern Quantum Chemistry", appendix A.
 */
#ifndef JDI_EXAMPLES_HF_INTEGRALS_H
#define JDI_EXAMPLES_HF_INTEGRALS_H

#include <stddef.h>
#include <stdint.h>

struct hf_matter {
    size_t atoms, n; /* n functions */
    double (*place)[3];
};

/* Two functions. */
struct hf_pair {
    double p, at[3], weight; /* exponent, place, what all integrals have of it */
    double bound;            /* the square root of the integral of the pair with itself */
    uint16_t row, column;    /* in their tile */
    uint16_t weight_of_two;  /* 1 if both are the same function, else 2 */
};

struct hf_pair hf_pair_of(const struct hf_matter *m, size_t i, size_t j);
/* The repulsion of two pairs, (ij|kl). */
double hf_repulsion(const struct hf_pair *a, const struct hf_pair *b);
/* Overlap, and kinetic energy with the attraction of all nuclei: n x n each. */
void hf_one_electron(const struct hf_matter *m, double *overlap, double *core);
/* The repulsion of the nuclei. */
double hf_nuclei(const struct hf_matter *m);

/* A matrix, or a tile of one, that may be seen transposed. */
struct hf_block {
    double *at;
    size_t row, column; /* how far apart rows are, and columns */
};
enum { HF_KL, HF_IJ, HF_JL, HF_IK, HF_JK, HF_IL, HF_BLOCKS };

/* The pairs of two tiles, those with large bounds first, and the blocks: fock[HF_IJ] gets integrals times
 * density[HF_KL], fock[HF_IK] those times density[HF_JL], and so on. */
struct hf_quartet {
    const struct hf_pair *bra, *ket;
    size_t nbra, nket;
    int same;     /* bra and ket are one pair of tiles */
    double least; /* smaller integrals are left out */
    struct hf_block density[HF_BLOCKS], fock[HF_BLOCKS];
};

/* Add what these pairs bring; returns the number of integrals.  Each set {ij, kl} is computed once, and stands for
 * all that are equal to it: so what comes out is to be added to its transpose and halved. */
uint64_t hf_add_quartet(const struct hf_quartet *q);

#endif
