/*
 * sched_claim_fit_bounds_bytes.c
 *
 * Role: a claim of tasks with large arguments is cut into pieces that each fit into the
 *       length of a message, however many bytes the whole has.
 * Owner: one thread.
 * See: sched/deque.h, jdi_claim_fit; sched/transfer.c.
 */
#include "sched/deque.h"
#include "test/kit/tap.h"

#include <stdlib.h>

enum { SLOT = 32, TASKS = 1024 };

/* A ring of slots whose tasks say that they have `len(i)` bytes of argument elsewhere. */
static struct jdi_claim claim_of(unsigned char *slots, uint64_t from, uint64_t n,
                                 uint32_t (*len)(uint64_t i))
{
    struct jdi_claim c = {slots, TASKS - 1, from, n, SLOT, NULL};
    for (uint64_t i = 0; i < n; i++) {
        struct jdi_task *t = (struct jdi_task *)(void *)jdi_claim_slot(&c, i);
        *t = (struct jdi_task){.flags = JDI_TASK_SPILLED, .len = len(i)};
    }
    return c;
}

static uint32_t largest(uint64_t i)
{
    (void)i;
    return JDI_TASK_ARG_MAX;
}

static uint32_t mixed(uint64_t i)
{
    return i % 7 ? 100 : 4000000;
}

static void test_pieces(const char *name, struct jdi_claim c, uint64_t bytes)
{
    uint64_t pieces = 0, tasks = 0, most = 0, all = 0;
    bool full = true;
    for (uint64_t left = c.n; left;) {
        c.n = left;
        uint64_t n = jdi_claim_fit(&c, bytes), sum = 0;
        for (uint64_t i = 0; i < n; i++)
            sum += jdi_task_packed(jdi_claim_slot(&c, i));
        full =
            full && (n == left || sum + jdi_task_packed(jdi_claim_slot(&c, n)) > bytes);
        most = sum > most ? sum : most;
        all += sum;
        tasks += n;
        left -= n;
        c.from += n;
        pieces++;
    }
    is_u64(tasks, TASKS, "%s: every task is in one piece", name);
    ok(most <= bytes && most <= UINT32_MAX, "%s: no piece has more bytes", name);
    ok(full && pieces >= all / bytes, "%s: and none could have had another task", name);
}

int main(void)
{
    unsigned char *slots = aligned_alloc(64, (size_t)SLOT * TASKS);
    test_pieces("16 GB", claim_of(slots, 700, TASKS, largest), (uint64_t)64 << 20);
    test_pieces("mixed", claim_of(slots, 3, TASKS, mixed), (uint64_t)64 << 20);
    struct jdi_claim c = claim_of(slots, 0, TASKS, largest);
    is_u64(jdi_claim_fit(&c, 1), 1, "one task goes whatever its size");
    free(slots);
    return done_testing();
}
