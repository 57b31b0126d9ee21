/*
 * sched_steal_pause_is_one_sleep.c
 *
 * Role: a thief that has found nothing for long wakes up once for each move, although the answer to
 *       the last move has come meanwhile.  The same holds where a load can be read at once, so
 *       that a look needs no answer.
 * Owner: one thread; time is a number.
 * See: sched/steal/steal.c; bench/idle.c, which measures the cost.
 */
#include "test/unit/sched_steal_kit.h"

enum {
    RANKS = 4,
    SLEEP_NS = 150000, /* the longest by default: JACKDAW_IDLE */
    WAY_NS = 20000,    /* until an answer is there */
    WARM = 50,
    WAKES = 1000
};

struct answer {
    bool open, look;
    uint32_t victim;
    uint64_t at;
};

static void deliver(struct kit_thief *t, struct answer *a)
{
    if (!a->open || a->at > t->now)
        return;
    a->open = false;
    if (a->look)
        jdi_steal_load(&t->s, a->victim, 0);
    else
        kit_answer(t, a->victim, JDI_STEAL_REFUSED);
}

/* One turn, at time t->now: what has come, then moves; how many. */
static unsigned turn(struct kit_thief *t, struct answer *a, uint64_t way)
{
    unsigned moves = 0;
    deliver(t, a);
    for (struct jdi_steal_move m; (m = kit_move(t)).act != JDI_STEAL_NOTHING;) {
        *a = (struct answer){true, m.act == JDI_STEAL_LOOK, m.victim, t->now + way};
        moves++;
        deliver(t, a);
    }
    return moves;
}

static void test_one_sleep(const struct jdi_steal_ops *ops, uint64_t way)
{
    struct kit_thief t;
    struct answer a = {0};
    unsigned moves = 0, wakes = 0;
    kit_thief_init(&t, ops, 1, RANKS);
    for (int i = 0; i < WARM + WAKES; i++) {
        unsigned n = turn(&t, &a, way);
        moves += i < WARM ? 0 : n;
        wakes += i >= WARM;
        uint64_t until = t.s.next_at - t.now;
        t.now += until < SLEEP_NS ? until : SLEEP_NS;
    }
    ok(moves == wakes, "%s, answers after %u ns: %u wakings, %u moves", ops->name,
       (unsigned)way, wakes, moves);
    jdi_steal_fini(&t.s);
}

int main(void)
{
    test_one_sleep(&jdi_steal_random, WAY_NS);
    test_one_sleep(&jdi_steal_baseline, WAY_NS);
    test_one_sleep(&jdi_steal_baseline, 0);
    test_one_sleep(&jdi_steal_success_only, WAY_NS);
    test_one_sleep(&jdi_steal_success_only, 0);
    return done_testing();
}
