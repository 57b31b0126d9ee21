/*
 * sched_claim_straight_is_contiguous.c
 *
 * Role: a straight claim is one piece of memory, and leaves slots beyond the end of the ring to the
 *       next claim; together the claims miss no task.
 * Owner: one thread.
 * See: sched/deque.h, sched/transfer.c.
 */
#include "test/unit/sched_deque_kit.h"

enum { TURNS = 64, OPEN = 11 };

/* Are the claim's slots in one piece, numbered from `first` on? */
static bool is_straight(const struct jdi_claim *c, uint64_t first)
{
    const char *base = (const char *)jdi_claim_slot(c, 0);
    for (uint64_t i = 0; i < c->n; i++)
        if ((const char *)jdi_claim_slot(c, i) != base + i * c->slot_size ||
            kit_number_of(jdi_claim_slot(c, i)) != first + i)
            return false;
    return true;
}

/* Empties the open part by straight claims; in how many pieces, 0 if one was not right. */
static unsigned take_straight(struct jdi_deque *d, uint64_t first)
{
    struct jdi_claim c;
    unsigned pieces = 0;
    for (; jdi_deque_claim(d, UINT64_MAX, UINT64_MAX, true, &c); first += c.n) {
        if (!is_straight(&c, first))
            return 0;
        jdi_deque_finish(d, &c);
        pieces++;
    }
    return jdi_deque_open(d) ? 0 : pieces;
}

int main(void)
{
    struct jdi_deque d;
    struct jdi_claim c;
    unsigned one = 0, two = 0, wrong = 0;
    jdi_deque_init(&d, KIT_SLOT, true, NULL);
    for (uint64_t turn = 0; turn < TURNS; turn++) {
        uint64_t first = 1 + turn * OPEN;
        for (uint64_t i = 0; i < OPEN; i++)
            kit_push(&d, first + i);
        jdi_deque_release(&d, OPEN);
        unsigned pieces = take_straight(&d, first);
        one += pieces == 1;
        two += pieces == 2;
        wrong += pieces != 1 && pieces != 2;
        jdi_deque_check(&d);
    }
    is_u64(wrong, 0, "each claim is one piece, in order");
    ok(one > 0 && two > 0, "before the end of the ring and across it (%u, %u)", one, two);

    /* The same across the end without `straight`: one claim. */
    bool wrapped = false;
    for (uint64_t turn = 0; turn < TURNS && !wrapped; turn++) {
        for (uint64_t i = 0; i < OPEN; i++)
            kit_push(&d, 1 + i);
        jdi_deque_release(&d, OPEN);
        if (!jdi_deque_claim(&d, UINT64_MAX, UINT64_MAX, false, &c) || c.n != OPEN)
            break;
        wrapped = !is_straight(&c, 1);
        for (uint64_t i = 0; i < OPEN; i++)
            if (kit_number_of(jdi_claim_slot(&c, i)) != 1 + i)
                wrapped = false;
        jdi_deque_finish(&d, &c);
    }
    ok(wrapped, "another claim goes around the end");
    jdi_deque_fini(&d);
    return done_testing();
}
