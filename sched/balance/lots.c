/*
 * lots.c - growing arrays, sorted in place; binary heaps.
 *
 * See: lots.h.
 */
#include "sched/balance/lots.h"

#include <string.h>

enum { FIRST_ROOM = 4 };

int jdi_lots_append(struct jdi_lots *l, const struct jdi_lot *from, uint32_t n,
                    struct jdi_fault *f)
{
    if (n > l->room - l->n) {
        uint64_t room = l->room ? 2 * (uint64_t)l->room : FIRST_ROOM;
        room = room < (uint64_t)l->n + n ? (uint64_t)l->n + n : room;
        struct jdi_lot *at =
            room > UINT32_MAX ? NULL : jdi_alloc_small(f, room * sizeof *at);
        if (!at)
            return JD_ENOMEM;
        if (l->n > 0)
            memcpy(at, l->at, l->n * sizeof *at);
        jdi_free(l->at);
        l->at = at;
        l->room = (uint32_t)room;
    }
    if (n > 0)
        memcpy(l->at + l->n, from, n * sizeof *from);
    l->n += n;
    return 0;
}

bool jdi_lots_before(const struct jdi_lot *a, const struct jdi_lot *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    return a->rank != b->rank ? a->rank < b->rank : a->place < b->place;
}

/* Put e where i is, or below, in a heap with the last lot at its top; returns the steps. */
static uint64_t sift_lot(struct jdi_lot *at, uint32_t n, uint32_t i, struct jdi_lot e)
{
    uint64_t steps = 1;
    for (uint64_t kid; (kid = 2 * (uint64_t)i + 1) < n; i = (uint32_t)kid, steps++) {
        kid += kid + 1 < n && jdi_lots_before(&at[kid], &at[kid + 1]);
        if (!jdi_lots_before(&e, &at[kid]))
            break;
        at[i] = at[kid];
    }
    at[i] = e;
    return steps;
}

uint64_t jdi_lots_sort(struct jdi_lots *l)
{
    uint64_t steps = l->n;
    uint32_t i = 1;
    while (i < l->n && jdi_lots_before(&l->at[i - 1], &l->at[i]))
        i++;
    if (i >= l->n)
        return steps;
    for (i = l->n / 2; i-- > 0;)
        steps += sift_lot(l->at, l->n, i, l->at[i]);
    for (i = l->n; i-- > 1;) {
        struct jdi_lot last = l->at[i];
        l->at[i] = l->at[0];
        steps += sift_lot(l->at, i, 0, last);
    }
    return steps;
}

int jdi_lots_merge(struct jdi_lots *l, const struct jdi_lot *from, uint32_t n,
                   struct jdi_fault *f)
{
    uint32_t old = l->n, to;
    int rc = jdi_lots_append(l, from, n, f);
    if (rc)
        return rc;
    /* From the end on, so that nothing is overwritten before it is read. */
    for (to = l->n; n > 0 && old > 0;)
        if (jdi_lots_before(&from[n - 1], &l->at[old - 1]))
            l->at[--to] = l->at[--old];
        else
            l->at[--to] = from[--n];
    if (n > 0)
        memcpy(l->at, from, n * sizeof *from);
    return 0;
}

void jdi_lots_reverse(struct jdi_lots *l)
{
    for (uint32_t i = 0, k = l->n; i + 1 < k--; i++) {
        struct jdi_lot lot = l->at[i];
        l->at[i] = l->at[k];
        l->at[k] = lot;
    }
}

void jdi_lots_behead(struct jdi_lots *l, uint32_t n)
{
    JD_ASSERT(n <= l->n);
    l->n -= n;
    if (n > 0 && l->n > 0)
        memmove(l->at, l->at + n, l->n * sizeof *l->at);
}

void jdi_lots_free(struct jdi_lots *l)
{
    jdi_free(l->at);
    *l = (struct jdi_lots){0};
}

/* ---- heaps ------------------------------------------------------------------------------ */

static bool key_before(const struct jdi_heap_key *a, const struct jdi_heap_key *b)
{
    return a->key != b->key ? a->key < b->key : a->what < b->what;
}

static void sift_key(struct jdi_keys *h, uint32_t i, struct jdi_heap_key k)
{
    h->steps++;
    for (uint64_t kid; (kid = 2 * (uint64_t)i + 1) < h->n; i = (uint32_t)kid) {
        h->steps++;
        kid += kid + 1 < h->n && key_before(&h->at[kid + 1], &h->at[kid]);
        if (!key_before(&h->at[kid], &k))
            break;
        h->at[i] = h->at[kid];
    }
    h->at[i] = k;
}

int jdi_lots_keys_init(struct jdi_keys *h, uint32_t n, struct jdi_fault *f)
{
    *h = (struct jdi_keys){.room = n};
    h->at = jdi_alloc_small(f, (n ? n : 1) * sizeof *h->at);
    return h->at ? 0 : JD_ENOMEM;
}

void jdi_lots_keys_add(struct jdi_keys *h, uint64_t key, uint32_t what)
{
    JD_ASSERT(h->n < h->room);
    h->at[h->n++] = (struct jdi_heap_key){key, what};
}

void jdi_lots_keys_build(struct jdi_keys *h)
{
    for (uint32_t i = h->n / 2; i-- > 0;)
        sift_key(h, i, h->at[i]);
}

void jdi_lots_keys_change(struct jdi_keys *h, uint64_t key)
{
    JD_ASSERT(h->n > 0);
    sift_key(h, 0, (struct jdi_heap_key){key, h->at[0].what});
}

void jdi_lots_keys_drop(struct jdi_keys *h)
{
    JD_ASSERT(h->n > 0);
    if (--h->n > 0)
        sift_key(h, 0, h->at[h->n]);
}

void jdi_lots_keys_fini(struct jdi_keys *h)
{
    jdi_free(h->at);
    *h = (struct jdi_keys){0};
}
