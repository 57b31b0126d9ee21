/*
 * stack.h - stacks that end in a guard, cut from slabs.
 *
 * Role: gives the engines the stacks of their ULTs.
 * Owner: a stack belongs to whoever took it; any stream may use a cache (lock).
 * Invariants: I1 nothing that is used lies in the bytes [map, map + JDI_STACK_GUARD) of a stack.  They are
 *                not accessible either, but for what jdi_stack_guards says.
 *             I2 a free stack is on the list of its cache, or has never been used.
 * Order: jdi_stack_cache.lock is a leaf: nothing is called under it but the kernel and malloc.
 * See: core/ult/guard.h, which names the cause when a stack overflows; doc/rationale.md "Stacks are cut from
 *      slabs".
 */
#ifndef JDI_CORE_ULT_STACK_H
#define JDI_CORE_ULT_STACK_H

#include "core/fault.h"
#include "core/log.h"

#include <pthread.h>

/*
 * More than a page, because a frame larger than a page could step over a smaller guard.  Costs
 * addresses, and half the page table of a stack of 64 KiB.
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

struct jdi_ult_room;
/* Cut the room, which may be NULL, and below it `record` bytes, off the top of a stack.  Returns the
 * record, aligned to a cache line; the rest of the stack is below. */
void *jdi_stack_furnish(const struct jdi_stack *s, size_t record,
                        struct jdi_ult_room *room);

/* One stack in a mapping of its own.  size is rounded up to pages.  0, or JD_ENOMEM. */
int jdi_stack_map(struct jdi_stack *s, size_t size, struct jdi_fault *fault);
void jdi_stack_unmap(struct jdi_stack *s);

/*
 * How a guard is made.  Linux 6.13 marks the guard's pages in the page table; the number of such
 * guards has no limit.  Before that each guard is two mappings more, of which a process may have
 * vm.max_map_count.  Half of them are for guards.  Stacks beyond that have no guard of their own, only
 * the first one of their slab has.
 */
enum jdi_stack_guards { JDI_STACK_INSTALL = 1, JDI_STACK_PROTECT };
/* What this kernel can do, and how many stacks can have a guard of their own, UINT64_MAX: all. */
enum jdi_stack_guards jdi_stack_guards_here(uint64_t *most);

/* Stacks of one size.  A stack that was given back keeps its memory, for the next taker. */
struct jdi_stack_cache {
    size_t size; /* constant after init, as the next three */
    struct jdi_fault *fault;
    const struct jdi_log *log;
    enum jdi_stack_guards guards;
    pthread_mutex_t lock; /* for all below */
    uint64_t taken;       /* and not given back */
    uint64_t made;
    uint64_t guards_left;        /* that may be made by JDI_STACK_PROTECT */
    struct jdi_stack_free *free; /* lies in the free stack itself, at its top */
    char *fresh;     /* the next stack of the newest slab that was never used */
    uint64_t nfresh; /* so many from there on */
    struct jdi_stack_slab *slabs;
};
void jdi_stack_cache_init(struct jdi_stack_cache *c, size_t size, struct jdi_fault *fault,
                          const struct jdi_log *log);
/* Any thread, may block on the lock.  0, or JD_ENOMEM. */
int jdi_stack_cache_take(struct jdi_stack_cache *c, struct jdi_stack *out);
void jdi_stack_cache_give(struct jdi_stack_cache *c, const struct jdi_stack *s);
/* Called when every stack was given back. */
void jdi_stack_cache_fini(struct jdi_stack_cache *c);

#endif
