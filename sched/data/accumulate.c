/*
 * accumulate.c - doubles that are added to memory in which others add too.
 *
 * Role: adds, element by element.
 * Owner: nobody: tasks add at their own rank, the communication thread what comes from others.
 * Invariants: I1 an element has every sum that was added, once: nobody reads it and then writes it over what
 *                another has added meanwhile.
 * Order: none.  That a transfer is complete, and so its sums are there, is said by other means: doc/data.md.
 * See: doc/data.md "Memory and copies"; sched/data/copy.c.
 */
#include "sched/data/accumulate.h"

#include "core/base.h"

#include <stdatomic.h>
#include <string.h>

_Static_assert(sizeof(_Atomic double) == sizeof(double), "plain doubles are added to");

/* Somebody's sum goes in in each turn of the loop, of all threads.  A NaN ends it too, because bits are
 * compared. */
static void add_one(_Atomic double *to, double more)
{
    double old = atomic_load_explicit(to, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(
        to, &old, old + more, memory_order_relaxed, memory_order_relaxed))
        ;
}

void jdi_accumulate_add(unsigned char *to, const unsigned char *from, uint64_t bytes)
{
    JD_ASSERT((uintptr_t)to % _Alignof(_Atomic double) == 0 &&
              bytes % sizeof(double) == 0);
    _Atomic double *sums = (_Atomic double *)(void *)to;
    for (uint64_t i = 0; i < bytes / sizeof(double); i++) {
        double more;
        memcpy(&more, from + i * sizeof more, sizeof more);
        add_one(&sums[i], more);
    }
}
