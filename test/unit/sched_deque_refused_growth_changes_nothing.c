/*
 * sched_deque_refused_growth_changes_nothing.c
 *
 * Role: when there is no memory to grow, push and reserve say so and the deque does not change: no
 *       task is lost, and growth succeeds later when there is memory again.
 * Owner: one thread.
 * See: sched/deque.h, core/fault.h.
 */
#include "test/unit/sched_deque_kit.h"

enum { GROWTHS = 6 };

/* Let the k-th growth fail; does the deque go on afterwards? */
static bool survives(unsigned k)
{
    struct jdi_fault fault = {.armed = {[JDI_FAULT_alloc] = k}};
    struct jdi_deque d;
    jdi_deque_init(&d, KIT_SLOT, true, &fault);
    uint64_t pushed = 0;
    struct jdi_task *t;
    while ((t = jdi_deque_push(&d)) != NULL) {
        kit_number(t, ++pushed);
        jdi_deque_pushed(&d);
    }
    struct jdi_deque before = d;
    bool right = jdi_deque_head(&d) == d.limit && jdi_deque_head(&d) == pushed &&
                 !(pushed > 0 && k == 1);
    jdi_deque_check(&d);
    /* The fault was for one request: from here on there is memory. */
    right = right && jdi_deque_reserve(&d, 1) == 0 &&
            jdi_deque_head(&d) == jdi_deque_head(&before);
    if (k > 1) {
        jdi_deque_release(&d, pushed / 2);
        struct jdi_claim c;
        right = right && jdi_deque_claim(&d, 1, 1, false, &c) &&
                kit_number_of(jdi_claim_slot(&c, 0)) == 1;
        jdi_deque_finish(&d, &c);
    }
    for (uint64_t i = pushed; i > (k > 1); i--)
        right = kit_pop(&d) == i && right;
    jdi_deque_fini(&d);
    return right && kit_pop(&d) == 0;
}

int main(void)
{
    for (unsigned k = 1; k <= GROWTHS; k++)
        ok(survives(k), "allocation %u fails", k);

    struct jdi_fault fault = {.armed = {[JDI_FAULT_alloc] = 2}};
    struct jdi_deque d;
    jdi_deque_init(&d, KIT_SLOT, true, &fault);
    kit_push(&d, 1);
    ok(jdi_deque_reserve(&d, 1) == 0, "there is room");
    struct jdi_deque before = d;
    ok(jdi_deque_reserve(&d, 100000) == JD_ENOMEM, "but not for so many");
    ok(!memcmp(&before, &d, sizeof d), "a refused reserve changes nothing");
    is_u64(kit_pop(&d), 1, "the task is there");
    ok(jdi_deque_reserve(&d, 100000) == 0, "later there is room for many");
    uint64_t limit = d.limit;
    for (uint64_t i = 0; i < 100000; i++)
        kit_push(&d, i);
    is_u64(d.limit, limit, "and pushing them allocates nothing");
    jdi_deque_fini(&d);
    return done_testing();
}
