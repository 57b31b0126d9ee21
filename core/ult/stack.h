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
    bool asked;  /* its size was asked for: it is not the one of all stacks */
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

/* The stacks of one size. */
struct jdi_stack_class {
    size_t size;    /* constant after init */
    uint64_t taken; /* and not given back */
    uint64_t made;
    struct jdi_stack_free *free; /* lies in the free stack itself, at its top */
    uint64_t nfree;
    char *fresh;     /* the next stack of the newest slab that was never used */
    uint64_t nfresh; /* so many from there on */
    struct jdi_stack_slab *slabs;
};

enum {
    JDI_STACK_LEAST = 16 << 10, /* bytes that can be asked for, as in core/knobs.def */
    JDI_STACK_MOST = 1 << 30,
    JDI_STACK_CLASSES = 18 /* the cache's own size, then 16K, 32K ... 1G */
};

/* Free stacks keep their memory for the next taker, but for very large ones. */
struct jdi_stack_cache {
    struct jdi_fault *fault;      /* constant after init */
    enum jdi_stack_guards guards; /* the same */
    pthread_mutex_t lock;         /* for all below */
    const struct jdi_log *log;    /* NULL: it was said that a stack has no guard */
    uint64_t guards_left;         /* that may be made by JDI_STACK_PROTECT */
    struct jdi_stack_class class[JDI_STACK_CLASSES];
};
void jdi_stack_cache_init(struct jdi_stack_cache *c, size_t size, struct jdi_fault *fault,
                          const struct jdi_log *log);
/* A stack of so many bytes, or of a few more; 0: of the cache's own size.  Any thread, may block on the
 * lock.  0, or JD_ENOMEM. */
int jdi_stack_cache_take(struct jdi_stack_cache *c, size_t bytes, struct jdi_stack *out);
void jdi_stack_cache_give(struct jdi_stack_cache *c, const struct jdi_stack *s);
/* Called when every stack was given back. */
void jdi_stack_cache_fini(struct jdi_stack_cache *c);

#endif
