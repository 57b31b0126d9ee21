/*
 * queue.c - events: a list for each of the next nanoseconds, and a heap for what comes later.
 *
 * Role: see queue.h.  Thousands of ranks have several events in each nanosecond, and nearly all are
 *       put a microsecond before their time.  So most events never see the heap: to put and to take
 *       them costs the same, however many there are.
 * Owner: the simulation's thread.
 * Invariants: I1 to I3 of queue.h. I4 in the heap no event comes before the one at its parent's
 *             place.
 * See: queue.h.
 */
#include "am/sim/queue.h"
#include "core/fault.h"

#include <stdlib.h>

enum { FIRST_ROOM = 1024, WORDS = JDI_SIM_NEAR / 64 };

static struct jdi_sim_event *event_of(const struct jdi_sim_queue *q, uint32_t i)
{
    return &q->entry[i].e;
}

/* ---- far: the heap ---------------------------------------------------------------------- */

static bool before(const struct jdi_sim_queue *q, uint32_t i, uint32_t k)
{
    const struct jdi_sim_event *a = event_of(q, i), *b = event_of(q, k);
    return a->time != b->time ? a->time < b->time : a->number < b->number;
}

/* Put entry e where i is, or below. */
static void sink(struct jdi_sim_queue *q, size_t i, uint32_t e)
{
    for (size_t child; (child = 2 * i + 1) < q->nfar; i = child) {
        child += child + 1 < q->nfar && before(q, q->heap[child + 1], q->heap[child]);
        if (before(q, e, q->heap[child]))
            break;
        q->heap[i] = q->heap[child];
    }
    q->heap[i] = e;
}

static void put_far(struct jdi_sim_queue *q, uint32_t e)
{
    size_t i = q->nfar++;
    for (; i && before(q, e, q->heap[(i - 1) / 2]); i = (i - 1) / 2)
        q->heap[i] = q->heap[(i - 1) / 2];
    q->heap[i] = e;
}

static uint32_t take_far(struct jdi_sim_queue *q)
{
    uint32_t top = q->heap[0];
    if (--q->nfar)
        sink(q, 0, q->heap[q->nfar]);
    return top;
}

/* ---- near: the lists -------------------------------------------------------------------- */

static size_t slot_of(uint64_t time)
{
    return time % JDI_SIM_NEAR;
}

static void put_near(struct jdi_sim_queue *q, uint32_t e)
{
    size_t i = slot_of(event_of(q, e)->time);
    struct jdi_sim_slot *s = &q->slot[i];
    q->entry[e].next = 0;
    if (s->first)
        q->entry[s->last].next = e;
    else
        s->first = e;
    s->last = e;
    q->busy[i / 64] |= UINT64_C(1) << i % 64;
    q->nnear++;
}

/* The first slot from i on, round the end, that is not empty; there is one. */
static size_t busy_from(const struct jdi_sim_queue *q, size_t i)
{
    size_t w = i / 64;
    uint64_t bits = q->busy[w] & UINT64_MAX << i % 64;
    while (!bits) {
        w = (w + 1) % WORDS;
        bits = q->busy[w];
    }
    return 64 * w + (size_t)__builtin_ctzll(bits);
}

static uint32_t take_near(struct jdi_sim_queue *q)
{
    size_t i = busy_from(q, slot_of(q->from));
    struct jdi_sim_slot *s = &q->slot[i];
    uint32_t e = s->first;
    s->first = q->entry[e].next;
    if (!s->first)
        q->busy[i / 64] &= ~(UINT64_C(1) << i % 64);
    q->nnear--;
    return e;
}

/* What comes near goes into its list before anything else is put there (I2). */
static void bring_near(struct jdi_sim_queue *q, uint64_t from)
{
    q->from = from;
    while (q->nfar && event_of(q, q->heap[0])->time - from < JDI_SIM_NEAR)
        put_near(q, take_far(q));
}

/* ---- both ------------------------------------------------------------------------------- */

static void free_entry(struct jdi_sim_queue *q, uint32_t e)
{
    q->entry[e].next = q->spare;
    q->spare = e;
    q->n--;
}

static int make_slots(struct jdi_sim_queue *q)
{
    if (!q->slot)
        q->slot = jdi_zalloc(NULL, JDI_SIM_NEAR * sizeof *q->slot);
    if (!q->busy)
        q->busy = jdi_zalloc(NULL, WORDS * sizeof *q->busy);
    return q->slot && q->busy ? 0 : JD_ENOMEM;
}

int jdi_sim_queue_grow(struct jdi_sim_queue *q)
{
    size_t room = q->room ? 2 * q->room : FIRST_ROOM;
    if (room >= UINT32_MAX || make_slots(q))
        return JD_ENOMEM;
    struct jdi_sim_entry *entry = realloc(q->entry, (room + 1) * sizeof *entry);
    if (!entry)
        return JD_ENOMEM;
    q->entry = entry;
    uint32_t *heap = realloc(q->heap, room * sizeof *heap);
    if (!heap)
        return JD_ENOMEM;
    q->heap = heap;
    for (size_t i = room; i > q->room; i--) {
        entry[i].next = q->spare;
        q->spare = (uint32_t)i;
    }
    q->room = room;
    return 0;
}

void jdi_sim_queue_put(struct jdi_sim_queue *q, struct jdi_sim_event e)
{
    JD_ASSERT(q->n < q->room && e.time >= q->from);
    uint32_t i = q->spare;
    q->spare = q->entry[i].next;
    q->n++;
    e.number = ++q->numbers;
    *event_of(q, i) = e;
    if (e.time - q->from < JDI_SIM_NEAR)
        put_near(q, i);
    else
        put_far(q, i);
}

struct jdi_sim_event jdi_sim_queue_take(struct jdi_sim_queue *q)
{
    if (!q->nnear)
        bring_near(q, event_of(q, q->heap[0])->time);
    uint32_t i = take_near(q);
    struct jdi_sim_event e = *event_of(q, i);
    free_entry(q, i);
    bring_near(q, e.time);
    return e;
}

uint64_t jdi_sim_queue_first(const struct jdi_sim_queue *q)
{
    uint32_t e = q->nnear ? q->slot[busy_from(q, slot_of(q->from))].first : q->heap[0];
    return event_of(q, e)->time;
}

unsigned jdi_sim_queue_peek(const struct jdi_sim_queue *q,
                            const struct jdi_sim_event **out, unsigned most)
{
    unsigned n = 0;
    size_t slot = slot_of(q->from);
    most = most < q->nnear ? most : (unsigned)q->nnear;
    while (n < most) {
        slot = busy_from(q, slot);
        for (uint32_t i = q->slot[slot].first; i && n < most; i = q->entry[i].next)
            out[n++] = event_of(q, i);
        slot = (slot + 1) % JDI_SIM_NEAR;
    }
    return n;
}

/* ---- throwing away ---------------------------------------------------------------------- */

typedef bool void_fn(const void *ctx, const struct jdi_sim_event *e);

static void clean_slot(struct jdi_sim_queue *q, size_t slot, void_fn *is_void,
                       const void *ctx)
{
    uint32_t i = q->slot[slot].first;
    q->slot[slot].first = 0;
    q->busy[slot / 64] &= ~(UINT64_C(1) << slot % 64);
    for (uint32_t next; i; i = next) {
        next = q->entry[i].next;
        q->nnear--;
        if (is_void(ctx, event_of(q, i)))
            free_entry(q, i);
        else
            put_near(q, i);
    }
}

void jdi_sim_queue_clean(struct jdi_sim_queue *q,
                         bool (*is_void)(const void *ctx, const struct jdi_sim_event *e),
                         const void *ctx)
{
    for (size_t i = 0; q->slot && i < JDI_SIM_NEAR; i++)
        if (q->slot[i].first)
            clean_slot(q, i, is_void, ctx);
    size_t n = 0;
    for (size_t i = 0; i < q->nfar; i++) {
        if (is_void(ctx, event_of(q, q->heap[i])))
            free_entry(q, q->heap[i]);
        else
            q->heap[n++] = q->heap[i];
    }
    q->nfar = n;
    for (size_t i = n / 2; i-- > 0;)
        sink(q, i, q->heap[i]);
}

void jdi_sim_queue_fini(struct jdi_sim_queue *q)
{
    free(q->entry);
    free(q->heap);
    jdi_free(q->slot);
    jdi_free(q->busy);
    *q = (struct jdi_sim_queue){0};
}
