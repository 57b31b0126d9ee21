/*
 * sched_steal_pause_is_one_sleep.c
 *
 * Role: a thief that has found nothing for long wakes up once for each message, although the answer
 *       to the last one has come meanwhile.  Where a load can be read at once, so that a look needs
 *       no answer, it wakes up as seldom, and looks as often as there are ranks, 64 times at most.
 * Owner: one thread; time is a number.
 * See: sched/steal/steal.c; bench/idle.c, which measures the cost.
 */
#include "test/unit/sched_steal_kit.h"

enum {
    WARM_US = 300000,  /* until it has slowed down */
    SLEEP_NS = 150000, /* the longest by default: JACKDAW_IDLE */
    WAY_NS = 20000,    /* until an answer is there */
    WAKES = 1000
};

struct answer {
    bool open, look;
    uint32_t victim;
    uint64_t since, at;
};

static void deliver(struct kit_thief *t, struct answer *a)
{
    if (!a->open || a->at > t->now)
        return;
    a->open = false;
    if (a->look)
        jdi_steal_load(&t->s, a->victim, 0, a->at > a->since);
    else
        kit_answer(t, a->victim, JDI_STEAL_REFUSED);
}

/* One turn, at time t->now: what has come, then moves; how many. */
static unsigned turn(struct kit_thief *t, struct answer *a, uint64_t way)
{
    unsigned moves = 0;
    deliver(t, a);
    for (struct jdi_steal_move m; (m = kit_move(t)).act != JDI_STEAL_NOTHING;) {
        *a = (struct answer){true, m.act == JDI_STEAL_LOOK, m.victim, t->now,
                             t->now + way};
        moves++;
        deliver(t, a);
    }
    return moves;
}

static void test_one_sleep(const struct jdi_steal_ops *ops, uint32_t nranks, uint64_t way,
                           unsigned each)
{
    struct kit_thief t;
    struct answer a = {0};
    unsigned moves = 0, wakes = 0;
    kit_thief_init(&t, ops, 1, nranks);
    uint64_t warm_at = t.now + WARM_US * UINT64_C(1000);
    while (wakes < WAKES) {
        bool warm = t.now > warm_at;
        unsigned n = turn(&t, &a, way);
        moves += warm ? n : 0;
        wakes += warm;
        uint64_t until = t.s.next_at - t.now;
        t.now += until < SLEEP_NS ? until : SLEEP_NS;
    }
    is_u64(moves, each * wakes, "%s, %u ranks, answers after %u ns: %u a waking",
           ops->name, nranks, (unsigned)way, each);
    jdi_steal_fini(&t.s);
}

int main(void)
{
    test_one_sleep(&jdi_steal_random, 4, WAY_NS, 1);
    test_one_sleep(&jdi_steal_random, 5000, WAY_NS, 1);
    test_one_sleep(&jdi_steal_baseline, 4, WAY_NS, 1);
    test_one_sleep(&jdi_steal_baseline, 4, 0, 4);
    test_one_sleep(&jdi_steal_success_only, 5000, WAY_NS, 1);
    test_one_sleep(&jdi_steal_success_only, 4, 0, 4);
    test_one_sleep(&jdi_steal_success_only, 5000, 0, 64);
    return done_testing();
}
