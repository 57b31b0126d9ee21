/*
 * sched_names_are_never_used_twice.c
 *
 * Role: a name finds its object while that lives, and nothing afterwards, whoever lives at its place by
 *       then; a place whose generations are used up is not given again; free objects go round between
 *       those who take and those who give, and neighbours stay neighbours.
 * Owner: one thread, then several.
 * See: sched/names.h.
 */
#include "core/random.h"
#include "sched/names.h"
#include "test/kit/tap.h"

#include <pthread.h>

enum { OBJECTS = 1000, ROUNDS = 200, THREADS = 4, TURNS = 20000, HELD = 100 };

struct thing {
    struct jdi_named named; /* first */
    uint64_t number;        /* under the lock; 0: it does not live */
};

static struct jdi_names names;

static uint64_t make_thing(struct jdi_names_kept *kept)
{
    struct jdi_named *o = jdi_names_take(&names, kept);
    if (!o)
        bail_out("no memory");
    uint64_t number = jdi_named_born(o);
    jdi_lock(&o->lock);
    ((struct thing *)(void *)o)->number = number;
    jdi_unlock(&o->lock);
    return number;
}

/* True if it lived. */
static bool end_thing(uint64_t number, struct jdi_names_kept *kept)
{
    struct jdi_named *o = jdi_names_lock(&names, number);
    if (!o)
        return false;
    struct thing *t = (struct thing *)(void *)o;
    bool right = t->number == number;
    t->number = 0;
    jdi_named_dies(o);
    jdi_unlock(&o->lock);
    jdi_names_give(&names, kept, o);
    return right;
}

static void check_thing(struct jdi_named *o)
{
    JD_CHECK(!((struct thing *)(void *)o)->number);
}

static void test_one(void)
{
    static uint64_t number[OBJECTS];
    struct jdi_names_kept kept = {NULL, 0};
    uint64_t found = 0, stale = 0;
    for (int i = 0; i < OBJECTS; i++)
        number[i] = make_thing(&kept);
    for (int i = 0; i < OBJECTS; i++)
        found += end_thing(number[i], &kept);
    for (int i = 0; i < OBJECTS; i++) {
        uint64_t next = make_thing(&kept);
        stale +=
            !end_thing(number[i], &kept) && !end_thing(next ^ UINT64_C(1) << 33, &kept);
        found += end_thing(next, &kept);
    }
    ok(found == 2 * OBJECTS, "each name finds its object");
    ok(stale == OBJECTS, "names that are out of date, and others, find nothing");
    ok(names.made < OBJECTS + 128, "places are used again");
    ok(!jdi_names_lock(&names, 0) && !jdi_names_lock(&names, UINT64_MAX),
       "0 and what is far away are no names");
}

static void test_last_generation(void)
{
    struct jdi_named *o = jdi_names_take(&names, NULL);
    uint32_t place = o->place;
    atomic_store(&o->generation, INT32_MAX - 3);
    jdi_names_give(&names, NULL, o);
    uint64_t last = make_thing(NULL), seen = 0;
    ok((uint32_t)last == place && end_thing(last, NULL), "the last generation lives");
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t next = make_thing(NULL);
        seen += (uint32_t)next == place;
        seen += !end_thing(next, NULL);
    }
    ok(!seen && !end_thing(last, NULL), "its place is not used again");
}

/* What threads pass to each other. */
static _Atomic uint64_t box[HELD];

static void *make_and_end(void *seed)
{
    struct jdi_names_kept kept = {NULL, 0};
    uint64_t rng = (uintptr_t)seed, bad = 0;
    for (int i = 0; i < TURNS; i++) {
        uint64_t other =
            atomic_exchange(&box[jdi_random(&rng) % HELD], make_thing(&kept));
        if (!other)
            continue;
        bad += !end_thing(other, &kept);
        bad += end_thing(other, &kept);
    }
    while (kept.first) { /* as a worker that ends would not */
        struct jdi_named *o = jdi_names_take(&names, &kept);
        jdi_names_give(&names, NULL, o);
    }
    return (void *)(uintptr_t)bad;
}

static void test_threads(void)
{
    pthread_t thread[THREADS];
    uint64_t bad = 0;
    uint32_t made = names.made;
    for (uintptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, make_and_end, (void *)(i + 1)))
            bail_out("no thread");
    for (int i = 0; i < THREADS; i++) {
        void *n;
        pthread_join(thread[i], &n);
        bad += (uintptr_t)n;
    }
    for (int i = 0; i < HELD; i++) {
        uint64_t left = atomic_load(&box[i]);
        bad += left && !end_thing(left, NULL);
    }
    ok(!bad, "%d threads that make and end %d objects each find each once", THREADS,
       TURNS);
    ok(names.made - made < HELD + THREADS * 400, "free ones go round: %u more places",
       names.made - made);
}

/* How often the next name is not a neighbour of the one before. */
static uint64_t jumps(const uint64_t *number)
{
    uint64_t n = 0;
    for (int i = 1; i < OBJECTS; i++) {
        uint32_t step = (uint32_t)number[i] - (uint32_t)number[i - 1];
        n += step != 1 && step != UINT32_MAX;
    }
    return n;
}

/* Whoever goes through many objects in turn finds them in turn in memory. */
static void test_neighbours(void)
{
    static uint64_t number[OBJECTS];
    struct jdi_names_kept kept = {NULL, 0};
    uint64_t most = 0;
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < OBJECTS; i++)
            number[i] = make_thing(&kept);
        uint64_t n = jumps(number);
        most = n > most ? n : most;
        for (int i = 0; i < OBJECTS; i++)
            JD_CHECK(end_thing(number[i], &kept));
    }
    ok(most <= OBJECTS / 20, "what dies in turn is made in turn: %u jumps of %d at most",
       (unsigned)most, OBJECTS);
}

int main(void)
{
    jdi_names_init(&names, sizeof(struct thing), NULL);
    test_neighbours();
    jdi_names_fini(&names, check_thing);
    jdi_names_init(&names, sizeof(struct thing), NULL);
    test_one();
    test_last_generation();
    test_threads();
    jdi_names_fini(&names, check_thing);
    return done_testing();
}
