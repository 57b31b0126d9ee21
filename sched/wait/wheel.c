/*
 * wheel.c - a hierarchical timer wheel: deadlines in nanoseconds, found in order.
 *
 * Role: see wheel.h.
 * Invariants: I1 to I3 of wheel.h. I4 while timers are moving, added ones follow them there, so that
 *             equal deadlines keep their order.
 * See: wheel.h.
 */
#include "sched/wait/wheel.h"

#include <string.h>

enum {
    MOVES_MOST = 256, /* timers that one call places anew */
    LOOKS_MOST = 64 /* timers of a slot among which jdi_wheel_next looks for the first */
};

void jdi_wheel_init(struct jdi_wheel *w, uint64_t now)
{
    memset(w, 0, sizeof *w);
    w->now = now;
}

/* ---- rings -------------------------------------------------------------------------- */

static void append(struct jdi_timer **home, struct jdi_timer *t)
{
    struct jdi_timer *first = *home;
    t->home = home;
    if (!first) {
        t->next = t->prev = t;
        *home = t;
        return;
    }
    t->next = first;
    t->prev = first->prev;
    first->prev->next = t;
    first->prev = t;
}

static void detach(struct jdi_timer *t)
{
    struct jdi_timer **home = t->home;
    t->next->prev = t->prev;
    t->prev->next = t->next;
    if (*home == t)
        *home = t->next == t ? NULL : t->next;
    t->home = NULL;
}

/* ---- places ------------------------------------------------------------------------- */

static unsigned digit(uint64_t at, unsigned level)
{
    return (at >> (level * JDI_WHEEL_BITS)) & (JDI_WHEEL_SLOTS - 1);
}

/* The highest digit in which the two differ; 0 if they are equal. */
static unsigned level_of(uint64_t a, uint64_t b)
{
    uint64_t differ = (a ^ b) | 1;
    return (unsigned)(63 - __builtin_clzll(differ)) / JDI_WHEEL_BITS;
}

/* When the slot begins. */
static uint64_t start_of(const struct jdi_wheel *w, unsigned level, unsigned slot)
{
    unsigned shift = level * JDI_WHEEL_BITS, above = shift + JDI_WHEEL_BITS;
    uint64_t high = above < 64 ? w->now >> above << above : 0;
    return high | (uint64_t)slot << shift;
}

static void place_timer(struct jdi_wheel *w, struct jdi_timer *t)
{
    uint64_t at = t->at > w->now ? t->at : w->now;
    unsigned level = level_of(at, w->now), slot = digit(at, level);
    append(&w->slot[level][slot], t);
    w->bits[level] |= UINT64_C(1) << slot;
}

/* A ring has lost its last timer: if it was that of a slot, the slot's bit goes. */
static void emptied(struct jdi_wheel *w, struct jdi_timer **home)
{
    if (home == &w->moving)
        return;
    size_t i = (size_t)(home - &w->slot[0][0]);
    w->bits[i / JDI_WHEEL_SLOTS] &= ~(UINT64_C(1) << i % JDI_WHEEL_SLOTS);
}

static void take_out(struct jdi_wheel *w, struct jdi_timer *t)
{
    struct jdi_timer **home = t->home;
    JD_ASSERT(home && *home);
    detach(t);
    if (!*home)
        emptied(w, home);
}

void jdi_wheel_add(struct jdi_wheel *w, struct jdi_timer *t)
{
    w->timers++;
    if (JDI_UNLIKELY(w->moving != NULL))
        append(&w->moving, t); /* I4 */
    else
        place_timer(w, t);
}

void jdi_wheel_remove(struct jdi_wheel *w, struct jdi_timer *t)
{
    JD_ASSERT(w->timers > 0);
    w->timers--;
    take_out(w, t);
}

/* ---- turning ------------------------------------------------------------------------ */

/* The first slot that has timers; false if none has. */
static bool first_slot(const struct jdi_wheel *w, unsigned *level, unsigned *slot)
{
    for (unsigned i = 0; i < JDI_WHEEL_LEVELS; i++)
        if (w->bits[i]) {
            *level = i;
            *slot = (unsigned)__builtin_ctzll(w->bits[i]);
            return true;
        }
    return false;
}

/* `now` has reached the slot: its timers are to be placed on lower levels. */
static void start_moving(struct jdi_wheel *w, unsigned level, unsigned slot)
{
    struct jdi_timer **from = &w->slot[level][slot], *first = *from, *t = first;
    JD_ASSERT(!w->moving && level > 0);
    do
        t->home = &w->moving;
    while ((t = t->next) != first);
    w->moving = first;
    *from = NULL;
    emptied(w, from);
}

unsigned jdi_wheel_expire(struct jdi_wheel *w, uint64_t until, unsigned most,
                          struct jdi_timer **list)
{
    unsigned n = 0, moves = 0, level, slot;
    while (*list)
        list = &(*list)->next;
    while (n < most) {
        struct jdi_timer *t = w->moving;
        if (t) {
            if (moves++ == MOVES_MOST)
                break;
            take_out(w, t);
            place_timer(w, t);
            continue;
        }
        bool any = first_slot(w, &level, &slot);
        uint64_t start = any ? start_of(w, level, slot) : UINT64_MAX;
        if (!any || start > until) {
            w->now = until > w->now ? until : w->now;
            break;
        }
        w->now = start > w->now ? start : w->now;
        if (level) {
            start_moving(w, level, slot);
            continue;
        }
        t = w->slot[0][slot];
        take_out(w, t);
        w->timers--;
        t->next = NULL;
        *list = t;
        list = &t->next;
        n++;
    }
    return n;
}

uint64_t jdi_wheel_next(const struct jdi_wheel *w)
{
    unsigned level, slot, looks = 0;
    if (w->moving)
        return w->now;
    if (!first_slot(w, &level, &slot))
        return UINT64_MAX;
    uint64_t start = start_of(w, level, slot), best = UINT64_MAX;
    const struct jdi_timer *first = w->slot[level][slot], *t = first;
    if (level == 0)
        return start;
    do
        best = t->at < best ? t->at : best;
    while (++looks < LOOKS_MOST && (t = t->next) != first);
    return looks < LOOKS_MOST ? best : start;
}

/* ---- checks ------------------------------------------------------------------------- */

static size_t check_ring(struct jdi_timer *const *home)
{
    const struct jdi_timer *first = *home, *t = first;
    size_t n = 0;
    for (; t && (!n || t != first); t = t->next, n++) {
        JD_CHECK(t->home == home);
        JD_CHECK(t->next->prev == t && t->prev->next == t);
    }
    return n;
}

void jdi_wheel_check(const struct jdi_wheel *w)
{
    size_t n = check_ring(&w->moving);
    for (unsigned l = 0; l < JDI_WHEEL_LEVELS; l++)
        for (unsigned s = 0; s < JDI_WHEEL_SLOTS; s++) {
            const struct jdi_timer *first = w->slot[l][s], *t = first;
            JD_CHECK(!first == !(w->bits[l] >> s & 1));
            n += check_ring(&w->slot[l][s]);
            for (size_t i = 0; t && (!i || t != first); t = t->next, i++) {
                uint64_t at = t->at > w->now ? t->at : w->now;
                JD_CHECK_EQ(level_of(at, w->now), l);
                JD_CHECK_EQ(digit(at, l), s);
            }
        }
    JD_CHECK_EQ(n, w->timers);
}
