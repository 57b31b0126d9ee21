/*
 * core_keyed_finds_what_was_put.c
 *
 * Role: entries are found by both words of their key, through growth and without memory for
 *       it, until they are removed.
 * Owner: one thread.
 * See: core/keyed.h.
 */
#include "core/keyed.h"
#include "test/kit/tap.h"

enum { ENTRIES = 3000 };

/* Keys that differ in one word only, and addresses, which have zeros at the end. */
static void number(struct jdi_keyed *e, uint64_t i)
{
    e->key[0] = i % 3 ? i << 6 : i;
    e->key[1] = i % 5 ? 0 : i;
}

static bool all_there(const struct jdi_keytable *t, struct jdi_keyed *e, uint64_t from)
{
    for (uint64_t i = 0; i < ENTRIES; i++) {
        struct jdi_keyed *want = i < from ? NULL : &e[i];
        if (jdi_keyed_find(t, e[i].key[0], e[i].key[1]) != want)
            return false;
    }
    return true;
}

static void run(struct jdi_fault *f, const char *how)
{
    static struct jdi_keyed e[ENTRIES];
    struct jdi_keytable t;
    jdi_keyed_init(&t, f);
    for (uint64_t i = 0; i < ENTRIES; i++) {
        number(&e[i], i + 1);
        jdi_keyed_put(&t, &e[i]);
    }
    jdi_keyed_check(&t);
    ok(all_there(&t, e, 0) && t.n == ENTRIES, "%d entries are found, %s", ENTRIES, how);
    ok(!jdi_keyed_find(&t, 1, 2), "others are not");
    for (uint64_t i = 0; i < ENTRIES / 2; i++)
        jdi_keyed_remove(&t, &e[i]);
    jdi_keyed_check(&t);
    ok(all_there(&t, e, ENTRIES / 2), "half of them after the others were removed");
    for (uint64_t i = ENTRIES / 2; i < ENTRIES; i++)
        jdi_keyed_remove(&t, &e[i]);
    ok(all_there(&t, e, ENTRIES) && t.n == 0, "and none in the end");
    jdi_keyed_fini(&t);
}

int main(void)
{
    struct jdi_fault f = {0};
    char text[64];
    run(NULL, "growing");
    if (jdi_fault_parse(&f, "alloc:1", text, sizeof text))
        bail_out("%s", text);
    run(&f, "the first growth refused");
    return done_testing();
}
