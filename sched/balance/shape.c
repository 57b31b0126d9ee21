/*
 * shape.c - the tree of a session, which is also that of TREE.
 *
 * See: shape.h.
 */
#include "sched/balance/shape.h"
#include "sched/balance/letter.h"

uint64_t jdi_shape_span(const struct jdi_balance *b, unsigned level)
{
    uint64_t span = 1;
    while (level-- > 0)
        span *= b->c.arity;
    return span;
}

static unsigned top_level(const struct jdi_balance *b, uint32_t rank)
{
    unsigned level = 0;
    for (uint64_t span = 1; span < b->c.nranks && rank % (span * b->c.arity) == 0;
         span *= b->c.arity)
        level++;
    return level;
}

uint32_t jdi_shape_parent(const struct jdi_balance *b, uint32_t rank)
{
    uint64_t above = jdi_shape_span(b, top_level(b, rank) + 1);
    return rank - (uint32_t)(rank % above);
}

uint32_t jdi_shape_child(const struct jdi_balance *b, uint32_t src)
{
    if (src <= b->c.rank || src >= b->c.nranks || jdi_shape_parent(b, src) != b->c.rank)
        return UINT32_MAX;
    unsigned level = top_level(b, src);
    return level * b->c.arity + (uint32_t)((src - b->c.rank) / jdi_shape_span(b, level));
}

unsigned jdi_shape_children(const struct jdi_balance *b)
{
    unsigned children = 0;
    uint64_t span = 1;
    for (unsigned l = 0; l < b->level; l++, span *= b->c.arity)
        for (uint32_t k = 1; k < b->c.arity && b->c.rank + k * span < b->c.nranks; k++)
            children++;
    return children;
}

int jdi_shape_tell(struct jdi_balance *b, const struct jdi_balance_head *what)
{
    int rc = 0;
    for (unsigned l = b->level; l-- > 0;) {
        uint64_t span = jdi_shape_span(b, l);
        for (uint32_t k = 1; k < b->c.arity && b->c.rank + k * span < b->c.nranks; k++)
            if (!rc)
                rc = jdi_letter_send(b, (uint32_t)(b->c.rank + k * span), what, NULL, 0);
    }
    return rc;
}

unsigned jdi_shape_level(const struct jdi_balance *b)
{
    return top_level(b, b->c.rank);
}
