/*
 * stack.c - stacks that end in a guard, and a few of them kept.
 *
 * See: stack.h.
 */
#include "core/ult/stack.h"

#include <sys/mman.h>
#include <unistd.h>

/*
 * Linux 6.13 can guard pages inside a mapping.  Then neighbouring stacks are one mapping, and
 * vm.max_map_count does not limit the number of stacks to some 30,000.
 */
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

int jdi_stack_map(struct jdi_stack *s, size_t size, struct jdi_fault *fault)
{
    size = jdi_round_up(size, (size_t)sysconf(_SC_PAGESIZE));
    if (jdi_fault_hit(fault, JDI_FAULT_stack))
        return JD_ENOMEM;
    void *map = mmap(NULL, JDI_STACK_GUARD + size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (map == MAP_FAILED)
        return JD_ENOMEM;
    if (madvise(map, JDI_STACK_GUARD, MADV_GUARD_INSTALL) &&
        mprotect(map, JDI_STACK_GUARD, PROT_NONE)) {
        munmap(map, JDI_STACK_GUARD + size);
        return JD_ENOMEM;
    }
    *s = (struct jdi_stack){map, size};
    return 0;
}

void jdi_stack_unmap(struct jdi_stack *s)
{
    munmap(s->map, JDI_STACK_GUARD + s->size);
    *s = (struct jdi_stack){NULL, 0};
}

void jdi_stack_cache_init(struct jdi_stack_cache *c, size_t size, struct jdi_fault *fault)
{
    *c = (struct jdi_stack_cache){.size = size, .fault = fault};
    pthread_mutex_init(&c->lock, NULL);
}

int jdi_stack_cache_take(struct jdi_stack_cache *c, struct jdi_stack *out)
{
    int rc = 0;
    pthread_mutex_lock(&c->lock);
    if (c->kept)
        *out = c->free[--c->kept];
    else
        rc = jdi_stack_map(out, c->size, c->fault);
    c->taken += rc == 0;
    pthread_mutex_unlock(&c->lock);
    return rc;
}

void jdi_stack_cache_give(struct jdi_stack_cache *c, const struct jdi_stack *s)
{
    struct jdi_stack spill = {NULL, 0};
    struct jdi_stack stack = *s; /* a copy, because *s may lie on that stack */
    pthread_mutex_lock(&c->lock);
    c->taken--;
    if (c->kept < JDI_STACK_CACHE_KEPT)
        c->free[c->kept++] = stack;
    else
        spill = stack;
    pthread_mutex_unlock(&c->lock);
    if (spill.map)
        jdi_stack_unmap(&spill);
}

void jdi_stack_cache_fini(struct jdi_stack_cache *c)
{
    JD_CHECK_EQ(c->taken, 0);
    while (c->kept)
        jdi_stack_unmap(&c->free[--c->kept]);
    pthread_mutex_destroy(&c->lock);
}
