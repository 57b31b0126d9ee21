/*
 * termination_tree_is_a_heap.c
 *
 * Role: every rank but 0 is among its parent's children, and nobody else is; only these two are
 *       adjacent.
 * Owner: one thread.
 * See: termination/tree.h.
 */
#include "termination/tree.h"
#include "test/kit/tap.h"

static bool tree_is_sound(uint32_t arity, uint32_t nranks)
{
    uint64_t kids = 0;
    for (uint32_t r = 0; r < nranks; r++) {
        kids += jdi_tree_kids(r, arity, nranks);
        if (r == 0)
            continue;
        uint32_t p = jdi_tree_parent(r, arity);
        uint64_t first = jdi_tree_first_kid(p, arity);
        for (uint32_t q = 0; q < r; q++)
            if (jdi_tree_adjacent(q, r, arity) != (q == p) ||
                jdi_tree_adjacent(r, q, arity) != (q == p))
                return false;
        if (p >= r || r < first || r - first >= jdi_tree_kids(p, arity, nranks))
            return false;
    }
    return kids == nranks - 1;
}

int main(void)
{
    bool all = true;
    for (uint32_t arity = 1; arity <= 9; arity++)
        for (uint32_t n = 1; n <= 200; n++)
            all = all && tree_is_sound(arity, n);
    ok(all, "1 to 200 ranks, arity 1 to 9");
    is_u64(jdi_tree_kids(UINT32_MAX - 1, 64, UINT32_MAX), 0,
           "no wrap at the largest rank");
    is_u64(jdi_tree_kids(0, 64, 3), 2, "fewer children than the arity");
    return done_testing();
}
