/*
 * tce_tensor.h - tensors of four indices in tiles, of which many are zero.
 *
 * Role: which tiles there are; their elements by a formula; walks over them; two checks of a contraction.
 * Owner: constant after tce_tensor_open, but for the tiles: see tiles.h.
 * Invariants: I1 an element is a whole number from -8 to 8, so sums of products are exact.
 * See: examples/tce.c.
 */
#ifndef JDI_EXAMPLES_TCE_TENSOR_H
#define JDI_EXAMPLES_TCE_TENSOR_H

#include "examples/tiles.h"
#include "jackdaw.h"

#include <stdlib.h>

enum { TCE_BLOCKS = 4, TCE_MOST_TILES = 64, TCE_ZERO = -1, TCE_DENSE_MOST = 40 };

/* What an index runs over: blocks, which are cut into tiles. */
struct axis {
    size_t n, tiles, widest;
    size_t first[TCE_MOST_TILES], width[TCE_MOST_TILES], block[TCE_MOST_TILES];
};

/* A tensor of four indices: which tiles are not zero, and where they are. */
struct tensor {
    const struct axis *axis[4];
    uint64_t salt;   /* of its elements */
    int32_t *number; /* of each tile, by its four places; TCE_ZERO: it is zero */
    struct tiles tiles;
};

static inline void tce_must(jd_self *me, int error, const char *what)
{
    if (error < 0)
        jd_abort(me, 1, "tce: %s: %s", what, jd_strerror(error));
}

/* Zeroed; ends the job if there is no memory. */
static inline void *tce_space(jd_self *me, size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    if (!p)
        jd_abort(me, 1, "tce: out of memory");
    return p;
}

/* Divide blocks, each 1/factor of its size, into tiles.  0, or -1: there are too many tiles. */
int tce_tensor_cut(struct axis *x, const size_t blocks[TCE_BLOCKS], size_t factor,
                   size_t tile);
/* Number the tiles that are not zero, and fill those of this rank; salt 0: its elements begin at 0.  Body;
 * collective, as the following. */
void tce_tensor_open(jd_self *me, struct tensor *t, const struct axis *rows,
                     const struct axis *columns, uint64_t salt);
void tce_tensor_close(jd_self *me, struct tensor *t);

/* Of tiles by four places: how many, zero ones too; the number of one, or TCE_ZERO; the four places of the one that
 * comes as number `at`. */
size_t tce_tensor_all(const struct tensor *t);
int32_t tce_tensor_number(const struct tensor *t, const size_t p[4]);
void tce_tensor_divide(const struct tensor *t, size_t at, size_t p[4]);
double tce_tensor_element(uint64_t salt, const size_t x[4]);
/* Call fn(ctx, place in the tile, its four indices in the tensor) for each element of a tile. */
void tce_tensor_each(const struct tensor *t, const size_t p[4], void *ctx,
                     void (*fn)(void *ctx, size_t at, const size_t index[4]));

/* Is c `times` times the product of a and b?  0 or 1; rank 0 prints.  Once by a vector at each side, once element by
 * element, at rank 0, for sides of up to TCE_DENSE_MOST. */
int tce_check_vector(jd_self *me, const struct tensor t[3], int64_t times);
int tce_check_dense(jd_self *me, struct tensor t[3], int64_t times);

#endif
