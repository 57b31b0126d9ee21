/*
 * sched_deque_fini_frees_spilled.c
 *
 * Role: fini frees the spilled arguments of all tasks in the deque, wherever in the ring these lie;
 *       the arguments of claimed tasks belong to the thief.
 * Owner: one thread.
 * See: sched/deque.h.
 */
#include "test/unit/sched_deque_kit.h"

#include <malloc.h>

enum { TASKS = 60, OPEN = 25, CLAIMED = 5, BYTES = 5000 };

/* Bytes in use, exact for blocks that are too large for the cache of a thread. */
static size_t in_use(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

static void push_spilled(struct jdi_deque *d, uint64_t number)
{
    struct jdi_task *t = jdi_deque_push(d);
    void *spill = jdi_alloc(NULL, BYTES);
    if (!t || !spill)
        bail_out("no memory");
    *t = (struct jdi_task){.id = number, .len = BYTES};
    jdi_task_set_spill(t, spill);
    memset(spill, (int)number, BYTES);
    jdi_deque_pushed(d);
}

int main(void)
{
    struct jdi_deque d;
    struct jdi_claim c;
    bool right = true;
    pass("a first line, so that output has its buffer");
    size_t before = in_use();
    jdi_deque_init(&d, 2 * KIT_SLOT, true, NULL);
    for (uint64_t i = 0; i < TASKS; i++) {
        if (i % 3 == 0)
            kit_push(&d, i);
        else
            push_spilled(&d, i);
    }
    size_t full = in_use();
    jdi_deque_release(&d, OPEN);
    ok(jdi_deque_claim(&d, CLAIMED, CLAIMED, false, &c), "a thief claims some");
    for (uint64_t i = 0; i < CLAIMED; i++) {
        const struct jdi_task *t = jdi_claim_slot(&c, i);
        if (!(t->flags & JDI_TASK_SPILLED))
            continue;
        right = right && *(unsigned char *)jdi_task_spill(t) == i;
        jdi_free(jdi_task_spill(t));
    }
    jdi_deque_finish(&d, &c);
    ok(right, "with their arguments, which are its own to free");
    jdi_deque_fini(&d);
    if (KIT_SLOWER > 1) {
        pass("freeing is for the sanitizer to see");
    } else {
        ok(full >= before + (size_t)TASKS / 3 * 2 * BYTES, "memory in use is seen");
        /* Splinters of aligned blocks stay with the allocator. */
        ok(in_use() < before + BYTES, "fini frees all that is left");
    }
    return done_testing();
}
