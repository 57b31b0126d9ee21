/*
 * idle_hook.h - every atomic load becomes a point at which others may run.
 *
 * Role: included first (-include) into a copy of sched/coll.c that a test links with, so that the
 *       test can stop the shipped idle test at each load.
 * Owner: the test, which defines idle_point.
 * Invariants: I1 there is one thread, so a plain load is as good as the ordered one.
 * See: test/conform/sched_idle_survives_every_interleaving.c.
 */
#ifndef TEST_CONFORM_IDLE_HOOK_H
#define TEST_CONFORM_IDLE_HOOK_H

#include <stdatomic.h>

/* The planted faults break what the file asserts; here its answer is judged. */
#undef JDI_DEBUG

/* Just before the load of *place. */
void idle_point(const void *place);

#undef atomic_load_explicit
#define atomic_load_explicit(place, order) (idle_point((const void *)(place)), *(place))

#endif
