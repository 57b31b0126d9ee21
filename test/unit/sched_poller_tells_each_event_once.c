/*
 * sched_poller_tells_each_event_once.c
 *
 * Role: descriptors are armed and become ready again and again, while threads take turns, cease to, and say so, at
 *       random: each event is told once, with the tag of its arming, by one of them or by the poller's
 *       thread; and by that thread when nobody else looks.
 * Owner: the main thread arms; `told` is written by whoever is told.
 * See: sched/wait/poller.h; doc/waiting.md "Descriptors".
 */
#include "core/random.h"
#include "jackdaw.h"
#include "sched/wait/poller.h"
#include "test/kit/tap.h"

#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { FDS = 8, LOOKERS = 2, ROUNDS = 2000, ALONE = 50, LIMIT_S = 20 };

struct game {
    struct jdi_poller poller;
    int fd[FDS];
    _Atomic uint64_t told[FDS], wrong, by_thread, by_others; /* told: the last round */
    _Atomic bool over;
    _Atomic uint64_t seed;
};

static void note_ready(void *ctx, void *by, uint64_t tag, int ready)
{
    struct game *g = ctx;
    uint64_t i = tag % FDS, round = tag / FDS;
    bool right = ready == JD_IN && atomic_load(&g->told[i]) + 1 == round;
    atomic_fetch_add(by ? &g->by_others : &g->by_thread, 1);
    atomic_fetch_add(&g->wrong, !right);
    atomic_store(&g->told[i], round);
}

static void *take_turns(void *game)
{
    struct game *g = game;
    uint64_t rng = (atomic_fetch_add(&g->seed, 1) + 1) * UINT64_C(0x9E3779B97F4A7C15);
    while (!atomic_load(&g->over))
        switch (jdi_random_below(&rng, 8)) {
        case 0:
            jdi_poller_watch(&g->poller);
            break;
        case 1:
            (void)jdi_poller_turn(&g->poller, g, true);
            break;
        case 2:
            (void)jdi_poller_turn(&g->poller, g, false);
            break;
        case 3:
            tap_breathe();
            break;
        default:
            jdi_poller_turn_if_due(&g->poller, g);
        }
    return NULL;
}

/* One event for each descriptor; false: one was not told. */
static bool play_round(struct game *g, uint64_t round)
{
    bool told = true;
    for (uint64_t i = 0; i < FDS; i++)
        told = !jdi_poller_arm(&g->poller, g->fd[i], JD_IN, round * FDS + i, round > 1) &&
               !eventfd_write(g->fd[i], 1) && told;
    for (int i = 0; i < FDS && told; i++) {
        eventfd_t unused;
        told = tap_wait_for(atomic_load(&g->told[i]) == round, LIMIT_S) &&
               !eventfd_read(g->fd[i], &unused);
    }
    return told;
}

static void play(struct game *g)
{
    pthread_t looker[LOOKERS];
    uint64_t round = 0;
    bool told = true;
    for (int i = 0; i < LOOKERS; i++)
        if (pthread_create(&looker[i], NULL, take_turns, g))
            bail_out("no thread");
    while (told && round < ROUNDS)
        told = play_round(g, ++round);
    atomic_store(&g->over, true);
    for (int i = 0; i < LOOKERS; i++)
        pthread_join(looker[i], NULL);
    ok(told && atomic_load(&g->by_others) > 0, "each event is told while others look");
    uint64_t others = atomic_load(&g->by_others), before = atomic_load(&g->by_thread);
    while (told && round < ROUNDS + ALONE)
        told = play_round(g, ++round);
    ok(told, "and when nobody does");
    is_u64(atomic_load(&g->by_thread) - before, ALONE * FDS, "then by the thread");
    is_u64(atomic_load(&g->by_others), others, "and nobody else");
    is_u64(atomic_load(&g->wrong), 0, "each once, with the tag of its arming");
}

int main(void)
{
    static struct game g;
    static struct jdi_fault none;
    g.poller.on_ready = note_ready;
    g.poller.ctx = &g;
    for (int i = 0; i < FDS; i++)
        g.fd[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ok(!jdi_poller_start(&g.poller, &none), "the poller starts");
    play(&g);
    jdi_poller_stop(&g.poller);
    for (int i = 0; i < FDS; i++)
        close(g.fd[i]);
    return done_testing();
}
