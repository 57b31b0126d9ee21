/*
 * sched_task_layout_is_shared.c
 *
 * Role: a task is found in a slot, spilled or not, and its packed size covers head and
 *       argument in multiples of 16.
 * Owner: one thread.
 * See: sched/task.h.
 */
#include "sched/task.h"
#include "test/kit/tap.h"

enum { SLOT = 64 };

int main(void)
{
    _Alignas(16) unsigned char slot[SLOT], copy[SLOT];
    struct jdi_task *t = (struct jdi_task *)(void *)slot;
    static const struct {
        uint32_t len;
        size_t packed;
    } sizes[] = {{0, 16},  {1, 32},  {16, 32},
                 {17, 48}, {48, 64}, {JDI_TASK_ARG_MAX, 16 + (16 << 20)}};
    for (size_t i = 0; i < JDI_ARRAY_LEN(sizes); i++) {
        t->len = sizes[i].len;
        is_u64(jdi_task_packed(t), sizes[i].packed, "%u bytes of argument", sizes[i].len);
    }
    *t = (struct jdi_task){.id = 5, .fn = 2, .flags = JDI_TASK_SEED};
    ok(jdi_task_arg(t) == slot + JDI_TASK_HEAD, "an argument lies behind the head");
    ok((uintptr_t)jdi_task_arg(t) % JDI_TASK_ALIGN == 0, "aligned");
    jdi_task_set_spill(t, copy);
    ok(jdi_task_arg(t) == copy && jdi_task_spill(t) == copy,
       "or where it was spilled to");
    is_u64(t->flags, JDI_TASK_SEED | JDI_TASK_SPILLED, "the other flags stay");
    for (size_t bytes = 16; bytes <= SLOT; bytes += 16) {
        memset(copy, 0, SLOT);
        memset(slot, 0x5A, SLOT);
        jdi_task_copy(copy, slot, bytes);
        ok(!memcmp(copy, slot, bytes) && (bytes == SLOT || copy[bytes] == 0),
           "%zu bytes are copied, no more", bytes);
    }
    return done_testing();
}
