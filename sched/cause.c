/*
 * cause.c - what a stopped ULT waits for.
 *
 * Role: the tables of kinds and of those who can wake.
 * Owner: nobody: they are constant.
 * See: cause.h; sched/cause.def.
 */
#include "sched/cause.h"

#include "core/base.h"

const struct jdi_cause_row *jdi_cause_row(unsigned kind)
{
    static const struct jdi_cause_row rows[JDI_CAUSE_KINDS] = {
#define JDI_CAUSE(name, text, object, wakers)                                            \
    [JDI_CAUSE_##name] = {#name, text, JDI_OBJECT_##object, wakers},
#include "sched/cause.def"
#undef JDI_CAUSE
    };
    JD_CHECK(kind > JDI_CAUSE_NONE && kind < JDI_CAUSE_KINDS);
    return &rows[kind];
}

const char *jdi_cause_waker_name(unsigned waker)
{
    static const struct {
        unsigned waker;
        const char *name;
    } names[JDI_WAKERS] = {{JDI_WAKER_TIMER, "the timer"},
                           {JDI_WAKER_KERNEL, "the kernel"},
                           {JDI_WAKER_COMM, "the communication thread"},
                           {JDI_WAKER_TASK, "tasks of this rank"},
                           {JDI_WAKER_RANK, "other ranks"},
                           {JDI_WAKER_FOREIGN, "a thread with its key"},
                           {JDI_WAKER_HANDLE, "whoever has its handle"}};
    for (unsigned i = 0; i < JDI_WAKERS; i++)
        if (names[i].waker == waker)
            return names[i].name;
    jdi_panic(__FILE__, __LINE__, "no such waker");
}
