/*
 * core_ult_kit.h - what the tests of the ULT engines share.
 *
 * Role: run one test over every engine that is built in, and open and close engines.
 * Owner: a test program.
 * Invariants: I1 an engine that is not built in is not tested, and said to be missing.
 * See: core/ult/ult.h.
 */
#ifndef JDI_TEST_SCHED_ULT_KIT_H
#define JDI_TEST_SCHED_ULT_KIT_H

#include "core/ult/sanitizer.h"
#include "core/ult/ult.h"
#include "test/kit/tap.h"

#include <string.h>

/* The sanitizers follow a limited number of stacks, and slowly. */
#if defined(JDI_SAN_THREAD)
enum { ULT_MANY = 500, ULT_HOPS = 20000 };
#elif defined(JDI_SAN_ADDRESS)
enum { ULT_MANY = 5000, ULT_HOPS = 20000 };
#else
enum { ULT_MANY = 10000, ULT_HOPS = 100000 };
#endif

enum { ULT_STACK = 65536 };

struct ult_rig {
    const struct jdi_ult_ops *ops;
    struct jdi_engine *engine;
    struct jdi_log log;
    struct jdi_fault fault;
};

static inline void ult_each(void (*test)(const struct jdi_ult_ops *ops))
{
    static const char *const names[] = {"boost", "argobots"};
    for (size_t i = 0; i < JDI_ARRAY_LEN(names); i++) {
        const struct jdi_ult_ops *ops = jdi_ult_find(names[i]);
        if (ops)
            test(ops);
        else
            diag("engine %s is not built in", names[i]);
    }
}

static inline int ult_try_open(struct ult_rig *rig, unsigned streams)
{
    struct jdi_ult_config c = {
        .streams = streams,
        .stack_size = ULT_STACK,
        .log = &rig->log,
        .fault = &rig->fault,
    };
    return rig->ops->open(&rig->engine, &c);
}

static inline void ult_open(struct ult_rig *rig, const struct jdi_ult_ops *ops,
                            unsigned streams)
{
    memset(rig, 0, sizeof *rig);
    rig->ops = ops;
    rig->log.nranks = 4;
    rig->log.rank = 3;
    if (ult_try_open(rig, streams))
        bail_out("%s does not open", ops->name);
}

static inline struct jdi_ult *ult_create(struct ult_rig *rig, jdi_ult_fn *fn, void *arg)
{
    struct jdi_ult *u = rig->ops->create(rig->engine, fn, arg, NULL);
    if (!u)
        bail_out("%s has no more ULTs", rig->ops->name);
    return u;
}

#endif
