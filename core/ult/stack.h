/*
 * stack.h - stacks that end in a guard, and a few of them kept.
 *
 * Role: gives the engines the stacks of their ULTs.
 * Owner: a stack belongs to whoever took it; any stream may use a cache (lock).
 * Invariants: I1 the bytes [map, map + JDI_STACK_GUARD) of a stack are never accessible.
 * Order: jdi_stack_cache.lock is a leaf: nothing is called under it but mmap and munmap.
 * See: core/ult/guard.h, which names the cause when a stack overflows.
 */
#ifndef JDI_CORE_ULT_STACK_H
#define JDI_CORE_ULT_STACK_H

#include "core/fault.h"

#include <pthread.h>

/*
 * More than a page, because a frame larger than a page could step over a smaller guard.  Costs
 * addresses, not memory.
 */
enum { JDI_STACK_GUARD = 65536 };

struct jdi_stack {
    void *map;   /* NULL: a native stack of unknown bounds */
    size_t size; /* usable bytes above the guard */
};

static inline void *jdi_stack_low(const struct jdi_stack *s)
{
    return (char *)s->map + JDI_STACK_GUARD;
}

/* size is rounded up to pages.  0, or JD_ENOMEM. */
int jdi_stack_map(struct jdi_stack *s, size_t size, struct jdi_fault *fault);
void jdi_stack_unmap(struct jdi_stack *s);

/* Stacks of one size, with some kept for the next taker. */
enum { JDI_STACK_CACHE_KEPT = 64 };
struct jdi_stack_cache {
    size_t size;             /* constant after init */
    struct jdi_fault *fault; /* constant after init */
    pthread_mutex_t lock;    /* for all below */
    unsigned kept, taken;
    struct jdi_stack free[JDI_STACK_CACHE_KEPT];
};
void jdi_stack_cache_init(struct jdi_stack_cache *c, size_t size,
                          struct jdi_fault *fault);
/* Any thread, may block on the lock.  0, or JD_ENOMEM. */
int jdi_stack_cache_take(struct jdi_stack_cache *c, struct jdi_stack *out);
void jdi_stack_cache_give(struct jdi_stack_cache *c, const struct jdi_stack *s);
/* Called when every stack was given back. */
void jdi_stack_cache_fini(struct jdi_stack_cache *c);

#endif
