/*
 * stack.c - stacks that end in a guard, cut from slabs.
 *
 * Role: the slabs, the list of free stacks, and the guards.
 * Invariants: I1 and I2 of stack.h.
 *             I3 a slab is as many stacks as there were before, so the number of slabs grows with the
 *                logarithm of that of stacks, and then by one each SLAB_BYTES.
 * See: stack.h; test/unit/core_stack_*.
 */
#include "core/ult/stack.h"

#include "core/ult/ult.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

enum {
    SLAB_FIRST = 4,         /* stacks in the first slab */
    SLAB_BYTES = 256 << 20, /* addresses of the largest slab, if it has several stacks */
    KEPT_BYTES =
        64 << 20 /* in free stacks of a size that was asked for: the rest goes back */
};

struct jdi_stack_free {
    struct jdi_stack_free *next;
    void *map;
};

struct jdi_stack_slab {
    struct jdi_stack_slab *next;
    char *map;
    size_t bytes;
};

/* ---- guards ---------------------------------------------------------------------- */

static uint64_t max_map_count(void)
{
    unsigned long long n = 0;
    FILE *f = fopen("/proc/sys/vm/max_map_count", "r");
    bool known = f && fscanf(f, "%llu", &n) == 1;
    if (f)
        fclose(f);
    return known ? n : 65530; /* the kernel's default */
}

enum jdi_stack_guards jdi_stack_guards_here(uint64_t *most)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *map =
        mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool can = map != MAP_FAILED && !madvise(map, page, MADV_GUARD_INSTALL);
    if (map != MAP_FAILED)
        munmap(map, page);
    *most = can ? UINT64_MAX : max_map_count() / 4;
    return can ? JDI_STACK_INSTALL : JDI_STACK_PROTECT;
}

/* Say it once: the log is forgotten. */
static void tell_unguarded(struct jdi_stack_cache *c)
{
    if (c->log)
        jdi_log(c->log, JDI_LOG_WARN,
                "from now on stacks have no guard of their own, because vm.max_map_count "
                "limits the mappings of a process: an overflow there is not named");
    c->log = NULL;
}

/* `first` of its slab: there are so few slabs that it can always have one. */
static void guard_stack(struct jdi_stack_cache *c, void *map, bool first)
{
    if (c->guards == JDI_STACK_INSTALL &&
        !madvise(map, JDI_STACK_GUARD, MADV_GUARD_INSTALL))
        return;
    bool may = first || c->guards_left;
    if (!may || mprotect(map, JDI_STACK_GUARD, PROT_NONE))
        tell_unguarded(c);
    else
        c->guards_left -= c->guards_left > 0;
}

/* ---- mappings -------------------------------------------------------------------- */

/* NULL when out of memory.  No huge pages, because a stack mostly needs one page of 4 KiB. */
static void *map_stacks(size_t bytes)
{
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    (void)madvise(map, bytes, MADV_NOHUGEPAGE); /* a kernel without them refuses */
    return map;
}

int jdi_stack_map(struct jdi_stack *s, size_t size, struct jdi_fault *fault)
{
    size = jdi_round_up(size, (size_t)sysconf(_SC_PAGESIZE));
    if (jdi_fault_hit(fault, JDI_FAULT_stack))
        return JD_ENOMEM;
    void *map = map_stacks(JDI_STACK_GUARD + size);
    if (!map)
        return JD_ENOMEM;
    if (mprotect(map, JDI_STACK_GUARD, PROT_NONE)) {
        munmap(map, JDI_STACK_GUARD + size);
        return JD_ENOMEM;
    }
    *s = (struct jdi_stack){.map = map, .size = size};
    return 0;
}

void jdi_stack_unmap(struct jdi_stack *s)
{
    munmap(s->map, JDI_STACK_GUARD + s->size);
    *s = (struct jdi_stack){NULL, 0, false};
}

/* Map a slab of as many stacks as there are already, or of fewer if there is no room. */
static int add_slab(struct jdi_stack_cache *c, struct jdi_stack_class *k)
{
    size_t each = JDI_STACK_GUARD + k->size;
    uint64_t most = SLAB_BYTES / each, n = k->made > SLAB_FIRST ? k->made : SLAB_FIRST;
    n = n < most ? n : most ? most : 1;
    struct jdi_stack_slab *slab = jdi_alloc(c->fault, sizeof *slab);
    if (!slab)
        return JD_ENOMEM;
    char *map = map_stacks(n * each);
    while (!map && n > 1)
        map = map_stacks((n /= 2) * each);
    if (!map) {
        jdi_free(slab);
        return JD_ENOMEM;
    }
    *slab = (struct jdi_stack_slab){.next = k->slabs, .map = map, .bytes = n * each};
    k->slabs = slab;
    k->fresh = map;
    k->nfresh = n;
    return 0;
}

void *jdi_stack_furnish(const struct jdi_stack *s, size_t record,
                        struct jdi_ult_room *room)
{
    char *top = (char *)jdi_stack_low(s) + s->size;
    if (room) {
        top -= jdi_round_up(room->bytes, JDI_CACHE_LINE);
        room->at = top;
    }
    top -= record;
    return top - ((uintptr_t)top & (JDI_CACHE_LINE - 1));
}

/* ---- the cache ------------------------------------------------------------------- */

void jdi_stack_cache_init(struct jdi_stack_cache *c, size_t size, struct jdi_fault *fault,
                          const struct jdi_log *log)
{
    *c = (struct jdi_stack_cache){.fault = fault, .log = log};
    c->class[0].size = jdi_round_up(size, (size_t)sysconf(_SC_PAGESIZE));
    size_t at = JDI_STACK_LEAST;
    for (unsigned i = 1; i < JDI_STACK_CLASSES; i++, at *= 2)
        c->class[i].size = at;
    c->guards = jdi_stack_guards_here(&c->guards_left);
    pthread_mutex_init(&c->lock, NULL);
}

static struct jdi_stack_class *fitting_class(struct jdi_stack_cache *c, size_t bytes)
{
    unsigned i = 1;
    if (!bytes)
        return c->class;
    while (i + 1 < JDI_STACK_CLASSES && c->class[i].size < bytes)
        i++;
    return &c->class[i];
}

/* Where a free stack keeps its place in the list. */
static struct jdi_stack_free *free_at(const struct jdi_stack *s)
{
    char *top = (char *)jdi_stack_low(s) + s->size;
    return (struct jdi_stack_free *)(void *)top - 1;
}

/* A stack that was never used, or NULL.  Under the lock. */
static void *cut_stack(struct jdi_stack_cache *c, struct jdi_stack_class *k)
{
    if (jdi_fault_hit(c->fault, JDI_FAULT_stack) || (!k->nfresh && add_slab(c, k)))
        return NULL;
    char *map = k->fresh;
    k->fresh += JDI_STACK_GUARD + k->size;
    k->nfresh--;
    k->made++;
    guard_stack(c, map, map == k->slabs->map);
    return map;
}

int jdi_stack_cache_take(struct jdi_stack_cache *c, size_t bytes, struct jdi_stack *out)
{
    struct jdi_stack_class *k = fitting_class(c, bytes);
    pthread_mutex_lock(&c->lock);
    struct jdi_stack_free *was = k->free;
    void *map = was ? was->map : cut_stack(c, k);
    if (was) {
        k->free = was->next;
        k->nfree--;
    }
    k->taken += map != NULL;
    pthread_mutex_unlock(&c->lock);
    if (!map)
        return JD_ENOMEM;
    *out = (struct jdi_stack){.map = map, .size = k->size, .asked = bytes > 0};
    return 0;
}

/* Is there much memory in free stacks of this class? */
static bool keeps_much(struct jdi_stack_cache *c, const struct jdi_stack_class *k)
{
    pthread_mutex_lock(&c->lock);
    bool much = k->nfree * k->size >= KEPT_BYTES;
    pthread_mutex_unlock(&c->lock);
    return much;
}

void jdi_stack_cache_give(struct jdi_stack_cache *c, const struct jdi_stack *s)
{
    struct jdi_stack stack = *s; /* a copy, because *s may lie on that stack */
    struct jdi_stack_class *k = fitting_class(c, stack.asked ? stack.size : 0);
    JD_ASSERT(k->size == stack.size);
    if (stack.asked && keeps_much(c, k))
        (void)madvise(jdi_stack_low(&stack), stack.size, MADV_DONTNEED);
    struct jdi_stack_free *now = free_at(&stack);
    pthread_mutex_lock(&c->lock);
    *now = (struct jdi_stack_free){k->free, stack.map};
    k->free = now;
    k->nfree++;
    k->taken--;
    pthread_mutex_unlock(&c->lock);
}

static void unmap_slabs(struct jdi_stack_class *k)
{
    JD_CHECK_EQ(k->taken, 0);
    while (k->slabs) {
        struct jdi_stack_slab *slab = k->slabs;
        k->slabs = slab->next;
        munmap(slab->map, slab->bytes);
        jdi_free(slab);
    }
}

void jdi_stack_cache_fini(struct jdi_stack_cache *c)
{
    for (unsigned i = 0; i < JDI_STACK_CLASSES; i++)
        unmap_slabs(&c->class[i]);
    pthread_mutex_destroy(&c->lock);
}
