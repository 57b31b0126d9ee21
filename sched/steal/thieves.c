/*
 * thieves.c - thieves that a victim remembers, in the order of their arrival.
 *
 * Role: a ring that doubles when it is full.
 * Owner: the communication thread.
 * Invariants: I1 of thieves.h.
 * See: thieves.h.
 */
#include "sched/steal/thieves.h"

#include <string.h>

enum { FIRST_ROOM = 8 }; /* a power of two */

static int lengthen(struct jdi_thieves *q, struct jdi_fault *f)
{
    uint32_t room = q->room ? 2 * q->room : FIRST_ROOM;
    struct jdi_thief *ring = jdi_alloc(f, room * sizeof *ring);
    if (!ring)
        return JD_ENOMEM;
    for (uint32_t i = 0; i < q->n; i++)
        ring[i] = q->ring[(q->first + i) & (q->room - 1)];
    jdi_free(q->ring);
    q->ring = ring;
    q->room = room;
    q->first = 0;
    return 0;
}

int jdi_thieves_add(struct jdi_thieves *q, const struct jdi_thief *t, struct jdi_fault *f)
{
    if (q->n == q->room && lengthen(q, f))
        return JD_ENOMEM;
    if (jdi_rankset_add(&q->set, t->rank, f))
        return JD_ENOMEM;
    q->ring[(q->first + q->n++) & (q->room - 1)] = *t;
    return 0;
}

struct jdi_thief jdi_thieves_take(struct jdi_thieves *q)
{
    JD_CHECK(q->n);
    struct jdi_thief t = q->ring[q->first];
    q->first = (q->first + 1) & (q->room - 1);
    q->n--;
    JD_CHECK(jdi_rankset_remove(&q->set, t.rank));
    return t;
}

void jdi_thieves_clear(struct jdi_thieves *q)
{
    jdi_rankset_clear(&q->set);
    jdi_free(q->ring);
    *q = (struct jdi_thieves){0};
}

void jdi_thieves_check(const struct jdi_thieves *q)
{
    JD_CHECK(q->n <= q->room && (q->room == 0 || q->first < q->room));
    JD_CHECK_EQ(q->n, q->set.n); /* I1: as many different ones as there are */
    for (uint32_t i = 0; i < q->n; i++)
        JD_CHECK(jdi_thieves_has(q, q->ring[(q->first + i) & (q->room - 1)].rank));
    jdi_rankset_check(&q->set);
}
