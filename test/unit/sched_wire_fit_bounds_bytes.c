/*
 * sched_wire_fit_bounds_bytes.c
 *
 * Role: tasks of a finish whose hooks pack much more bytes than their slots have leave in several
 *       messages, each within the bound.
 * Owner: one thread.
 * See: sched/finish/wire.h, jdi_wire_fit; am/messages.def, TASKS.
 */
#include "sched/finish/pool.h"
#include "sched/finish/wire.h"
#include "test/kit/tap.h"

enum { TASKS = 64, LARGE = 16 << 20, LIMIT = 64 << 20 };

static size_t large(const void *arg)
{
    (void)arg;
    return LARGE;
}

static void nothing(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static const jd_task_hooks hooks = {large, NULL, NULL, NULL};
static const jd_task_def rows[] = {
    {"plain", nothing, NULL, 0}, {"large", nothing, &hooks, 0}, JD_TASK_END};

int main(void)
{
    static _Alignas(JDI_TASK_ALIGN) unsigned char slots[TASKS * JDI_POOL_SLOT];
    static struct jdi_am am;
    static struct jdi_rank r = {.am = &am};
    static struct jd_coll c = {.rank = &r};
    char text[128];
    if (jdi_registry_init(&r.registry, rows, text, sizeof text))
        bail_out("%s", text);
    struct jdi_claim all = {slots, TASKS - 1, 0, TASKS, JDI_POOL_SLOT, NULL};
    for (uint64_t i = 0; i < TASKS; i++) {
        struct jdi_task *t = (struct jdi_task *)(void *)jdi_claim_slot(&all, i);
        *t = (struct jdi_task){.fn = i >= TASKS / 2, .len = 8};
    }
    is_u64(jdi_wire_fit(&c, &all, LIMIT), TASKS / 2 + 3, "three large ones, not four");
    all.from = TASKS / 2;
    all.n = TASKS / 2;
    is_u64(jdi_wire_fit(&c, &all, LARGE / 2), 1, "one at least");
    all.from = 0;
    is_u64(jdi_wire_fit(&c, &all, LIMIT), TASKS / 2, "all that are small");
    return done_testing();
}
