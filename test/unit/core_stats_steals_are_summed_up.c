/*
 * core_stats_steals_are_summed_up.c
 *
 * Role: times fall into the class that holds them, quantiles are the upper ends of classes,
 *       and the table says what steals, looks at neighbours and delays were if there were any.
 * Owner: one thread.
 * See: core/stats.c.
 */
#include "core/stats.h"
#include "test/kit/tap.h"

#include <stdlib.h>
#include <string.h>

static void test_classes(void)
{
    uint64_t c[JDI_STATS_TIMES] = {0};
    static const uint64_t ns[] = {0, 256, 257, 512, 513, 1024, UINT64_MAX};
    static const unsigned class[] = {0, 0, 1, 1, 2, 2, JDI_STATS_TIMES - 1};
    for (size_t i = 0; i < JDI_ARRAY_LEN(ns); i++) {
        uint64_t before = c[class[i]];
        jdi_stats_log2(c, JDI_STATS_TIMES, ns[i]);
        is_u64(c[class[i]], before + 1, "%llu ns", (unsigned long long)ns[i]);
    }
}

static void test_quantiles(void)
{
    uint64_t c[JDI_STATS_TIMES] = {0};
    is_u64(jdi_stats_quantile(c, JDI_STATS_TIMES, 0.5), 0, "of nothing");
    for (int i = 0; i < 98; i++)
        jdi_stats_log2(c, JDI_STATS_TIMES, 1000);
    jdi_stats_log2(c, JDI_STATS_TIMES, 5000);
    jdi_stats_log2(c, JDI_STATS_TIMES, 100000);
    is_u64(jdi_stats_quantile(c, JDI_STATS_TIMES, 0.5), 1024, "half");
    is_u64(jdi_stats_quantile(c, JDI_STATS_TIMES, 0.98), 1024, "98%%");
    is_u64(jdi_stats_quantile(c, JDI_STATS_TIMES, 0.99), 8192, "99%%");
    is_u64(jdi_stats_quantile(c, JDI_STATS_TIMES, 1), 131072, "all");
}

static void test_lines(void)
{
    struct jdi_stats s = {.steals = 200,
                          .stolen_in = 1000,
                          .steal_messages = 500,
                          .refused = 25,
                          .searches = {0, 150, 40, 0, 0, 10}};
    s.steal_ns[2] = 200;
    char *text = NULL;
    size_t n;
    FILE *to = open_memstream(&text, &n);
    jdi_stats_print(to, &s, &s, &s, 3);
    fclose(to);
    ok(strstr(text, "a steal: 5.0 tasks, 2.50 messages, 0.125 failed\n"),
       "what a steal is");
    ok(strstr(text, "half up to 1.0 us, 99% up to 1.0 us\n"), "how long it takes");
    ok(strstr(text, " 0: 0.0%, 1: 75.0%, 2: 20.0%, 3: 0.0%, 4: 0.0%, more: 5.0%\n"),
       "how many victims");
    free(text);
}

static void test_lines_of_neighbours(void)
{
    struct jdi_stats s = {
        .looks_tasks = 300, .steals_local = 50, .looks_ready = 100, .migrated = 50};
    char *text = NULL;
    size_t n;
    FILE *to = open_memstream(&text, &n);
    s.ready_ns[1] = 98;
    s.ready_ns[3] = 2;
    jdi_stats_print(to, &s, &s, &s, 1);
    fclose(to);
    ok(strstr(text, "looks at other workers: 25.0% brought something\n"),
       "how often a look brought something");
    ok(strstr(text, "ready to running: half up to 0.5 us, 99% up to 2.0 us\n"),
       "how long what was ready has waited");
    free(text);
}

int main(void)
{
    test_classes();
    test_quantiles();
    test_lines();
    test_lines_of_neighbours();
    return done_testing();
}
