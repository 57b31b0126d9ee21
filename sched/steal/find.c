/*
 * find.c - the policies that the library has.
 *
 * Role: the table of policies, the one place that knows all of them.
 * Owner: constants.
 * See: find.h.
 */
#include "sched/steal/find.h"

const struct jdi_steal_ops *jdi_steal_find(int kind)
{
    static const struct jdi_steal_ops *const all[] = {
        [JDI_STEAL_KIND_RANDOM] = &jdi_steal_random,
        [JDI_STEAL_KIND_BASELINE] = &jdi_steal_baseline,
        [JDI_STEAL_KIND_SUCCESS_ONLY] = &jdi_steal_success_only,
        [JDI_STEAL_KIND_LIFELINE] = &jdi_steal_lifeline,
        /* For collections that steal although the job's default is that none does. */
        [JDI_STEAL_KIND_NONE] = &jdi_steal_random,
        [JDI_STEAL_KIND_LOCAL] = &jdi_steal_random,
    };
    JD_CHECK(kind >= 0 && (size_t)kind < JDI_ARRAY_LEN(all));
    return all[kind];
}
