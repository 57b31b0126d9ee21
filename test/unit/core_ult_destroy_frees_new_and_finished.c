/*
 * core_ult_destroy_frees_new_and_finished.c
 *
 * Role: a ULT that never ran can be freed, and one that finished right after the jump out
 *       of it, by its successor; freed stacks serve again.
 * Owner: one stream, entered by main; the opener before and after it.
 * Invariants: the contract of destroy in core/ult/ult.h.
 * See: core/ult/ult.h.
 */
#include "test/unit/core_ult_kit.h"

enum { LINKS = ULT_MANY / 5 };

struct chain {
    struct ult_rig rig;
    struct jdi_ult *base;
    struct jdi_ult *current, *finished; /* a link frees the one that ended into it */
    unsigned ran, forbidden;
};

static struct jdi_ult *must_not_run(void *arg, void *data)
{
    struct chain *c = arg;
    (void)data;
    c->forbidden++;
    return c->base;
}

/* Frees its predecessor and ends into its successor. */
static struct jdi_ult *link_up(void *arg, void *data)
{
    struct chain *c = arg;
    (void)data;
    if (c->finished)
        c->rig.ops->destroy(c->finished);
    c->finished = c->current;
    if (++c->ran == LINKS)
        return c->base;
    c->current = ult_create(&c->rig, link_up, c);
    return c->current;
}

static void body(void *arg, unsigned stream, struct jdi_ult *base)
{
    struct chain *c = arg;
    const struct jdi_ult_ops *ops = c->rig.ops;
    (void)stream;
    c->base = base;
    c->current = ult_create(&c->rig, link_up, c);
    ops->jump(base, c->current, NULL);
    ops->destroy(c->finished);
    for (int i = 0; i < LINKS; i++)
        ops->destroy(ult_create(&c->rig, must_not_run, c));
}

static void test(const struct jdi_ult_ops *ops)
{
    struct chain c = {.ran = 0};
    ult_open(&c.rig, ops, 1);
    struct jdi_ult *early = ult_create(&c.rig, must_not_run, &c);
    struct jdi_ult *late = ult_create(&c.rig, must_not_run, &c);
    ops->destroy(early);
    ops->enter(c.rig.engine, 0, body, &c);
    ops->destroy(late);
    ops->close(c.rig.engine); /* checks that every stack is back */
    is_u64(c.ran, LINKS, "%s: each link was freed by the next one", ops->name);
    is_u64(c.forbidden, 0, "%s: what was freed new never ran", ops->name);
}

int main(void)
{
    ult_each(test);
    return done_testing();
}
