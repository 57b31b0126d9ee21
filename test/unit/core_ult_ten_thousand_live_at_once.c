/*
 * core_ult_ten_thousand_live_at_once.c
 *
 * Role: thousands of ULTs are alive and stopped at once, and each goes on where it was.
 * Owner: one stream, entered by main.
 * Invariants: I2 of core/ult/ult.h.
 * See: core/ult/ult.h.
 */
#include "test/unit/core_ult_kit.h"

#include <stdlib.h>

struct crowd {
    struct ult_rig rig;
    struct jdi_ult *base;
    struct jdi_ult **ults;
    uint64_t sum, wrong;
};

/* Stops once with its own number on its stack. */
static struct jdi_ult *stand(void *arg, void *data)
{
    struct crowd *c = arg;
    volatile uintptr_t mine = (uintptr_t)data;
    void *again = c->rig.ops->jump(c->ults[mine], c->base, data);
    c->wrong += again != (void *)mine;
    c->sum += mine;
    return c->base;
}

static void body(void *arg, unsigned stream, struct jdi_ult *base)
{
    struct crowd *c = arg;
    (void)stream;
    c->base = base;
    for (uintptr_t i = 0; i < ULT_MANY; i++) {
        c->ults[i] = ult_create(&c->rig, stand, c);
        c->wrong += c->rig.ops->jump(base, c->ults[i], (void *)i) != (void *)i;
    }
    /* The last first, so that no order is favoured. */
    for (uintptr_t i = ULT_MANY; i-- > 0;) {
        c->rig.ops->jump(base, c->ults[i], (void *)i);
        c->rig.ops->destroy(c->ults[i]);
    }
}

static void test(const struct jdi_ult_ops *ops)
{
    struct crowd c = {.sum = 0};
    c.ults = calloc(ULT_MANY, sizeof(struct jdi_ult *));
    ult_open(&c.rig, ops, 1);
    ops->enter(c.rig.engine, 0, body, &c);
    ops->close(c.rig.engine);
    free(c.ults);
    is_u64(c.sum, (uint64_t)ULT_MANY * (ULT_MANY - 1) / 2,
           "%s: each of %d ULTs has gone on once", ops->name, ULT_MANY);
    is_u64(c.wrong, 0, "%s: each with its own data", ops->name);
}

int main(void)
{
    ult_each(test);
    return done_testing();
}
