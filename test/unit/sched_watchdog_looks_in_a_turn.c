/*
 * sched_watchdog_looks_in_a_turn.c
 *
 * Role: a rank that is asked by the watchdog looks at itself in its next turn, because the network may run the handler while
 *       its thread has something in hand; and rank 0 finds a proof also where more than 2^32 messages were counted.
 * See: sched/live/watchdog.h; doc/watchdog.md "The proof".
 */
#include "sched/inspect.h"
#include "sched/live/live.h"
#include "sched/wait/foreign.h"
#include "test/unit/am_fake.h"
#include "test/unit/sched_rank_kit.h"

enum { WAVE = 3, STANDING };

static struct kit_rank k;
static struct fake net;
static struct jdi_live live;
static bool answered[2];

/* A rank of two, whose worker polls and has nothing to do. */
static void begin(uint32_t rank)
{
    kit_rank_init(&k, rank, 2, 1);
    fake_init(&net, rank, 2);
    net.am.max_data = sizeof(struct jdi_standing);
    net.am.idle = &net.am.own_idle;
    jdi_am_set_bound(&net.am, JDI_AM_BOUND_RANKS, 2);
    jdi_am_set_bound(&net.am, JDI_AM_BOUND_CREDITS, 64);
    k.rank.am = &net.am;
    k.worker[0].comm = true;
    live = (struct jdi_live){.rank = &k.rank, .runs = true};
    live.watchdog = (struct jdi_watchdog){.interval = 1000000000, .answered = answered};
    memset(answered, 0, sizeof answered);
    jdi_inspect_init(&k.rank);
    jdi_foreign_init(&k.rank);
    jdi_live_init(&k.rank);
    k.rank.live = &live;
}

static void end(void)
{
    jdi_foreign_free_all(&k.rank);
    fake_fini(&net);
}

static void deliver(uint32_t src, int way, uint32_t number, const struct jdi_standing *s)
{
    struct jdi_am_msg m = {.type = JDI_MSG_STATE, .nargs = 2, .data = s};
    m.len = s ? sizeof *s : 0;
    m.arg[0] = (uint64_t)way | (uint64_t)number << 32;
    jdi_am_deliver(&net.am, src, &m, fake_token(src));
}

static uint32_t sent(void)
{
    uint32_t n, came;
    jdi_am_tally(&net.am, JDI_MSG_STATE, &n, &came);
    return n;
}

static void looks_in_a_turn(void)
{
    begin(1);
    deliver(0, WAVE, 7, NULL);
    is_u64(sent(), 0, "the handler of WAVE does not look");
    ok(k.rank.again, "but it asks for a turn");
    jdi_watchdog_turn(&k.rank);
    is_u64(sent(), 1, "which answers");
    jdi_watchdog_turn(&k.rank);
    is_u64(sent(), 1, "once");
    end();
}

/* Rank 1 has got 2^32 messages of rank 0, and a task of it waits. */
static void proves(uint64_t came, bool hangs)
{
    struct jdi_standing s = {.waits = 1, .came = came};
    struct jdi_collected none[2] = {{NULL, 0, 0}};
    begin(0);
    live.collect.of = none; /* so no state is shown */
    for (uint32_t wave = 1; wave <= 2; wave++) {
        live.watchdog.next_at = 0;
        jdi_watchdog_turn(&k.rank);
        is_u64(live.watchdog.missing, 1, "wave %u has begun", (unsigned)wave);
        deliver(1, STANDING, live.watchdog.number, &s);
    }
    ok(live.watchdog.ended == hangs, "of %llu more that came than were sent: %s",
       (unsigned long long)came, hangs ? "a proof" : "none");
    end();
}

/* Whoever says it: rank 0 of the job, and its listener of rank 0. */
static void suspects_five_times(void)
{
    struct jdi_watchdog d = {.interval = 10};
    unsigned said = 0, last = 0;
    uint64_t at[JDI_WATCHDOG_TIMES] = {0};
    for (uint64_t now = 0; now < 1000; now++)
        for (int who = 0; who < 2; who++)
            if ((last = jdi_watchdog_suspects(&d, 0, now)) > 0 &&
                said++ < JDI_WATCHDOG_TIMES)
                at[last - 1] = now;
    is_u64(said, JDI_WATCHDOG_TIMES, "a job is suspected five times, by whomever");
    for (unsigned i = 0; i < JDI_WATCHDOG_TIMES; i++)
        is_u64(at[i], UINT64_C(10) << i, "the next time after twice as long: %u", i);
}

int main(void)
{
    suspects_five_times();
    looks_in_a_turn();
    proves(0, true);
    proves(UINT64_C(1) << 32, true);
    proves(1, false);
    return done_testing();
}
