/*
 * sched_deque_owner_newest_thief_oldest.c
 *
 * Role: the owner takes the youngest task, private or open; thieves take the oldest tasks; together
 *       they leave none.
 * Owner: one thread.
 * See: sched/deque.h.
 */
#include "test/unit/sched_deque_kit.h"

static void push_range(struct jdi_deque *d, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i <= to; i++)
        kit_push(d, i);
}

/* Claims `amount`: are they first, first + 1, ...? */
static bool claims(struct jdi_deque *d, uint64_t amount, uint64_t first, uint64_t n)
{
    struct jdi_claim c;
    bool right = jdi_deque_claim(d, amount, UINT64_MAX, false, &c) && c.n == n;
    for (uint64_t i = 0; right && i < n; i++)
        right = kit_number_of(jdi_claim_slot(&c, i)) == first + i;
    if (right)
        jdi_deque_finish(d, &c);
    return right;
}

static bool pops(struct jdi_deque *d, uint64_t from, uint64_t to)
{
    bool right = true;
    for (uint64_t i = from; i >= to; i--)
        right = kit_pop(d) == i && right;
    return right;
}

static void test_owner_alone(void)
{
    struct jdi_deque d;
    jdi_deque_init(&d, KIT_SLOT, false, NULL);
    is_u64(kit_pop(&d), 0, "a new deque is empty");
    push_range(&d, 1, 1000);
    ok(pops(&d, 1000, 1), "the owner takes the last first");
    is_u64(kit_pop(&d), 0, "down to the empty deque");
    jdi_deque_fini(&d);
}

static void test_both_ends(void)
{
    struct jdi_deque d;
    struct jdi_claim c;
    jdi_deque_init(&d, KIT_SLOT, true, NULL);
    push_range(&d, 1, 20);
    ok(!jdi_deque_claim(&d, 1, 1, false, &c), "thieves do not see private tasks");
    ok(jdi_deque_stingy(&d), "a deque that shows nothing is stingy");
    jdi_deque_release(&d, 12);
    ok(!jdi_deque_stingy(&d), "no longer after a release");
    is_u64(jdi_deque_open(&d), 12, "what was released is open");
    is_u64(jdi_deque_private(&d), 8, "the rest is private");
    ok(claims(&d, 1, 1, 1) && claims(&d, 3, 2, 3), "thieves take the oldest first");
    ok(pops(&d, 20, 13), "the owner takes its private tasks, the youngest first");
    ok(pops(&d, 12, 9), "then takes back half of the 8 open ones");
    ok(claims(&d, 2, 5, 2), "thieves go on at the old end");
    ok(pops(&d, 8, 7), "the owner gets the rest");
    is_u64(kit_pop(&d), 0, "and nothing is left");
    ok(!jdi_deque_claim(&d, 0, 9, false, &c), "for thieves neither");
    ok(!jdi_deque_stingy(&d), "an empty deque is not stingy");
    jdi_deque_check(&d);
    jdi_deque_fini(&d);
}

static void test_last_task(void)
{
    struct jdi_deque d;
    struct jdi_claim c;
    jdi_deque_init(&d, KIT_SLOT, true, NULL);
    kit_push(&d, 7);
    jdi_deque_release(&d, 1);
    ok(jdi_deque_claim(&d, 0, 9, true, &c) && c.n == 1, "half of one is one");
    is_u64(kit_pop(&d), 0, "what a thief has claimed is not the owner's");
    kit_push(&d, 8);
    is_u64(kit_number_of(jdi_claim_slot(&c, 0)), 7, "nor overwritten by it");
    jdi_deque_finish(&d, &c);
    jdi_deque_release(&d, 1);
    is_u64(kit_pop(&d), 8, "the owner takes back the only open task");
    ok(!jdi_deque_claim(&d, 0, 9, true, &c), "which no thief gets then");
    jdi_deque_check(&d);
    jdi_deque_fini(&d);
}

int main(void)
{
    test_owner_alone();
    test_both_ends();
    test_last_task();
    return done_testing();
}
