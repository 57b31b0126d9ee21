/*
 * core_stats_table_adds_up.c
 *
 * Role: counters are added field by field, and the table shows each of them and a line of
 *       percentages that sum to 100.
 * Owner: one thread.
 * Invariants: I2 of core/stats.c.
 * See: core/stats.c, core/stats.def.
 */
#include "core/stats.h"
#include "test/kit/tap.h"

#include <stdlib.h>
#include <string.h>

/* The printed table; free it. */
static char *print(const struct jdi_stats *sum, uint32_t nranks)
{
    struct jdi_stats min = {.executed = 4}, max = {.executed = 9};
    char *text = NULL;
    size_t n;
    FILE *to = open_memstream(&text, &n);

    jdi_stats_print(to, sum, &min, &max, nranks);
    fclose(to);
    return text;
}

/* Is the i-th counter a maximum? */
static bool is_most(size_t i)
{
    static const size_t most[] = {
#define JDI_STAT(field, text)
#define JDI_MOST(field, text) offsetof(struct jdi_stats, field),
#include "core/stats.def"
#undef JDI_STAT
    };
    for (size_t k = 0; k < JDI_ARRAY_LEN(most); k++)
        if (i == most[k] / sizeof(uint64_t))
            return true;
    return false;
}

static void test_add(void)
{
    struct jdi_stats a, b;
    uint64_t *av = (uint64_t *)(void *)&a, *bv = (uint64_t *)(void *)&b;
    bool summed = true, kept = true;

    for (size_t i = 0; i < JDI_STATS_COUNT; i++) {
        av[i] = 1000 + i;
        bv[i] = i * i;
    }
    a.most_stopped = 7;
    b.most_stopped = 5;
    jdi_stats_add(&a, &b);
    is_u64(a.most_stopped, 7, "of a maximum the larger one stays");
    b.most_stopped = 8;
    jdi_stats_add(&a, &b);
    is_u64(a.most_stopped, 8, "on both sides");
    for (size_t i = 0; i < JDI_STATS_COUNT; i++) {
        if (is_most(i))
            continue;
        summed = summed && av[i] == 1000 + i + 2 * i * i;
        kept = kept && bv[i] == i * i;
    }
    ok(summed, "each of %zu counters is added", JDI_STATS_COUNT);
    ok(kept, "the added ones stay");
}

static void test_table(void)
{
    static const char *const texts[] = {
#define JDI_STAT(field, text) text,
#include "core/stats.def"
#undef JDI_STAT
    };
    struct jdi_stats sum = {.executed = 4130071};
    char *table = print(&sum, 2), *save = NULL;
    bool all = true, aligned = true;
    size_t width = 0, lines = 0;

    for (size_t i = 0; i < JDI_ARRAY_LEN(texts); i++)
        all = all && strstr(table, texts[i]);
    ok(all, "each counter has its line");
    ok(strstr(table, "counters of 2 ranks") && strstr(table, "4130071 "),
       "ranks and numbers are there");
    for (char *line = strtok_r(table, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        if (!strncmp(line, "time of", 7))
            continue;
        width = width ? width : strlen(line);
        aligned = aligned && strlen(line) == width;
        lines++;
    }
    ok(aligned && lines == JDI_ARRAY_LEN(texts) + 1, "the columns are aligned");
    free(table);
}

static void test_time(uint64_t work, uint64_t steal, uint64_t idle, uint64_t progress,
                      uint64_t detect)
{
    struct jdi_stats sum = {.ns_work = work,
                            .ns_steal = steal,
                            .ns_idle = idle,
                            .ns_progress = progress,
                            .ns_detect = detect};
    char *table = print(&sum, 1), *line = strstr(table, "time of all threads");
    unsigned tenths = 0, parts = 0;

    for (char *at = line ? strchr(line, '=') : NULL; at && (at = strchr(at, '%')); at++) {
        char *number = at;
        while (number[-1] != ' ')
            number--;
        tenths += (unsigned)(strtod(number, NULL) * 10 + 0.5);
        parts++;
    }
    ok(parts == 5 && tenths == 1000, "five parts sum to 100%%: %s", line ? line : "");
    free(table);
}

static void test_no_time(void)
{
    struct jdi_stats sum = {0};
    char *table = print(&sum, 1);

    ok(strstr(table, "time of all threads: 0.000 s\n") && !strchr(table, '%'),
       "without time there are no percentages");
    ok(strstr(table, "counters of 1 rank "), "one rank");
    free(table);
}

int main(void)
{
    test_add();
    test_table();
    test_time(1, 1, 1, 0, 0);
    test_time(1, 1, 1, 1, 1);
    test_time(1, 2, 1, 2, 1);
    test_time(333, 333, 333, 1, 0);
    test_time(1000000, 1, 1, 1, 1);
    test_time(UINT64_C(3600000000000) * 100000, 7, UINT64_C(1234567890123456789), 99, 12);
    test_no_time();
    return done_testing();
}
