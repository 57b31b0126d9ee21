/*
 * sched_ask_load_shows_a_loaded_rank.c
 *
 * Role: the load that a rank has published is above the threshold whenever its own number is, for
 *       any threshold, while the number goes up and down; and not more often than needed.  A rank
 *       with fewer open tasks than hungry workers shows half of the tasks, rounded down.
 * Owner: one thread.
 * See: doc/transfer.md "Loads".
 */
#include "test/unit/sched_rank_kit.h"

#include "sched/ask.h"

enum { MOST = 40, WORKERS = 3 };

static uint64_t published;
static unsigned times;

static void note(struct jdi_am *am, unsigned word, uint64_t value)
{
    (void)am, (void)word;
    published = value;
    times++;
}

/* Put tasks onto, or take tasks from, the communication thread's shelf, until n are open. */
static void have(jd_coll *c, uint64_t n)
{
    struct jdi_shelf *s = &c->seat[WORKERS].shelf;
    struct jdi_claim claim;
    uint64_t rng = 1, open = jdi_store_movable(&c->store);
    for (; open < n; open++) {
        if (!jdi_store_land(s))
            bail_out("no memory");
        jdi_store_arrived(s, 1);
    }
    for (; open > n && jdi_store_claim(&c->store, &rng, 1, 1, &claim); open--)
        jdi_store_finish(&claim);
    jdi_ask_turn(c);
}

static void test_threshold(struct kit_rank *k, jd_coll *c, uint64_t threshold)
{
    bool right = true;
    k->rank.steal_config.threshold = threshold;
    have(c, 0);
    times = 0;
    for (uint64_t n = 0; n <= 2 * MOST; n++) {
        uint64_t load = n <= MOST ? n : 2 * MOST - n;
        have(c, load);
        right = right && (published > threshold) == (load > threshold);
    }
    ok(right, "above %d it is seen, and only there", (int)threshold);
    ok(times <= 2 * 7, "with %u changes", times);
}

static void test_hungry(struct kit_rank *k, jd_coll *c)
{
    bool right = true;
    k->rank.steal_config.threshold = 0;
    for (uint32_t hungry = 0; hungry <= WORKERS; hungry++) {
        atomic_store_explicit(&k->rank.hungry, hungry, memory_order_relaxed);
        for (uint64_t open = 0; open < 8; open++) {
            have(c, 0);
            have(c, open);
            uint64_t half = (open + 1) / 2, rest = open - (hungry < half ? hungry : half);
            right = right && (published > 0) == (rest > 0) && published == rest;
        }
    }
    ok(right, "of few tasks half are for hungry workers of the rank");
    atomic_store_explicit(&k->rank.hungry, 0, memory_order_relaxed);
}

int main(void)
{
    static struct kit_rank k;
    static const struct jdi_am_ops ops = {.publish = note};
    jd_coll *c;
    kit_rank_init(&k, 1, 2, WORKERS);
    k.am.ops = &ops;
    k.rank.place.apart = true;
    k.rank.steal = &jdi_steal_baseline;
    if (jdi_coll_new(&k.rank, &jdi_plain_kind, NULL, &c))
        bail_out("no collection");
    kit_open(c);
    for (uint64_t threshold = 0; threshold < 12; threshold++)
        test_threshold(&k, c, threshold);
    test_threshold(&k, c, 1000);
    test_hungry(&k, c);
    have(c, 0);
    jdi_coll_free(c);
    return done_testing();
}
