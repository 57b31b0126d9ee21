/*
 * tiles.c - a matrix in tiles of one size, dealt out over the ranks, and what a rank has read of it.
 *
 * Role: see tiles.h.
 * Owner: of a copy: the task that has asked for it, until it is here; then nobody, for it does not change.
 * Invariants: I1 and I2 of tiles.h.
 * Order: [pair: tile-here].
 * See: tiles.h.
 */
#include "examples/tiles.h"

#include <stdlib.h>
#include <string.h>

enum { ABSENT, ASKED_FOR, HERE };

static void must(jd_self *me, int error)
{
    if (error)
        jd_abort(me, 1, "tiles: %s", jd_strerror(error));
}

int tiles_open(jd_self *me, struct tiles *t, size_t n, size_t each)
{
    uint32_t nranks = jd_nranks(me);
    size_t own = (n + nranks - 1 - jd_rank(me)) / nranks;
    *t = (struct tiles){.n = n, .each = each};
    t->copies = calloc(n, sizeof *t->copies);
    t->here = calloc(n, sizeof *t->here);
    t->touched = calloc(n, sizeof *t->touched);
    if (!t->copies || !t->here || !t->touched)
        jd_abort(me, 1, "tiles: out of memory");
    int error = jd_mem_create(me, NULL, own * each * sizeof(double), &t->mem);
    t->own = error ? NULL : jd_mem_local(me, t->mem, NULL);
    return error;
}

void tiles_close(jd_self *me, struct tiles *t)
{
    must(me, jd_mem_destroy(me, t->mem));
    for (size_t tile = 0; tile < t->n; tile++)
        free(t->copies[tile]);
    free(t->copies);
    free(t->here);
    free(t->touched);
}

void tiles_forget(struct tiles *t)
{
    memset((void *)t->here, ABSENT, t->n);
    memset((void *)t->touched, 0, t->n);
}

uint32_t tiles_home(const jd_self *me, size_t tile)
{
    return (uint32_t)(tile % jd_nranks(me));
}

double *tiles_own(const jd_self *me, const struct tiles *t, size_t tile)
{
    return tiles_home(me, tile) == jd_rank(me) ? t->own + tile / jd_nranks(me) * t->each
                                               : NULL;
}

static size_t bytes_of(const struct tiles *t)
{
    return t->each * sizeof(double);
}

static uint64_t offset_of(const jd_self *me, const struct tiles *t, size_t tile)
{
    return tile / jd_nranks(me) * bytes_of(t);
}

/* A tile of another rank is used. */
static void touch(struct tiles *t, size_t tile)
{
    if (!atomic_load_explicit(&t->touched[tile], memory_order_relaxed) &&
        !atomic_exchange_explicit(&t->touched[tile], 1, memory_order_relaxed))
        atomic_fetch_add_explicit(&t->distinct, bytes_of(t), memory_order_relaxed);
}

static void count_move(jd_self *me, struct tiles *t, size_t tile)
{
    if (tiles_home(me, tile) == jd_rank(me))
        return;
    touch(t, tile);
    atomic_fetch_add_explicit(&t->moved, bytes_of(t), memory_order_relaxed);
}

static void fetch(jd_self *me, struct tiles *t, size_t tile)
{
    if (!t->copies[tile])
        t->copies[tile] = malloc(bytes_of(t));
    must(me, t->copies[tile] ? 0 : JD_ENOMEM);
    must(me, jd_get(me, t->mem, tiles_home(me, tile), offset_of(me, t, tile),
                    t->copies[tile], bytes_of(t)));
    count_move(me, t, tile);
    /* [pair: tile-here] release: the numbers of the tile. */
    atomic_store_explicit(&t->here[tile], HERE, memory_order_release);
}

const double *tiles_read(jd_self *me, struct tiles *t, size_t tile)
{
    unsigned char absent = ABSENT;
    const double *own = tiles_own(me, t, tile);
    if (own)
        return own;
    touch(t, tile);
    /* [pair: tile-here] acquire: the numbers of the tile. */
    if (atomic_load_explicit(&t->here[tile], memory_order_acquire) == HERE)
        return t->copies[tile];
    if (atomic_compare_exchange_strong_explicit(&t->here[tile], &absent, ASKED_FOR,
                                                memory_order_relaxed,
                                                memory_order_relaxed))
        fetch(me, t, tile);
    /* [pair: tile-here] acquire: as above. */
    while (atomic_load_explicit(&t->here[tile], memory_order_acquire) != HERE)
        jd_yield(me);
    return t->copies[tile];
}

void tiles_write(jd_self *me, struct tiles *t, size_t tile, const double *from,
                 jd_done *done)
{
    count_move(me, t, tile);
    must(me, jd_put_nb(me, t->mem, tiles_home(me, tile), offset_of(me, t, tile), from,
                       bytes_of(t), done));
}

void tiles_add(jd_self *me, struct tiles *t, size_t tile, const double *more,
               jd_done *done)
{
    count_move(me, t, tile);
    must(me, jd_accumulate_nb(me, t->mem, tiles_home(me, tile), offset_of(me, t, tile),
                              more, t->each, done));
}
