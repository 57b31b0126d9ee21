/*
 * sched_wheel_follows_a_sorted_list.c
 *
 * Role: a million timers leave a wheel in the order of a sorted list, each in the turn of its deadline;
 *       and a wheel to which timers are added, and from which they are removed, between turns of every
 *       length gives back what a plain list gives.
 * Owner: one thread.
 * Invariants: I1 to I3 of sched/wait/wheel.h.
 * See: doc/waiting.md "The wheel".
 */
#include "core/random.h"
#include "sched/wait/wheel.h"
#include "test/kit/tap.h"

#include <stdlib.h>

enum { MANY = 1000000, REMOVED_EACH = 7, ALIVE = 200, STEPS = 25000, CHECK_EACH = 64 };
enum { MOST = 256 };

struct entry {
    struct jdi_timer timer; /* first, for the cast from a timer */
    uint64_t order;         /* of adding */
    uint64_t counts_as;     /* its deadline, or the time of adding if that is later */
    bool in;
};

static struct jdi_wheel wheel;

static int by_deadline(const void *a, const void *b)
{
    const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;
    if (x->counts_as != y->counts_as)
        return x->counts_as < y->counts_as ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Some are near and some are far; many are equal. */
static uint64_t some_delay(uint64_t *rng)
{
    unsigned bits = jdi_random_below(rng, 45);
    uint64_t delay = jdi_random(rng) >> (63 - bits);
    return jdi_random_below(rng, 4) ? delay : delay & ~UINT64_C(0xFFFFF);
}

static void add_entry(struct entry *e, uint64_t at, uint64_t order)
{
    e->timer.at = at;
    e->order = order;
    e->counts_as = at > wheel.now ? at : wheel.now;
    e->in = true;
    jdi_wheel_add(&wheel, &e->timer);
}

/* ---- a million ----------------------------------------------------------------------- */

/* Whoever sleeps until jdi_wheel_next, and calls then, finds each timer at its very deadline. */
static void test_million(void)
{
    struct entry *e = calloc(MANY, sizeof *e), **sorted = calloc(MANY, sizeof(void *));
    uint64_t rng = 4711, begin = UINT64_C(1) << 62, left = 0, turns = 0, i = 0;
    bool in_order = true, on_time = true, not_late = true;
    if (!e || !sorted)
        bail_out("no memory");
    jdi_wheel_init(&wheel, begin);
    for (uint64_t k = 0; k < MANY; k++)
        add_entry(&e[k], begin + some_delay(&rng), k);
    for (uint64_t k = 0; k < MANY; k++)
        if (k % REMOVED_EACH == 0)
            jdi_wheel_remove(&wheel, &e[k].timer);
        else
            sorted[left++] = &e[k];
    qsort(sorted, left, sizeof(void *), by_deadline);
    jdi_wheel_check(&wheel);
    for (uint64_t at; (at = jdi_wheel_next(&wheel)) != UINT64_MAX; turns++) {
        struct jdi_timer *list = NULL;
        not_late = not_late && i < left && at <= sorted[i]->timer.at;
        jdi_wheel_expire(&wheel, at, MOST, &list);
        for (; list; list = list->next, i++) {
            in_order = in_order && i < left && list == &sorted[i]->timer;
            on_time = on_time && list->at == at;
        }
    }
    is_u64(i, left, "all leave that were not removed, in %llu turns",
           (unsigned long long)turns);
    ok(in_order, "they leave in the order of a sorted list");
    ok(on_time, "each leaves in the turn of its deadline");
    ok(not_late, "no turn is later than the next deadline");
    is_u64(wheel.timers, 0, "the wheel is empty");
    free(e);
    free(sorted);
}

/* One turn takes few, however many have the same deadline. */
static void test_bounded(void)
{
    struct entry *e = calloc(MANY, sizeof *e);
    uint64_t taken = 0, turns = 0;
    unsigned most = 0;
    if (!e)
        bail_out("no memory");
    jdi_wheel_init(&wheel, 0);
    for (uint64_t k = 0; k < MANY; k++)
        add_entry(&e[k], 1000000000, k);
    for (; wheel.timers && turns < MANY; turns++) {
        struct jdi_timer *list = NULL;
        unsigned n = jdi_wheel_expire(&wheel, 1000000000, MOST, &list);
        most = n > most ? n : most;
        for (; list; list = list->next)
            if (list == &e[taken].timer)
                taken++;
    }
    is_u64(taken, MANY, "equal deadlines leave in the order of adding");
    ok(most <= MOST, "a turn takes %u at most", most);
    free(e);
}

/* ---- against a list ------------------------------------------------------------------- */

static struct entry alive[ALIVE];

static struct entry *first_of_list(void)
{
    struct entry *best = NULL;
    for (int i = 0; i < ALIVE; i++) {
        struct entry *e = &alive[i];
        if (e->in && (!best || by_deadline(&(struct entry *){e}, &best) < 0))
            best = e;
    }
    return best;
}

/* Turn to `until`; true if the wheel gave what the list gives. */
static bool turn(uint64_t until, unsigned most)
{
    struct jdi_timer *list = NULL;
    bool same = true;
    unsigned n = jdi_wheel_expire(&wheel, until, most, &list);
    for (unsigned i = 0; i < n; i++, list = list->next) {
        struct entry *want = first_of_list();
        same = same && want && list == &want->timer && want->counts_as <= until;
        ((struct entry *)(void *)list)->in = false;
    }
    const struct entry *rest = first_of_list();
    return same && (n == most || !rest || rest->counts_as > until || wheel.moving);
}

static void test_list(uint64_t seed)
{
    uint64_t rng = seed, now = jdi_random(&rng) >> 8;
    bool same = true, not_late = true;
    jdi_wheel_init(&wheel, now);
    for (uint64_t step = 0; step < STEPS; step++) {
        struct entry *e = &alive[jdi_random_below(&rng, ALIVE)];
        uint64_t early = jdi_random_below(&rng, 16) ? 0 : now / 2; /* long past */
        if (!e->in) {
            add_entry(e, now - early + some_delay(&rng), step);
        } else if (jdi_random_below(&rng, 2)) {
            jdi_wheel_remove(&wheel, &e->timer);
            e->in = false;
        } else {
            now += some_delay(&rng) >> jdi_random_below(&rng, 30);
            same = turn(now, 1 + jdi_random_below(&rng, 8)) && same;
        }
        const struct entry *first = first_of_list();
        uint64_t next = jdi_wheel_next(&wheel);
        not_late = not_late && (first ? next <= first->counts_as : next == UINT64_MAX);
        if (step % CHECK_EACH == 0)
            jdi_wheel_check(&wheel);
    }
    while (same && first_of_list())
        same = turn(UINT64_MAX, ALIVE);
    ok(same, "seed %llu: as a list", (unsigned long long)seed);
    ok(not_late, "seed %llu: no turn is later than the next deadline",
       (unsigned long long)seed);
}

int main(void)
{
    test_million();
    test_bounded();
    for (uint64_t seed = 1; seed <= 8; seed++)
        test_list(seed);
    return done_testing();
}
