/*
 * core_idle_wake_meets_prepare.c
 *
 * Role: in each of many rounds one, or three, threads post work and wake at the moment at
 *       which the waiter announces itself.  Without a full fence on both sides, waiter and
 *       waker miss each other here in every second run; a waker that relies on another one's
 *       wake must not be forgotten either.
 * Owner: round: the waiter; posted: the wakers.
 * Invariants: I1 of core/idle.h, I3 of core/idle.c.
 * Order: posts are relaxed: what orders them is the eventcount alone.
 * See: core/idle.c.
 */
#include "core/idle.h"
#include "core/time.h"
#include "test/kit/tap.h"

#include <pthread.h>

enum { MOST_WAKERS = 3, SPINS = 200 };
#define PATIENCE_NS UINT64_C(20000000000)

struct box {
    uint32_t rounds;
    JDI_ALIGNED _Atomic uint32_t round; /* the one that may be posted for */
    JDI_ALIGNED _Atomic uint32_t posted;
    JDI_ALIGNED struct jdi_idle idle;
};

/* So that the two sides meet at all the instructions, one after the other. */
static void linger(uint32_t n)
{
    while (n-- > 0)
        __asm__ volatile("" ::: "memory");
}

static void *post_each_round(void *arg)
{
    struct box *b = arg;

    for (uint32_t r = 1; r <= b->rounds; r++) {
        for (unsigned n = 0; atomic_load_explicit(&b->round, memory_order_acquire) < r;
             n++)
            if (n > SPINS)
                tap_breathe();
        linger(r * 7 % 61);
        atomic_fetch_add_explicit(&b->posted, 1, memory_order_relaxed);
        jdi_idle_wake(&b->idle);
    }
    return NULL;
}

/* Sleeps unless all posts of the round are there; false if a wait timed out. */
static bool take_round(struct box *b, uint32_t expected)
{
    while (atomic_load_explicit(&b->posted, memory_order_relaxed) < expected) {
        uint64_t start = jdi_time_ns();
        uint32_t key = jdi_idle_prepare(&b->idle);
        if (atomic_load_explicit(&b->posted, memory_order_relaxed) >= expected)
            jdi_idle_cancel(&b->idle);
        else
            jdi_idle_wait(&b->idle, key, PATIENCE_NS);
        if (jdi_time_ns() - start >= PATIENCE_NS)
            return false;
    }
    return true;
}

static void play(uint32_t wakers, uint32_t rounds)
{
    struct box b = {.rounds = rounds};
    pthread_t waker[MOST_WAKERS];
    uint32_t lost = 0, r;

    jdi_idle_init(&b.idle);
    for (uint32_t i = 0; i < wakers; i++)
        if (pthread_create(&waker[i], NULL, post_each_round, &b))
            bail_out("no thread");
    for (r = 1; r <= rounds && !lost; r++) {
        atomic_store_explicit(&b.round, r, memory_order_release);
        linger(r * 11 % 401);
        lost += !take_round(&b, r * wakers);
    }
    atomic_store_explicit(&b.round, rounds, memory_order_release);
    for (uint32_t i = 0; i < wakers; i++)
        pthread_join(waker[i], NULL);
    is_u64(lost, 0, "%u wakers, %u rounds: no wake was lost", wakers, r - 1);
}

int main(void)
{
    play(1, 50000);
    play(MOST_WAKERS, 4000);
    return done_testing();
}
