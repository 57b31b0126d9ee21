/*
 * tiles.h - a matrix in tiles of one size, dealt out over the ranks, and what a rank has read of it.
 *
 * Role: reads a tile once, however many tasks of this rank use it; writes tiles, and adds to them; counts the
 *       bytes that come and go.
 * Owner: any task reads and adds; the body opens, forgets and closes, when no task does anything here.
 * Invariants: I1 tile t lies at rank t % ranks, as its number t / ranks.
 *             I2 a tile is asked for once until it is forgotten: who comes later waits.
 * Order: [pair: tile-here] the numbers of a tile before whoever finds that it is here.
 * See: examples/hf.c, examples/tce.c.
 */
#ifndef JDI_EXAMPLES_TILES_H
#define JDI_EXAMPLES_TILES_H

#include "jackdaw.h"

#include <stdatomic.h>

struct tiles {
    jd_mem mem;
    size_t n, each;                 /* tiles, doubles in each */
    double *own;                    /* this rank's tiles */
    double **copies;                /* by tile: NULL, or memory for it */
    _Atomic unsigned char *here;    /* of each copy: enum in tiles.c; [pair: tile-here] */
    _Atomic unsigned char *touched; /* of each tile of another rank, for `distinct` */
    _Atomic uint64_t moved,
        distinct; /* bytes: from and to other ranks, and those of different tiles */
};

/* Zeroed tiles.  Body; collective.  0 or JD_E*. */
int tiles_open(jd_self *me, struct tiles *t, size_t n, size_t each);
void tiles_close(jd_self *me, struct tiles *t);
/* The tiles may have changed, so that they are read again, and counted as different ones.  Body. */
void tiles_forget(struct tiles *t);

/* The home of a tile. */
uint32_t tiles_home(const jd_self *me, size_t tile);
/* The tile at its home; NULL elsewhere. */
double *tiles_own(const jd_self *me, const struct tiles *t, size_t tile);
/* The tile, until it is forgotten.  Suspends the caller if it is not here yet.  Any task. */
const double *tiles_read(jd_self *me, struct tiles *t, size_t tile);
/* Write a tile, or add to it; complete when `done` says so. */
void tiles_write(jd_self *me, struct tiles *t, size_t tile, const double *from,
                 jd_done *done);
void tiles_add(jd_self *me, struct tiles *t, size_t tile, const double *more,
               jd_done *done);

#endif
