/*
 * rankset.c - sparse sets of ranks.
 *
 * Role: open addressing with linear probing; removal closes the hole.
 * Invariants: those of rankset.h. I3 no slot is free between the slot where a rank wants to lie and
 *             the slot where it lies, so a search may end at the first free slot.
 * See: rankset.h.
 */
#include "sched/steal/rankset.h"

#include <string.h>

enum { FIRST_ROOM = 8 };

/* The slot where a rank wants to lie.  The hash spreads ranks with neighbouring numbers. */
static uint32_t home(const struct jdi_rankset *s, uint32_t rank)
{
    return (rank * 0x9E3779B1u >> 7) & (s->room - 1);
}

/* The slot where `rank` lies, or the free slot where it would lie. */
static uint32_t seek(const struct jdi_rankset *s, uint32_t rank)
{
    uint32_t i = home(s, rank);
    while (s->slot[i] && s->slot[i] != rank + 1)
        i = (i + 1) & (s->room - 1);
    return i;
}

bool jdi_rankset_has(const struct jdi_rankset *s, uint32_t rank)
{
    return s->n && s->slot[seek(s, rank)];
}

static int widen(struct jdi_rankset *s, struct jdi_fault *f)
{
    struct jdi_rankset wide = {.room = s->room ? 2 * s->room : FIRST_ROOM, .n = s->n};
    wide.slot = jdi_zalloc(f, wide.room * sizeof *wide.slot);
    if (!wide.slot)
        return JD_ENOMEM;
    for (uint32_t i = 0; i < s->room; i++)
        if (s->slot[i])
            wide.slot[seek(&wide, s->slot[i] - 1)] = s->slot[i];
    jdi_free(s->slot);
    *s = wide;
    return 0;
}

int jdi_rankset_add(struct jdi_rankset *s, uint32_t rank, struct jdi_fault *f)
{
    if (2 * (s->n + 1) > s->room && widen(s, f))
        return JD_ENOMEM;
    uint32_t i = seek(s, rank);
    JD_CHECK(!s->slot[i]);
    s->slot[i] = rank + 1;
    s->n++;
    return 0;
}

bool jdi_rankset_remove(struct jdi_rankset *s, uint32_t rank)
{
    if (!jdi_rankset_has(s, rank))
        return false;
    uint32_t mask = s->room - 1, hole = seek(s, rank);
    s->slot[hole] = 0;
    s->n--;
    /* Move up each rank that a search could not find behind the hole (I3). */
    for (uint32_t i = (hole + 1) & mask; s->slot[i]; i = (i + 1) & mask) {
        uint32_t from = home(s, s->slot[i] - 1);
        if (((i - from) & mask) < ((i - hole) & mask))
            continue;
        s->slot[hole] = s->slot[i];
        s->slot[i] = 0;
        hole = i;
    }
    return true;
}

void jdi_rankset_clear(struct jdi_rankset *s)
{
    jdi_free(s->slot);
    *s = (struct jdi_rankset){0};
}

void jdi_rankset_check(const struct jdi_rankset *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->room; i++)
        if (s->slot[i]) {
            JD_CHECK_EQ(seek(s, s->slot[i] - 1), i); /* I2, I3 */
            n++;
        }
    JD_CHECK_EQ(n, s->n);
}
