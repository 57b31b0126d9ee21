/*
 * tce_tensor.c - tensors of four indices in tiles, of which many are zero.
 *
 * Role: see tce_tensor.h; the checks are in tce_check.c.
 * Owner: constant after tce_tensor_open, but for the tiles.
 * Invariants: I1 of tce_tensor.h.
 * See: tce_tensor.h.
 */
#include "examples/tce_tensor.h"

int tce_tensor_cut(struct axis *x, const size_t blocks[TCE_BLOCKS], size_t factor,
                   size_t tile)
{
    *x = (struct axis){0};
    for (size_t b = 0; b < TCE_BLOCKS; b++) {
        size_t left = (blocks[b] + factor - 1) / factor;
        for (size_t n; left; left -= n, x->n += n, x->tiles++) {
            n = left < tile ? left : tile;
            if (x->tiles == TCE_MOST_TILES)
                return -1;
            x->first[x->tiles] = x->n;
            x->width[x->tiles] = n;
            x->block[x->tiles] = b;
            x->widest = n > x->widest ? n : x->widest;
        }
    }
    return 0;
}

/* Blocks of four indices go together if the exclusive or of their numbers is 0, as irreducible representations do
 * whose product contains the trivial one.  Of the paper's tiles of C that leaves 470,357. */
static int is_zero(const struct tensor *t, const size_t p[4])
{
    return t->axis[0]->block[p[0]] ^ t->axis[1]->block[p[1]] ^ t->axis[2]->block[p[2]] ^
           t->axis[3]->block[p[3]];
}

size_t tce_tensor_all(const struct tensor *t)
{
    return t->axis[0]->tiles * t->axis[1]->tiles * t->axis[2]->tiles * t->axis[3]->tiles;
}

static size_t join(const struct tensor *t, const size_t p[4])
{
    return ((p[0] * t->axis[1]->tiles + p[1]) * t->axis[2]->tiles + p[2]) *
               t->axis[3]->tiles +
           p[3];
}

int32_t tce_tensor_number(const struct tensor *t, const size_t p[4])
{
    return t->number[join(t, p)];
}

void tce_tensor_divide(const struct tensor *t, size_t at, size_t p[4])
{
    for (int x = 4; x-- > 0; at /= t->axis[x]->tiles)
        p[x] = at % t->axis[x]->tiles;
}

double tce_tensor_element(uint64_t salt, const size_t x[4])
{
    uint64_t mix = salt;
    for (int d = 0; d < 4; d++) {
        mix = (mix ^ mix >> 31 ^ x[d]) * UINT64_C(0x9E3779B97F4A7C15);
        mix = (mix ^ mix >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    }
    return (double)((mix >> 40) % 17) - 8;
}

void tce_tensor_each(const struct tensor *t, const size_t p[4], void *ctx,
                     void (*fn)(void *ctx, size_t at, const size_t index[4]))
{
    size_t at = 0, x[4], end[4], first[4];
    for (int d = 0; d < 4; d++) {
        first[d] = t->axis[d]->first[p[d]];
        end[d] = first[d] + t->axis[d]->width[p[d]];
    }
    for (x[0] = first[0]; x[0] < end[0]; x[0]++)
        for (x[1] = first[1]; x[1] < end[1]; x[1]++)
            for (x[2] = first[2]; x[2] < end[2]; x[2]++)
                for (x[3] = first[3]; x[3] < end[3]; x[3]++)
                    fn(ctx, at++, x);
}

struct filling {
    uint64_t salt;
    double *tile;
};

static void fill_one(void *ctx, size_t at, const size_t x[4])
{
    const struct filling *f = ctx;
    f->tile[at] = tce_tensor_element(f->salt, x);
}

void tce_tensor_open(jd_self *me, struct tensor *t, const struct axis *rows,
                     const struct axis *columns, uint64_t salt)
{
    size_t n = 0, p[4], area = rows->widest * columns->widest;
    *t = (struct tensor){.axis = {rows, rows, columns, columns}, .salt = salt};
    t->number = tce_space(me, tce_tensor_all(t), sizeof *t->number);
    for (size_t at = 0; at < tce_tensor_all(t); at++) {
        tce_tensor_divide(t, at, p);
        t->number[at] = is_zero(t, p) ? TCE_ZERO : (int32_t)n++;
    }
    tce_must(me, tiles_open(me, &t->tiles, n, area * area), "jd_mem_create");
    for (size_t at = 0; salt && at < tce_tensor_all(t); at++) {
        if (t->number[at] == TCE_ZERO)
            continue;
        struct filling f = {salt, tiles_own(me, &t->tiles, (size_t)t->number[at])};
        tce_tensor_divide(t, at, p);
        if (f.tile)
            tce_tensor_each(t, p, &f, fill_one);
    }
}

void tce_tensor_close(jd_self *me, struct tensor *t)
{
    tiles_close(me, &t->tiles);
    free(t->number);
}
