/*
 * sched_deque_claims_outlive_growth.c
 *
 * Role: while claims are open the owner may push, grow and take back.  The claimed slots do not
 *       change until their claim is finished, in any order; then their room is used again.
 * Owner: one thread.  AddressSanitizer sees a buffer that is freed too early.
 * See: sched/deque.h.
 */
#include "test/unit/sched_deque_kit.h"

enum { CLAIMS = 6, EACH = 3, MORE = 5000, ORDERS = 3 };

static bool is_intact(const struct jdi_claim *c, uint64_t first)
{
    for (uint64_t i = 0; i < c->n; i++)
        if (kit_number_of(jdi_claim_slot(c, i)) != first + i)
            return false;
    return c->n == EACH;
}

/* Claims some, grows, claims more, grows again; finishes in the given order. */
static void play(const unsigned order[CLAIMS])
{
    struct jdi_deque d;
    struct jdi_claim claim[CLAIMS];
    uint64_t number = 1;
    bool right = true;
    jdi_deque_init(&d, KIT_SLOT, true, NULL);
    for (unsigned k = 0; k < CLAIMS; k++) {
        while (number <= EACH * (k + 1))
            kit_push(&d, number++);
        jdi_deque_release(&d, EACH);
        right = jdi_deque_claim(&d, EACH, EACH, false, &claim[k]) && right;
        /* Private tasks come and go, and make the ring grow twice on the way. */
        for (uint64_t i = 0; i < MORE / (CLAIMS - k); i++)
            kit_push(&d, 1000000 + i);
        for (uint64_t i = MORE / (CLAIMS - k); i > 0; i--)
            right = kit_pop(&d) == 1000000 + i - 1 && right;
        jdi_deque_check(&d);
    }
    ok(right, "the owner went on as if there were no claims");
    for (unsigned k = 0; k < CLAIMS; k++)
        right = is_intact(&claim[k], 1 + k * EACH) && right;
    ok(right, "%d claims are intact", CLAIMS);
    for (unsigned k = 0; k < CLAIMS; k++) {
        right = is_intact(&claim[order[k]], 1 + order[k] * EACH) && right;
        jdi_deque_finish(&d, &claim[order[k]]);
        for (int i = 0; i < MORE; i++) /* around the ring, over what is finished */
            kit_push(&d, 9);
        for (int i = 0; i < MORE; i++)
            right = kit_pop(&d) == 9 && right;
        jdi_deque_check(&d);
    }
    ok(right, "each until it was finished");
    jdi_deque_fini(&d);
}

/* What has been finished is used again: the ring does not grow without end. */
static void test_room_comes_back(void)
{
    /* Armed far away, the site counts what is asked of it. */
    struct jdi_fault fault = {.armed = {[JDI_FAULT_alloc] = UINT64_MAX}};
    struct jdi_deque d;
    struct jdi_claim c;
    jdi_deque_init(&d, KIT_SLOT, true, &fault);
    for (uint64_t i = 1; i <= 100000; i++) {
        kit_push(&d, i);
        jdi_deque_release(&d, 1);
        if (jdi_deque_claim(&d, 1, 1, false, &c))
            jdi_deque_finish(&d, &c);
    }
    is_u64(atomic_load(&fault.count[JDI_FAULT_alloc]), 1,
           "a ring that is emptied again and again is the same all the time");
    jdi_deque_fini(&d);
}

int main(void)
{
    static const unsigned order[ORDERS][CLAIMS] = {
        {0, 1, 2, 3, 4, 5}, {5, 4, 3, 2, 1, 0}, {3, 0, 5, 1, 4, 2}};
    for (int i = 0; i < ORDERS; i++)
        play(order[i]);
    test_room_comes_back();
    return done_testing();
}
