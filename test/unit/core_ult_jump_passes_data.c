/*
 * core_ult_jump_passes_data.c
 *
 * Role: a jump hands its data to the ULT it goes to, and returns that of the jump back.
 * Owner: one stream, entered by main.
 * Invariants: I1 and I2 of core/ult/ult.h.
 * See: core/ult/ult.h.
 */
#include "test/unit/core_ult_kit.h"

enum { ROUNDS = 1000 };

struct players {
    struct ult_rig *rig;
    struct jdi_ult *base, *echo, *relay;
    uint64_t first, wrong;
};

/* Answers each number with the next one, until it gets NULL. */
static struct jdi_ult *play_echo(void *arg, void *data)
{
    struct players *p = arg;
    p->first = (uintptr_t)data;
    while (data)
        data = p->rig->ops->jump(p->echo, p->base, (char *)data + 1);
    return p->relay; /* finishes into a ULT that never ran */
}

static struct jdi_ult *play_relay(void *arg, void *data)
{
    struct players *p = arg;
    p->wrong += data != NULL; /* a finish passes no data */
    return p->base;
}

static void body(void *arg, unsigned stream, struct jdi_ult *base)
{
    struct players *p = arg;
    const struct jdi_ult_ops *ops = p->rig->ops;
    p->base = base;
    p->echo = ult_create(p->rig, play_echo, p);
    p->relay = ult_create(p->rig, play_relay, p);
    p->wrong += stream != 0;
    for (uintptr_t i = 1; i <= ROUNDS; i++)
        p->wrong += (uintptr_t)ops->jump(base, p->echo, (void *)i) != i + 1;
    void *last = ops->jump(base, p->echo, NULL);
    ok(last == NULL, "%s: base goes on when the relay has finished", ops->name);
    ops->destroy(p->echo);
    ops->destroy(p->relay);
}

static void test(const struct jdi_ult_ops *ops)
{
    struct ult_rig rig;
    struct players p = {.rig = &rig};
    ult_open(&rig, ops, 1);
    ops->enter(rig.engine, 0, body, &p);
    ops->close(rig.engine);
    is_u64(p.first, 1, "%s: the function gets the data of the first jump", ops->name);
    is_u64(p.wrong, 0, "%s: every jump returns the data of the jump back", ops->name);
}

int main(void)
{
    ult_each(test);
    return done_testing();
}
