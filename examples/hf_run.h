/*
 * hf_run.h - what the parts of the example hf share.
 *
 * Role: the state of a rank; pairs of tiles; the tasks; what rank 0 has beside the others.
 * Owner: see hf.c.
 * Invariants: I1 a matrix has only the tiles (I, J) with I >= J, at I * (I + 1) / 2 + J.
 * See: examples/hf.c, examples/hf_tasks.c, examples/hf_density.c.
 */
#ifndef JDI_EXAMPLES_HF_RUN_H
#define JDI_EXAMPLES_HF_RUN_H

#include "examples/hf_integrals.h"
#include "examples/hf_scf.h"
#include "examples/tiles.h"
#include "jackdaw.h"

#include <stdlib.h>

struct hf_options {
    int64_t atoms, distance, angle, tile, digits, iterations, charge, steals;
    int restore;
    const char *times; /* the name of a file, or NULL */
};

struct hf_run {
    struct hf_options o;
    struct hf_matter matter;
    size_t pairs; /* of tiles */
    double least;
    struct tiles schwarz, density,
        fock; /* a tile of bounds has a number more, the largest of it */
    jd_mem
        sums; /* of the Fock matrix, all tiles, what the tasks of this rank have added */
    _Atomic unsigned char *added; /* to which of them */
    _Atomic uint64_t null, integrals;
};

/* The argument of a task: two pairs of tiles. */
struct hf_job {
    uint32_t bra, ket;
};

/* What rank 0 has beside the others. */
struct hf_chief {
    struct hf_scf scf;
    double *overlap, *core, *density, *fock;
};

static inline void hf_must(jd_self *me, int error, const char *what)
{
    if (error < 0)
        jd_abort(me, 1, "hf: %s: %s", what, jd_strerror(error));
}

/* Zeroed; ends the job if there is no memory. */
static inline void *hf_space(jd_self *me, size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    if (!p)
        jd_abort(me, 1, "hf: out of memory");
    return p;
}

/* The pair of tiles at that place. */
void hf_pair_of_tiles(size_t pair, size_t *i, size_t *j);
/* The bounds of a pair of tiles. */
void hf_make_bounds(const struct hf_run *r, size_t pair, double *bounds);
/* The task; its collection has the struct hf_run as what is local. */
void hf_quartet(jd_self *me, void *arg);

/* Begin with the densities of atoms that do not see each other.  Rank 0, as the following. */
void hf_density_open(jd_self *me, struct hf_run *r, struct hf_chief *c);
void hf_density_close(struct hf_chief *c);
/* From the Fock matrix in the tiles to the next density there. */
void hf_density_step(jd_self *me, struct hf_run *r, struct hf_chief *c);

#endif
