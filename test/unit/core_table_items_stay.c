/*
 * core_table_items_stay.c
 *
 * Role: a table has no items before they are made, and keeps their addresses and contents when it grows;
 *       threads that grow it at once make each chunk once; without memory nothing changes.
 * Owner: one thread, then several.
 * See: core/table.h.
 */
#include "core/table.h"
#include "test/kit/tap.h"

#include <pthread.h>

enum { ITEMS = 20000, THREADS = 4 };

struct item {
    uint64_t word[3];
};

static uint64_t *word_at(const struct jdi_table *t, uint32_t place)
{
    struct item *i = jdi_table_at(t, place);
    return i ? i->word : NULL;
}

static void test_growth(void)
{
    static uint64_t *seen[ITEMS];
    struct jdi_table t;
    uint64_t early = 0, zero = 0, stays = 0, apart = 0;
    jdi_table_init(&t, sizeof(struct item), NULL);
    for (uint32_t i = 0; i < ITEMS; i++) {
        early += !word_at(&t, i);
        if (jdi_table_grow(&t, i))
            bail_out("no memory");
        seen[i] = word_at(&t, i);
        zero += !seen[i][0] && !seen[i][2];
        seen[i][0] = seen[i][2] = i + 1;
    }
    for (uint32_t i = 0; i < ITEMS; i++) {
        stays += word_at(&t, i) == seen[i];
        apart += seen[i][0] == i + 1 && seen[i][2] == i + 1;
    }
    ok(early > 4 && early < 20, "few places need a growth");
    ok(zero == ITEMS, "items are zero at first");
    ok(stays == ITEMS && apart == ITEMS, "they stay where they are, and as they are");
    ok(!word_at(&t, UINT32_MAX) && !word_at(&t, 1U << 30), "others are not there");
    ok(jdi_table_grow(&t, UINT32_MAX) == JD_ENOMEM, "nor can the last ones be");
    jdi_table_fini(&t);
}

static void test_refused(void)
{
    struct jdi_fault f = {0};
    struct jdi_table t;
    char text[64];
    if (jdi_fault_parse(&f, "alloc:1", text, sizeof text))
        bail_out("%s", text);
    jdi_table_init(&t, sizeof(struct item), &f);
    ok(jdi_table_grow(&t, 100) == JD_ENOMEM && !word_at(&t, 100),
       "without memory there are no items");
    ok(!jdi_table_grow(&t, 100) && word_at(&t, 100), "and later there are");
    jdi_table_fini(&t);
}

static void *grow_all(void *table)
{
    struct jdi_table *t = table;
    for (uint32_t i = 0; i < ITEMS; i++) {
        if (jdi_table_grow(t, i))
            bail_out("no memory");
        atomic_fetch_add_explicit((_Atomic uint64_t *)word_at(t, i), 1,
                                  memory_order_relaxed);
    }
    return NULL;
}

static void test_threads(void)
{
    struct jdi_table t;
    pthread_t thread[THREADS];
    uint64_t all = 0;
    jdi_table_init(&t, sizeof(struct item), NULL);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, grow_all, &t))
            bail_out("no thread");
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (uint32_t i = 0; i < ITEMS; i++)
        all += *word_at(&t, i) == THREADS;
    ok(all == ITEMS, "%d threads that grow it at once see the same items", THREADS);
    jdi_table_fini(&t);
}

int main(void)
{
    test_growth();
    test_refused();
    test_threads();
    return done_testing();
}
