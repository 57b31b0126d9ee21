/*
 * core_line_keeps_the_order.c
 *
 * Role: entries stand in a line in the order in which they joined it, at its end or before all others,
 *       wherever others left in between: held against a list in an array.
 * Owner: one thread.
 * See: core/line.h.
 */
#include "core/line.h"
#include "core/random.h"
#include "test/kit/tap.h"

#include <string.h>

enum { ENTRIES = 20, STEPS = 100000 };

struct model {
    unsigned n, at[ENTRIES];
};

static void forget(struct model *m, unsigned i)
{
    unsigned k = 0;
    while (m->at[k] != i)
        k++;
    m->n--;
    memmove(m->at + k, m->at + k + 1, (m->n - k) * sizeof m->at[0]);
}

static bool same(const struct model *m, const struct jdi_line *l,
                 const struct jdi_link *e)
{
    const struct jdi_link *at = l->first;
    if (!m->n)
        return !at;
    for (unsigned k = 0; k < m->n; k++, at = at->next)
        if (at != &e[m->at[k]] || at->next->prev != at)
            return false;
    return at == l->first;
}

int main(void)
{
    static struct jdi_link e[ENTRIES];
    struct jdi_line l = {NULL};
    struct model m = {0};
    uint64_t rng = 1, right = 0, full = 0, empty = 0;
    for (int step = 0; step < STEPS; step++) {
        unsigned i = (unsigned)(jdi_random(&rng) % ENTRIES);
        if (jdi_link_is_in(&e[i])) {
            jdi_line_leave(&l, &e[i]);
            forget(&m, i);
        } else if (jdi_random(&rng) % 4) {
            jdi_line_join(&l, &e[i]);
            m.at[m.n++] = i;
        } else {
            jdi_line_join_first(&l, &e[i]);
            memmove(m.at + 1, m.at, m.n++ * sizeof m.at[0]);
            m.at[0] = i;
        }
        full += m.n > ENTRIES / 2;
        empty += m.n < ENTRIES / 4;
        right += same(&m, &l, e);
    }
    ok(right == STEPS, "the line is as the list after each of %d steps", STEPS);
    ok(full && empty, "it was long and short");
    while (l.first)
        jdi_line_leave(&l, l.first);
    unsigned in = 0;
    for (unsigned i = 0; i < ENTRIES; i++)
        in += jdi_link_is_in(&e[i]);
    ok(!in, "who was first until nobody is left has left it");
    return done_testing();
}
