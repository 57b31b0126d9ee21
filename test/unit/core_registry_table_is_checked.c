/*
 * core_registry_table_is_checked.c
 *
 * Role: which task tables are taken, what their hash tells apart, and look-up by name.
 * Owner: one thread.
 * Invariants: I1 and I2 of core/registry.c.
 * See: core/registry.c.
 */
#include "core/registry.h"
#include "test/kit/tap.h"

#include <string.h>

static void task_a(jd_self *me, void *arg)
{
    (void)me;
    (void)arg;
}

static uint64_t hash_of(const jd_task_def *rows)
{
    struct jdi_registry r;
    char err[256];

    if (jdi_registry_init(&r, rows, err, sizeof err))
        bail_out("%s", err);
    return r.hash;
}

static void test_good(void)
{
    static const jd_task_def rows[] = {
        {"visit", task_a, NULL, 0}, {"fold", task_a, NULL, 0}, JD_TASK_END};
    static const jd_task_def none[] = {JD_TASK_END};
    static const jd_task_def namesake[] = {{"JD_TASK_END", task_a, NULL, 0}, JD_TASK_END};
    static const jd_task_def stacks[] = {JD_TASK_STACK(task_a, 16384),
                                         {"most", task_a, NULL, 1 << 30},
                                         {"any", task_a, NULL, 12345678},
                                         JD_TASK_END};
    struct jdi_registry r;
    char err[256];

    ok(!jdi_registry_init(&r, rows, err, sizeof err) && r.count == 2 && r.row == rows,
       "a table of two; two names may have one function");
    ok(jdi_registry_find(&r, "visit") == 0 && jdi_registry_find(&r, "fold") == 1,
       "names are found");
    ok(jdi_registry_find(&r, "vis") == JD_EINVAL &&
           jdi_registry_find(&r, "") == JD_EINVAL,
       "parts of names are not");
    ok(!jdi_registry_init(&r, none, err, sizeof err) && r.count == 0,
       "a table without rows is one");
    ok(!jdi_registry_init(&r, NULL, err, sizeof err) && r.count == 0 &&
           r.hash == hash_of(none) && jdi_registry_find(&r, "visit") == JD_EINVAL,
       "so is no table");
    ok(!jdi_registry_init(&r, stacks, err, sizeof err) && r.count == 3,
       "rows may ask for stacks of 16 KiB to 1 GiB");
    ok(!jdi_registry_init(&r, namesake, err, sizeof err) && r.count == 1,
       "a row with a function is no end, whatever its name");
}

static void test_bad(void)
{
    static const struct {
        jd_task_def rows[4];
        const char *said;
    } bad[] = {
        {{{"a", task_a, NULL, 0},
          {"b", task_a, NULL, 0},
          {"a", task_a, NULL, 0},
          JD_TASK_END},
         "task table: row 2 (a) has the name of an earlier one"},
        {{{"a", task_a, NULL, 0}, {"", task_a, NULL, 0}, JD_TASK_END},
         "task table: row 1 () has no name"},
        {{{NULL, task_a, NULL, 0}, JD_TASK_END}, "task table: row 0 (NULL) has no name"},
        {{{"a", NULL, NULL, 0}, JD_TASK_END}, "task table: row 0 (a) has no function"},
        {{{"a", task_a, NULL, 16383}, JD_TASK_END},
         "task table: row 0 (a) wants a stack that is not of 16 KiB to 1 GiB"},
        {{{"a", task_a, NULL, 0}, {"b", task_a, NULL, (1u << 30) + 1}, JD_TASK_END},
         "task table: row 1 (b) wants a stack that is not of 16 KiB to 1 GiB"},
        {{[0] = {"a", task_a, NULL, 0}, [2] = {"c", task_a, NULL, 0}, JD_TASK_END},
         "task table: row 1 (NULL) is empty: only JD_TASK_END ends a table"},
        {{{"a", task_a, NULL, 0}, {NULL, NULL, NULL, 0}},
         "task table: row 1 (NULL) is empty: only JD_TASK_END ends a table"},
    };

    for (size_t i = 0; i < JDI_ARRAY_LEN(bad); i++) {
        struct jdi_registry r = {.count = 77};
        char err[256] = "";
        int e = jdi_registry_init(&r, bad[i].rows, err, sizeof err);
        ok(e == JD_EINVAL && r.count == 77,
           "bad table %zu is refused and changes nothing", i);
        is_str(err, bad[i].said, "with the reason");
    }
}

static void test_hash(void)
{
    static const jd_task_def ab[] = {
        {"a", task_a, NULL, 0}, {"b", task_a, NULL, 0}, JD_TASK_END};
    static const jd_task_def ba[] = {
        {"b", task_a, NULL, 0}, {"a", task_a, NULL, 0}, JD_TASK_END};
    static const jd_task_def a[] = {{"a", task_a, NULL, 0}, JD_TASK_END};
    static const jd_task_def glued[] = {{"ab", task_a, NULL, 0}, JD_TASK_END};
    char copy_a[] = "a", copy_b[] = "b";
    jd_task_def copy[] = {
        {copy_a, task_a, NULL, 0}, {copy_b, task_a, NULL, 0}, JD_TASK_END};

    ok(hash_of(ab) == hash_of(copy), "equal names at other addresses: equal hashes");
    ok(hash_of(ab) != hash_of(ba), "another order: another hash");
    ok(hash_of(ab) != hash_of(a), "one row less: another hash");
    ok(hash_of(ab) != hash_of(glued), "another border between names: another hash");
    is_u64(jdi_registry_hash(0, "", 0), 0xcbf29ce484222325u, "FNV-1a of nothing");
    is_u64(jdi_registry_hash(0, "foobar", 6), 0x85944171f73967e8u, "FNV-1a of foobar");
    is_u64(jdi_registry_hash(jdi_registry_hash(0, "foo", 3), "bar", 3),
           jdi_registry_hash(0, "foobar", 6), "a hash can be continued");
}

int main(void)
{
    test_good();
    test_bad();
    test_hash();
    return done_testing();
}
