/*
 * tiles.c - a matrix in tiles of one size, dealt out over the ranks, in registered memory.
 *
 * Role: see tiles.h.
 * Invariants: I1 of tiles.h.
 * See: tiles.h.
 */
#include "examples/tiles.h"

#include <stdlib.h>
#include <string.h>

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
    t->touched = calloc(n, sizeof *t->touched);
    if (!t->touched)
        jd_abort(me, 1, "tiles: out of memory");
    int error = jd_mem_create(me, NULL, own * each * sizeof(double), &t->mem);
    t->own = error ? NULL : jd_mem_local(me, t->mem, NULL);
    return error;
}

void tiles_close(jd_self *me, struct tiles *t)
{
    must(me, jd_mem_destroy(me, t->mem));
    free((void *)t->touched);
}

void tiles_are_new(struct tiles *t)
{
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

static void count_sent(jd_self *me, struct tiles *t, size_t tile)
{
    if (tiles_home(me, tile) == jd_rank(me))
        return;
    touch(t, tile);
    atomic_fetch_add_explicit(&t->sent, bytes_of(t), memory_order_relaxed);
}

const double *tiles_borrow(jd_self *me, struct tiles *t, size_t tile, jd_loan *loan)
{
    if (tiles_home(me, tile) != jd_rank(me))
        touch(t, tile);
    must(me, jd_borrow(me, t->mem, tiles_home(me, tile), offset_of(me, t, tile),
                       bytes_of(t), loan));
    return loan->bytes;
}

void tiles_write(jd_self *me, struct tiles *t, size_t tile, const double *from,
                 jd_done *done)
{
    count_sent(me, t, tile);
    must(me, jd_put_nb(me, t->mem, tiles_home(me, tile), offset_of(me, t, tile), from,
                       bytes_of(t), done));
}

void tiles_add(jd_self *me, struct tiles *t, size_t tile, const double *more,
               jd_done *done)
{
    count_sent(me, t, tile);
    must(me, jd_accumulate_nb(me, t->mem, tiles_home(me, tile), offset_of(me, t, tile),
                              more, t->each, done));
}

struct tiles_bytes tiles_bytes(jd_self *me, const struct tiles *const t[], size_t n)
{
    static const char *const name[] = {"cache_bytes"};
    uint64_t sum[2] = {0};
    must(me, jd_stats(me, JD_STATS_RANK, name, 1, &sum[0]));
    for (size_t i = 0; i < n; i++) {
        sum[0] += t[i]->sent;
        sum[1] += t[i]->distinct;
    }
    must(me, jd_allreduce_u64(me, sum, 2, JD_SUM));
    return (struct tiles_bytes){sum[0], sum[1]};
}
