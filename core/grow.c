/*
 * grow.c - see grow.h.
 *
 * Role: see grow.h.
 * Invariants: I1 of grow.h.
 * See: grow.h.
 */
#include "core/grow.h"

#include <string.h>

void *jdi_grow(struct jdi_fault *f, void *list, size_t n, size_t more, size_t each,
               size_t *room, size_t first)
{
    size_t wider = *room ? 2 * *room : first;
    if (*room - n >= more)
        return list;
    while (wider - n < more)
        wider *= 2;
    void *at = jdi_alloc(f, wider * each);
    if (!at)
        return NULL;
    if (n)
        memcpy(at, list, n * each);
    jdi_free(list);
    *room = wider;
    return at;
}
