/*
 * fence.c - the heavy half of the fence, by membarrier(2).
 *
 * Role: see fence.h.
 * See: fence.h.
 */
#include "core/fence.h"

#include "core/base.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

bool jdi_fence_start(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void jdi_fence_heavy(void)
{
    atomic_thread_fence(memory_order_seq_cst); /* this thread's own */
    JD_CHECK(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0);
}
