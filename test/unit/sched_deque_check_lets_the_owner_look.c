/*
 * sched_deque_check_lets_the_owner_look.c
 *
 * Role: at the end of a phase another thread checks the deques, while their owners may still look for
 *       tasks: an owner that lowers the head of an empty deque for a moment has not broken it, and nobody
 *       believes that it has private tasks then.
 * Owner: the deque's owner is the second thread; the main thread checks.
 * Invariants: I1 of sched/deque.h.
 * See: sched/deque.c, jdi_deque_check; sched/coll.c, who calls it.
 */
#include "test/unit/sched_deque_kit.h"

#include <pthread.h>

enum { CHECKS = 100000000 / KIT_SLOWER, USED = 3 };

static struct jdi_deque deque;
static _Atomic bool stop;
static _Atomic uint64_t found, looks;

static void *look(void *arg)
{
    (void)arg;
    while (!atomic_load(&stop)) {
        atomic_fetch_add(&found, jdi_deque_pop(&deque) != NULL);
        atomic_fetch_add_explicit(&looks, 1, memory_order_relaxed);
    }
    return NULL;
}

/* How often another thread believed in private tasks of an empty deque. */
static uint64_t check_while_owner_looks(void)
{
    pthread_t owner;
    uint64_t believed = 0;
    atomic_store(&stop, false);
    atomic_store(&looks, 0);
    JD_CHECK(!pthread_create(&owner, NULL, look, NULL));
    while (!atomic_load_explicit(&looks, memory_order_relaxed))
        ;
    for (int i = 0; i < CHECKS; i++) {
        jdi_deque_check(&deque);
        believed += jdi_deque_private(&deque) > 0;
    }
    atomic_store(&stop, true);
    JD_CHECK(!pthread_join(owner, NULL));
    return believed;
}

int main(void)
{
    struct jdi_fault fault = {0};
    jdi_deque_init(&deque, KIT_SLOT, true, &fault);
    ok(check_while_owner_looks() == 0, "a deque that was never used is empty");
    for (uint64_t i = 1; i <= USED; i++) {
        struct jdi_task *t = jdi_deque_push(&deque);
        JD_CHECK(t);
        kit_number(t, i);
        jdi_deque_pushed(&deque);
        JD_CHECK(jdi_deque_pop(&deque));
    }
    ok(check_while_owner_looks() == 0, "a deque that was used is empty");
    ok(atomic_load(&found) == 0, "the owner found nothing");
    jdi_deque_fini(&deque);
    return done_testing();
}
