/*
 * core_idle_wake_is_never_lost.c
 *
 * Role: two threads pass a ball 200,000 times; whoever does not have it sleeps for as long
 *       as the deadline, so that a single lost wake shows as a time-out.
 * Owner: turn: the thread whose turn it is; each idle: one waiter, one waker.
 * Invariants: I1 of core/idle.h.
 * Order: turn is released and acquired, for `plain`; that nobody sleeps while having the
 *        ball is the eventcount's doing.
 * See: core/idle.c.
 */
#include "core/idle.h"
#include "core/time.h"
#include "test/kit/tap.h"

#include <pthread.h>

enum { PASSES = 200000 };
#define PATIENCE_NS UINT64_C(20000000000)

struct game {
    _Atomic uint32_t turn; /* passes made; even: player 0 has the ball */
    struct jdi_idle idle[2];
    uint32_t late[2]; /* waits that ended by time-out */
    uint32_t plain;   /* written by whoever has the ball: TSan watches it */
};

struct player {
    struct game *game;
    uint32_t number;
};

static bool has_ball(struct game *g, uint32_t number)
{
    return (atomic_load_explicit(&g->turn, memory_order_acquire) & 1) == number;
}

/* False when the wait ended by time-out: the wake was lost. */
static bool await_ball(struct game *g, uint32_t number)
{
    uint64_t end = jdi_time_ns() + PATIENCE_NS;

    while (!has_ball(g, number)) {
        uint32_t key = jdi_idle_prepare(&g->idle[number]);
        if (has_ball(g, number))
            jdi_idle_cancel(&g->idle[number]);
        else
            jdi_idle_wait(&g->idle[number], key, PATIENCE_NS);
        if (jdi_time_ns() > end)
            return false;
    }
    return true;
}

static void *play(void *arg)
{
    struct player *p = arg;
    struct game *g = p->game;

    jdi_idle_thread_init();
    for (uint32_t i = p->number; i < PASSES; i += 2) {
        if (!await_ball(g, p->number)) {
            g->late[p->number]++;
            break;
        }
        g->plain++;
        atomic_store_explicit(&g->turn, i + 1, memory_order_release);
        jdi_idle_wake(&g->idle[1 - p->number]);
    }
    return NULL;
}

int main(void)
{
    struct game g = {0};
    struct player p[2] = {{&g, 0}, {&g, 1}};
    pthread_t other;

    jdi_idle_init(&g.idle[0]);
    jdi_idle_init(&g.idle[1]);
    if (pthread_create(&other, NULL, play, &p[1]))
        bail_out("no thread");
    play(&p[0]);
    pthread_join(other, NULL);
    is_u64(g.late[0] + g.late[1], 0, "no wait ended by its time-out");
    is_u64(g.plain, PASSES, "the ball was passed %d times", PASSES);
    return done_testing();
}
