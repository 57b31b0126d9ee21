/*
 * tiles.h - a matrix in tiles of one size, dealt out over the ranks, in registered memory.
 *
 * Role: borrows tiles, of which the library keeps those that this rank has got; writes tiles, and adds to them; counts the
 *       bytes that go, and those of the different tiles that this rank uses.
 * Owner: any task borrows and adds; the body opens, counts anew and closes, when no task does anything here.
 * Invariants: I1 tile t lies at rank t % ranks, as its number t / ranks.
 * See: examples/hf.c, examples/tce.c; jd_borrow in jackdaw.h.
 */
#ifndef JDI_EXAMPLES_TILES_H
#define JDI_EXAMPLES_TILES_H

#include "jackdaw.h"

#include <stdatomic.h>

struct tiles {
    jd_mem mem;
    size_t n, each;                  /* tiles, doubles in each */
    double *own;                     /* this rank's tiles */
    _Atomic unsigned char *touched;  /* of each tile of another rank, for `distinct` */
    _Atomic uint64_t sent, distinct; /* bytes: to other ranks, and of different tiles */
};

/* Zeroed tiles.  Body; collective.  0 or JD_E*. */
int tiles_open(jd_self *me, struct tiles *t, size_t n, size_t each);
void tiles_close(jd_self *me, struct tiles *t);
/* The tiles are others from now on: they count as different from those before.  Body. */
void tiles_are_new(struct tiles *t);

/* The home of a tile. */
uint32_t tiles_home(const jd_self *me, size_t tile);
/* The tile at its home; NULL elsewhere. */
double *tiles_own(const jd_self *me, const struct tiles *t, size_t tile);
/* The tile, until jd_give_back(me, loan).  Suspends the caller if it is not here yet.  Any task. */
const double *tiles_borrow(jd_self *me, struct tiles *t, size_t tile, jd_loan *loan);
/* Write a tile, or add to it; complete when `done` says so. */
void tiles_write(jd_self *me, struct tiles *t, size_t tile, const double *from,
                 jd_done *done);
void tiles_add(jd_self *me, struct tiles *t, size_t tile, const double *more,
               jd_done *done);
/* What all ranks have moved up to now: what they have sent to these n matrices, and what all cached reads of the job have got; and the bytes
 * of the different tiles among that.  Body; collective. */
struct tiles_bytes {
    uint64_t moved, distinct;
} tiles_bytes(jd_self *me, const struct tiles *const t[], size_t n);

#endif
