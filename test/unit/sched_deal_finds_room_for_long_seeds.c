/*
 * sched_deal_finds_room_for_long_seeds.c
 *
 * Role: when seeds are divided between the workers of a rank, each lies in one record afterwards; and the largest
 *       load is at most C times the average, or at most a hundredth more than when all are dealt anew, the longest first.
 *       A load that is even already stays where it is, in its order.  Refused memory is told.
 * Owner: one thread.
 * See: sched/deal.h; doc/balance.md section 6.
 */
#include "sched/deal.h"

#include "core/random.h"
#include "test/unit/sched_rank_kit.h"

#include <stdlib.h>

enum { MOST_WORKERS = 6, MOST_SEEDS = 40, CASES = 3000, POOL = MOST_WORKERS };

static struct kit_rank k;
static const struct jdi_trust surely = {.slope = 1};

/* What a case has: seed i takes time[i], and lies at worker where[i], or is one that arrives (POOL). */
struct deal {
    unsigned workers, n;
    uint64_t time[MOST_SEEDS];
    unsigned where[MOST_SEEDS];
};

static struct jdi_record *record_of(jd_coll *c, unsigned at, struct jdi_record *arrived)
{
    return at == POOL ? arrived : &c->seat[at].account.kept;
}

static void lay_out(jd_coll *c, const struct deal *d, struct jdi_record *arrived)
{
    for (unsigned i = 0; i < d->n; i++) {
        struct jdi_origin o = {.index = i, .time = {jdi_origin_bin(d->time[i])}};
        union {
            struct jdi_task t;
            unsigned char room[sizeof(struct jdi_task) + sizeof o];
        } seed = {.t = {.len = sizeof o, .flags = JDI_TASK_SEED}};
        memcpy(seed.t.arg, &o, sizeof o);
        if (jdi_record_add(record_of(c, d->where[i], arrived), &seed.t, NULL))
            bail_out("no memory");
    }
}

/* Add what lies at each worker to `load`; is each seed there once, and has it its time? */
static bool find_all(jd_coll *c, const struct deal *d, uint64_t *load)
{
    bool seen[MOST_SEEDS] = {false}, right = true;
    unsigned n = 0;
    for (unsigned w = 0; w < d->workers; w++)
        for (const struct jdi_task *t = NULL;
             (t = jdi_record_next(&c->seat[w].account.kept, t)); n++) {
            const struct jdi_origin o = jdi_origin_in(t);
            right = right && o.index < d->n && !seen[o.index] &&
                    o.time[0] == jdi_origin_bin(d->time[o.index]);
            seen[o.index] = true;
            load[w] += jdi_origin_ns(o.time[0]);
        }
    return right && n == d->n;
}

static uint64_t most_of(const uint64_t *load, unsigned n)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < n; i++)
        most = load[i] > most ? load[i] : most;
    return most;
}

static int longer_first(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (x[0] < y[0]) - (x[0] > y[0]);
}

/* The largest load when each seed goes to the least load, the longest first. */
static uint64_t anew(const struct deal *d)
{
    uint64_t time[MOST_SEEDS], load[MOST_WORKERS] = {0};
    for (unsigned i = 0; i < d->n; i++)
        time[i] = jdi_origin_ns(jdi_origin_bin(d->time[i]));
    qsort(time, d->n, sizeof *time, longer_first);
    for (unsigned i = 0; i < d->n; i++) {
        unsigned least = 0;
        for (unsigned w = 1; w < d->workers; w++)
            least = load[w] < load[least] ? w : least;
        load[least] += time[i];
    }
    return most_of(load, d->workers);
}

static uint64_t sum_of_all(const struct deal *d)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < d->n; i++)
        sum += jdi_origin_ns(jdi_origin_bin(d->time[i]));
    return sum;
}

static jd_coll *new_coll(unsigned workers)
{
    jd_coll_props props = {.timed = 1};
    jd_coll *c;
    kit_rank_init(&k, 1, 2, workers);
    k.knobs.balance_donate = "1.003";
    if (jdi_coll_new(&k.rank, &jdi_plain_timed, &props, &c))
        bail_out("no collection");
    return c;
}

/* Deal; the largest load, or UINT64_MAX if a seed is lost or is somewhere twice. */
static uint64_t deal(const struct deal *d)
{
    struct jdi_record arrived = {0};
    uint64_t load[MOST_WORKERS] = {0};
    jd_coll *c = new_coll(d->workers);
    lay_out(c, d, &arrived);
    if (jdi_deal_seeds(c, &arrived, &surely))
        bail_out("no memory");
    bool right = find_all(c, d, load) && !arrived.count;
    jdi_record_free(&arrived);
    jdi_coll_free(c);
    return right ? most_of(load, d->workers) : UINT64_MAX;
}

/* Each could give a long seed away, but nobody has room for it as long as the others keep what they have. */
static void test_long(void)
{
    const struct deal d = {2, 6, {500, 500, 500, 300, 300, 100}, {0, 0, 0, 1, 1, 1}};
    is_u64(deal(&d), 1100, "five hundred find room when all move");
    const struct deal arrives = {
        3, 7, {400, 400, 400, 300, 300, 300, 600}, {0, 0, 1, 1, 2, 2, POOL}};
    is_u64(deal(&arrives), anew(&arrives), "and so does one that arrives");
}

static void draw(uint64_t *rng, struct deal *d)
{
    d->workers = 1 + (unsigned)jdi_random_below(rng, MOST_WORKERS);
    d->n = (unsigned)jdi_random_below(rng, MOST_SEEDS + 1);
    unsigned skew = (unsigned)jdi_random_below(rng, 12);
    for (unsigned i = 0; i < d->n; i++) {
        d->time[i] = 1 + (jdi_random_below(rng, 4096) >> jdi_random_below(rng, skew + 1));
        unsigned at = (unsigned)jdi_random_below(rng, d->workers + 1);
        d->where[i] = at < d->workers ? at : POOL;
    }
}

static void test_any(void)
{
    uint64_t rng = 1;
    unsigned kept = 0, high = 0, tight = 0;
    for (int i = 0; i < CASES; i++) {
        struct deal d;
        draw(&rng, &d);
        uint64_t most = deal(&d), best = anew(&d);
        /* C is 1.003. */
        bool low = 1000 * d.workers * most <= 1003 * sum_of_all(&d);
        kept += most != UINT64_MAX;
        high += !low && most > best + best / 100;
        tight += !low;
    }
    is_u64(kept, CASES, "each seed lies at one worker");
    is_u64(high, 0,
           "no load is above both C times the average and 1.01 times what dealing anew "
           "gives");
    ok(tight > CASES / 4, "in %u cases the average was out of reach", tight);
}

static void test_even(void)
{
    /* 2,300 and 2,310: neither is above C times the average. */
    const struct deal even = {2, 6, {1100, 910, 600, 700, 600, 700}, {0, 1, 0, 1, 0, 1}};
    struct jdi_record arrived = {0};
    jd_coll *c = new_coll(even.workers);
    lay_out(c, &even, &arrived);
    if (jdi_deal_seeds(c, &arrived, &surely))
        bail_out("no memory");
    unsigned in_order = 0;
    for (unsigned w = 0; w < even.workers; w++) {
        uint32_t next = w;
        for (const struct jdi_task *t = NULL;
             (t = jdi_record_next(&c->seat[w].account.kept, t)); next += 2) {
            const struct jdi_origin o = jdi_origin_in(t);
            in_order += o.index == next;
        }
    }
    is_u64(in_order, even.n, "what is even stays where it is, in its order");
    jdi_coll_free(c);
}

static void test_memory(void)
{
    const struct deal d = {2, 6, {500, 500, 500, 300, 300, 100}, {0, 0, 0, 1, 1, 1}};
    int refused = 0, error = JD_ENOMEM;
    for (int at = 1; error; at++) {
        char text[64], spec[32];
        struct jdi_record arrived = {0};
        jd_coll *c = new_coll(d.workers);
        lay_out(c, &d, &arrived);
        snprintf(spec, sizeof spec, "alloc:%d", at);
        if (jdi_fault_parse(&k.am.fault, spec, text, sizeof text))
            bail_out("%s", text);
        error = jdi_deal_seeds(c, &arrived, &surely);
        refused += error == JD_ENOMEM;
        jdi_record_free(&arrived);
        jdi_coll_free(c);
    }
    ok(refused >= 4, "refused memory is told: %d times", refused);
}

int main(void)
{
    test_long();
    test_any();
    test_even();
    test_memory();
    return done_testing();
}
