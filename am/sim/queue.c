/*
 * queue.c - a binary heap of events.
 *
 * Role: see queue.h.
 * Owner: the simulation's thread.
 * Invariants: I1 of queue.h. I2 no event comes before the one at its parent's place.
 * See: queue.h.
 */
#include "am/sim/queue.h"

#include <stdlib.h>

enum { FIRST_ROOM = 1024 };

static bool before(const struct jdi_sim_event *a, const struct jdi_sim_event *b)
{
    return a->time != b->time ? a->time < b->time : a->number < b->number;
}

/* Put e where i is, or below. */
static void sink(struct jdi_sim_queue *q, size_t i, struct jdi_sim_event e)
{
    for (size_t child; (child = 2 * i + 1) < q->n; i = child) {
        child += child + 1 < q->n && before(&q->heap[child + 1], &q->heap[child]);
        if (before(&e, &q->heap[child]))
            break;
        q->heap[i] = q->heap[child];
    }
    q->heap[i] = e;
}

int jdi_sim_queue_grow(struct jdi_sim_queue *q)
{
    size_t room = q->room ? 2 * q->room : FIRST_ROOM;
    struct jdi_sim_event *heap = realloc(q->heap, room * sizeof *heap);
    if (!heap)
        return JD_ENOMEM;
    q->heap = heap;
    q->room = room;
    return 0;
}

void jdi_sim_queue_put(struct jdi_sim_queue *q, struct jdi_sim_event e)
{
    JD_ASSERT(q->n < q->room);
    e.number = ++q->numbers;
    size_t i = q->n++;
    for (; i && before(&e, &q->heap[(i - 1) / 2]); i = (i - 1) / 2)
        q->heap[i] = q->heap[(i - 1) / 2];
    q->heap[i] = e;
}

struct jdi_sim_event jdi_sim_queue_take(struct jdi_sim_queue *q)
{
    struct jdi_sim_event top = q->heap[0], last = q->heap[--q->n];
    sink(q, 0, last);
    return top;
}

void jdi_sim_queue_clean(struct jdi_sim_queue *q,
                         bool (*is_void)(const void *ctx, const struct jdi_sim_event *e),
                         const void *ctx)
{
    size_t n = 0;
    for (size_t i = 0; i < q->n; i++)
        if (!is_void(ctx, &q->heap[i]))
            q->heap[n++] = q->heap[i];
    q->n = n;
    for (size_t i = n / 2; i-- > 0;)
        sink(q, i, q->heap[i]);
}

void jdi_sim_queue_fini(struct jdi_sim_queue *q)
{
    free(q->heap);
    q->heap = NULL;
    q->n = q->room = 0;
}
