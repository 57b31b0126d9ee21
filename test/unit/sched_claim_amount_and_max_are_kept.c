/*
 * sched_claim_amount_and_max_are_kept.c
 *
 * Role: a claim takes the amount that was asked for (0: half, rounded up), never more than `max` or
 *       than is open, wherever the open part lies in the ring.
 * Owner: one thread.
 * See: sched/deque.h.
 */
#include "test/unit/sched_deque_kit.h"

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* One claim on `open` tasks that begin `turned` slots into the ring. */
static bool takes(uint64_t open, uint64_t turned, uint64_t amount, uint64_t max)
{
    struct jdi_deque d;
    struct jdi_claim c = {.n = 99};
    jdi_deque_init(&d, KIT_SLOT, true, NULL);
    for (uint64_t i = 0; i < turned; i++) {
        kit_push(&d, i);
        jdi_deque_release(&d, 1);
        if (!jdi_deque_claim(&d, 1, 1, false, &c))
            return false;
        jdi_deque_finish(&d, &c);
    }
    for (uint64_t i = 1; i <= open; i++)
        kit_push(&d, i);
    jdi_deque_release(&d, open);
    uint64_t want = least(amount ? amount : (open + 1) / 2, least(open, max));
    bool right = jdi_deque_claim(&d, amount, max, false, &c) == (want > 0);
    right = right && (!want || c.n == want);
    for (uint64_t i = 0; right && i < want; i++)
        right = kit_number_of(jdi_claim_slot(&c, i)) == i + 1;
    right = right && jdi_deque_open(&d) == open - want;
    if (want)
        jdi_deque_finish(&d, &c);
    jdi_deque_check(&d);
    if (!right)
        diag("open %d, turned %d, amount %d, max %d: got %d", (int)open, (int)turned,
             (int)amount, (int)max, (int)c.n);
    jdi_deque_fini(&d);
    return right;
}

int main(void)
{
    static const uint64_t amounts[] = {0, 1, 2, 3, 8, 50, UINT64_MAX};
    static const uint64_t maxima[] = {0, 1, 2, 5, 17, UINT64_MAX};
    for (size_t a = 0; a < JDI_ARRAY_LEN(amounts); a++) {
        bool right = true;
        for (size_t m = 0; m < JDI_ARRAY_LEN(maxima); m++)
            for (uint64_t open = 0; open < 20; open++)
                for (uint64_t turned = 0; turned < 20; turned += 3)
                    right = takes(open, turned, amounts[a], maxima[m]) && right;
        ok(right, "claims of %lld", (long long)amounts[a]);
    }
    return done_testing();
}
