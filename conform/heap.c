/*
 * heap.c - a binary heap in an array.
 *
 * See: heap.h.
 */
#include "conform/heap.h"

#include <stdlib.h>

enum { FIRST_ROOM = 1024 };

void jdi_heap_init(struct jdi_heap *h)
{
    h->count = 0;
    h->order = 0;
    h->room = FIRST_ROOM;
    h->item = malloc(h->room * sizeof h->item[0]);
    JD_CHECK(h->item != NULL);
}

void jdi_heap_fini(struct jdi_heap *h)
{
    free(h->item);
}

static bool earlier(const struct jdi_heap_item *a, const struct jdi_heap_item *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

void jdi_heap_put(struct jdi_heap *h, uint64_t time, uint32_t what)
{
    const struct jdi_heap_item new = {time, h->order++, what};
    if (h->count == h->room) {
        h->room *= 2;
        h->item = realloc(h->item, h->room * sizeof h->item[0]);
        JD_CHECK(h->item != NULL);
    }
    uint32_t i = h->count++;
    for (; i > 0 && earlier(&new, &h->item[(i - 1) / 2]); i = (i - 1) / 2)
        h->item[i] = h->item[(i - 1) / 2];
    h->item[i] = new;
}

bool jdi_heap_take(struct jdi_heap *h, struct jdi_heap_item *out)
{
    if (h->count == 0)
        return false;
    *out = h->item[0];
    const struct jdi_heap_item last = h->item[--h->count];
    uint32_t i = 0;
    for (uint32_t kid = 1; kid < h->count; kid = 2 * i + 1) {
        if (kid + 1 < h->count && earlier(&h->item[kid + 1], &h->item[kid]))
            kid++;
        if (!earlier(&h->item[kid], &last))
            break;
        h->item[i] = h->item[kid];
        i = kid;
    }
    h->item[i] = last;
    return true;
}
