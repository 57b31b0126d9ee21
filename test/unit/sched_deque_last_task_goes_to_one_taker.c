/*
 * sched_deque_last_task_goes_to_one_taker.c
 *
 * Role: the owner and two thieves reach for the only task at the same moment, and exactly one of
 *       them gets the task.  A deque that gives the task to two, or to none, fails in a few rounds.
 * Owner: the owner's thread, and those of the thieves, which write `stolen`.
 * See: sched/deque.h.
 */
#include "test/unit/sched_deque_kit.h"

#include <pthread.h>

enum { ROUNDS = 100000 / KIT_SLOWER, THIEVES = 2, LINGER = 409, SPINS = 1000 };

struct game {
    struct jdi_deque deque;
    JDI_ALIGNED _Atomic uint64_t stolen; /* tasks that thieves got so far */
    _Atomic uint64_t wrong;
    _Atomic bool over;
};

static void *steal(void *arg)
{
    struct game *g = arg;
    struct jdi_claim c;
    for (unsigned idle = 0; !atomic_load_explicit(&g->over, memory_order_relaxed);) {
        if (!jdi_deque_claim(&g->deque, 0, 9, true, &c)) {
            if (++idle % SPINS == 0)
                tap_breathe();
            continue;
        }
        if (c.n != 1 || kit_number_of(jdi_claim_slot(&c, 0)) == UINT64_MAX)
            atomic_fetch_add_explicit(&g->wrong, 1, memory_order_relaxed);
        jdi_deque_finish(&g->deque, &c);
        atomic_fetch_add_explicit(&g->stolen, 1, memory_order_release);
    }
    return NULL;
}

/* Nobody else looks for it now: it was taken by exactly one of us. */
static bool one_got_it(struct game *g, uint64_t *owned, uint64_t round)
{
    uint64_t number = kit_pop(&g->deque);
    *owned += number != 0;
    if (number != 0 && number != round)
        return false;
    uint64_t want = round - *owned;
    return tap_wait_for(atomic_load_explicit(&g->stolen, memory_order_acquire) == want,
                        10);
}

int main(void)
{
    struct game *g = jdi_zalloc(NULL, sizeof *g);
    pthread_t thief[THIEVES];
    uint64_t owned = 0, round = 1;
    if (!g)
        bail_out("no memory");
    jdi_deque_init(&g->deque, KIT_SLOT, true, NULL);
    for (int i = 0; i < THIEVES; i++)
        if (pthread_create(&thief[i], NULL, steal, g))
            bail_out("no thread");
    for (; round <= ROUNDS; round++) {
        kit_push(&g->deque, round);
        jdi_deque_release(&g->deque, 1);
        for (uint64_t n = round * 7 % LINGER; n > 0; n--)
            __asm__ volatile("" ::: "memory");
        if (!one_got_it(g, &owned, round))
            break;
    }
    atomic_store_explicit(&g->over, true, memory_order_relaxed);
    for (int i = 0; i < THIEVES; i++)
        pthread_join(thief[i], NULL);
    is_u64(round, ROUNDS + 1, "in every round one taker gets the task");
    is_u64(owned + atomic_load(&g->stolen), ROUNDS, "all tasks were taken once");
    is_u64(atomic_load(&g->wrong), 0, "and whole");
    jdi_deque_check(&g->deque);
    diag("the owner got %llu of %d", (unsigned long long)owned, ROUNDS);
    jdi_deque_fini(&g->deque);
    jdi_free(g);
    return done_testing();
}
