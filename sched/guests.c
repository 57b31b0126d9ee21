/*
 * guests.c - tasks that have come because of a steal log, and wait for their turn: its *room*.
 *
 * Role: see guests.h.
 * Invariants: I1 of guests.h.
 * See: guests.h.
 */
#include "sched/guests.h"

#include "core/grow.h"

enum { FIRST_GUESTS = 64 };

static bool is_before(const struct jdi_guest *a, const struct jdi_guest *b)
{
    return a->batch < b->batch || (a->batch == b->batch && a->place < b->place);
}

static void swap_guests(struct jdi_guest *a, struct jdi_guest *b)
{
    struct jdi_guest was = *a;
    *a = *b;
    *b = was;
}

int jdi_guests_put(struct jdi_guests *g, uint32_t batch, uint32_t place,
                   struct jdi_task *task, struct jdi_fault *f)
{
    void *at = jdi_grow(f, g->at, g->n, 1, sizeof *g->at, &g->room, FIRST_GUESTS);
    if (!at)
        return JD_ENOMEM;
    g->at = at;
    uint64_t i = g->n++;
    g->at[i] = (struct jdi_guest){batch, place, task};
    for (; i && is_before(&g->at[i], &g->at[(i - 1) / 2]); i = (i - 1) / 2)
        swap_guests(&g->at[i], &g->at[(i - 1) / 2]);
    return 0;
}

struct jdi_task *jdi_guests_take(struct jdi_guests *g)
{
    JD_ASSERT(g->n > 0);
    struct jdi_task *first = g->at[0].task;
    g->at[0] = g->at[--g->n];
    for (uint64_t i = 0, child; (child = 2 * i + 1) < g->n; i = child) {
        if (child + 1 < g->n && is_before(&g->at[child + 1], &g->at[child]))
            child++;
        if (!is_before(&g->at[child], &g->at[i]))
            break;
        swap_guests(&g->at[child], &g->at[i]);
    }
    return first;
}

void jdi_guests_free(struct jdi_guests *g)
{
    for (uint64_t i = 0; i < g->n; i++)
        jdi_free(g->at[i].task);
    jdi_free(g->at);
    *g = (struct jdi_guests){0};
}

void jdi_guests_check(const struct jdi_guests *g)
{
    JD_CHECK(g->n <= g->room);
    for (uint64_t i = 1; i < g->n; i++)
        JD_CHECK(!is_before(&g->at[i], &g->at[(i - 1) / 2]));
}
