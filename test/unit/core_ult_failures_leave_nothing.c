/*
 * core_ult_failures_leave_nothing.c
 *
 * Role: whichever request for memory, a stack or a thread is refused, the call that made
 *       it returns its code, and all that was made before can be undone.
 * Owner: main; leaks are the leak checker's to find.
 * Invariants: the errors in core/ult/ult.h.
 * See: core/fault.def.
 */
#include "test/unit/core_ult_kit.h"

#include <stdio.h>

struct outcome {
    int open, start;
    bool created, ran;
};

static struct jdi_ult *finish(void *arg, void *data)
{
    (void)arg;
    return data;
}

struct scene {
    struct ult_rig rig;
    struct outcome *result;
};

static void body(void *arg, unsigned stream, struct jdi_ult *base)
{
    struct scene *s = arg;
    (void)stream;
    struct jdi_ult *u = s->rig.ops->create(s->rig.engine, finish, NULL, NULL);
    s->result->created = u != NULL;
    if (!u)
        return;
    s->rig.ops->jump(base, u, base);
    s->rig.ops->destroy(u);
    s->result->ran = true;
}

/* Open, start a stream that runs a ULT, join, close; as far as it goes. */
static struct outcome play(const struct jdi_ult_ops *ops, const char *fault)
{
    struct outcome result = {.open = 1, .start = 1};
    struct scene s = {.rig = {.ops = ops, .log = {.nranks = 1}}, .result = &result};
    char err[128];
    if (jdi_fault_parse(&s.rig.fault, fault, err, sizeof err))
        bail_out("%s: %s", fault, err);
    result.open = ult_try_open(&s.rig, 2);
    if (result.open)
        return result;
    result.start = ops->start(s.rig.engine, 1, body, &s);
    if (result.start == 0)
        ops->join(s.rig.engine, 1);
    ops->close(s.rig.engine);
    return result;
}

static void test(const struct jdi_ult_ops *ops)
{
    struct outcome o;
    char fault[32];
    int k = 0, wrong = 0;
    /* Each allocation in turn, until none is left to refuse. */
    do {
        snprintf(fault, sizeof fault, "alloc:%d", ++k);
        o = play(ops, fault);
        if (o.open)
            wrong += o.open != JD_ENOMEM;
        else if (o.start)
            wrong += o.start != JD_ENOMEM;
    } while (k < 100 &&
             (o.open || o.start || !o.created)); /* the last one is a slab of stacks */
    ok(k > 4, "%s: %d allocations were refused", ops->name, k - 1);
    is_u64((uint64_t)wrong, 0, "%s: each with JD_ENOMEM", ops->name);
    ok(o.created && o.ran, "%s: and then it works", ops->name);

    o = play(ops, "thread:1");
    ok(o.open == 0 && o.start == JD_ESYS, "%s: no thread: JD_ESYS (%d)", ops->name,
       o.start);

    /* Argobots' streams have a base stack of ours, which is asked for first. */
    o = play(ops, "stack:1");
    if (o.start)
        ok(o.start == JD_ENOMEM, "%s: no base stack: JD_ENOMEM", ops->name);
    else
        ok(!o.created, "%s: no stack: no ULT", ops->name);
    o = play(ops, "stack:2");
    ok(o.start == 0 && o.created == o.ran, "%s: no second stack: %s", ops->name,
       o.created ? "not asked for" : "no ULT");
}

int main(void)
{
    ult_each(test);
    return done_testing();
}
