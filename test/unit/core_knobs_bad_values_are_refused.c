/*
 * core_knobs_bad_values_are_refused.c
 *
 * Role: every bad value is an error that names variable, value, reason and range; the knobs
 *       read before stay as they were.
 * Owner: one thread.
 * Invariants: I3 of core/knobs.c; outputs are set only on success.
 * See: core/knobs.c.
 */
#include "core/knobs.h"
#include "test/kit/tap.h"

#include <stdio.h>
#include <string.h>

struct setting {
    const char *name, *value;
};

static const char *lookup(void *ctx, const char *name)
{
    const struct setting *s = ctx;
    return strcmp(s->name, name) ? NULL : s->value;
}

static void refuse(const char *name, const char *value, const char *message)
{
    struct setting s = {name, value};
    struct jdi_knobs k = {.workers = 77};
    char err[256] = "";
    int e = jdi_knobs_read(&k, lookup, &s, err, sizeof err);

    ok(e == JD_EINVAL && k.workers == 77, "%s='%s' is refused", name, value);
    is_str(err, message, "and says why");
}

/* What a value of the kind is refused for; the message's frame is the same for all. */
static void refuse_for(const char *name, const char *value, const char *reason,
                       const char *range)
{
    char message[512];

    snprintf(message, sizeof message, "%s=%s: %s%sallowed: %s", name, value, reason,
             *reason ? "; " : "", range);
    refuse(name, value, message);
}

static void test_numbers(void)
{
    static const char *const no_number[] = {"abc", "1x",   "x1",  " 1",  "1 ",
                                            "+1",  "0x10", "1.5", "1e3", "-",
                                            "--1", "4K",   "1,2", "\t"};
    static const char *const outside[] = {"1025", "-1", "99999999999999999999999",
                                          "18446744073709551616",
                                          "-99999999999999999999"};

    for (size_t i = 0; i < JDI_ARRAY_LEN(no_number); i++)
        refuse_for("JACKDAW_WORKERS", no_number[i], "not a number", "0 to 1024");
    for (size_t i = 0; i < JDI_ARRAY_LEN(outside); i++)
        refuse_for("JACKDAW_WORKERS", outside[i], "out of range", "0 to 1024");
    refuse_for("JACKDAW_WORKERS", "", "empty", "0 to 1024");
    refuse_for("JACKDAW_CREDITS", "0", "out of range", "1 to 4096");
    refuse_for("JACKDAW_SEED", "9223372036854775808", "out of range",
               "0 to 9223372036854775807");
}

static void test_factors(void)
{
    static const char *const bad[] = {
        "0.999999", "16.000001", "17",   "-1",    "1.",   ".5",   "1,5", "1.0000001",
        "1e0",      "x",         "1.-3", "1.5.5", " 1.5", "1.5x", "nan"};

    for (size_t i = 0; i < JDI_ARRAY_LEN(bad); i++)
        refuse_for("JACKDAW_BALANCE_DONATE", bad[i], "", "1 to 16, up to 6 decimals");
    refuse_for("JACKDAW_BALANCE_ACCEPT", "0", "", "1 to 16, up to 6 decimals");
    refuse_for("JACKDAW_BALANCE_ARITY", "1", "out of range", "2 to 64");
    refuse_for("JACKDAW_BALANCE_ITERATIONS", "129", "out of range", "0 to 128");
}

static void test_sizes(void)
{
    static const char *const no_number[] = {"K",    "64KB", "64 K", "64KK", "KK",
                                            "1.5M", "64T",  "abc",  "M64"};
    static const char *const outside[] = {
        "16383", "15K",          "1025M",        "2G",
        "-64K",  "17179869184G", "17179869185G", "18446744073709551615G"};

    for (size_t i = 0; i < JDI_ARRAY_LEN(no_number); i++)
        refuse_for("JACKDAW_STACK_SIZE", no_number[i], "not a number", "16K to 1G");
    for (size_t i = 0; i < JDI_ARRAY_LEN(outside); i++)
        refuse_for("JACKDAW_STACK_SIZE", outside[i], "out of range", "16K to 1G");
    refuse_for("JACKDAW_STACK_SIZE", "", "empty", "16K to 1G");
}

static void test_words(void)
{
    static const char *const bad[] = {"foo",   "Auto",  "aut",          "autos",
                                      "auto,", "auto ", "auto, inline", "1"};

    refuse("JACKDAW_COMM", "foo", "JACKDAW_COMM=foo: allowed: auto, inline, dedicated");
    for (size_t i = 0; i < JDI_ARRAY_LEN(bad); i++)
        refuse_for("JACKDAW_COMM", bad[i], "", "auto, inline, dedicated");
    refuse_for("JACKDAW_COMM", "", "empty", "auto, inline, dedicated");
    refuse_for("JACKDAW_SINGLETON", "or", "", "no or 0, yes or 1");
    refuse_for("JACKDAW_SINGLETON", "no or 0", "", "no or 0, yes or 1");
}

static void test_texts(void)
{
    static const char *const idle[] = {"Auto",
                                       "spin:1,yield:2",
                                       "spin:1,yield:2,sleep:",
                                       "spin:1,yield:2,sleep:0",
                                       "spin:-1,yield:2,sleep:3",
                                       "yield:2,spin:1,sleep:3",
                                       "spin:1,yield:2,sleep:3,",
                                       "spin:1,yield:2,sleep:1000001",
                                       "spin:x,yield:2,sleep:3",
                                       "spin:1 ,yield:2,sleep:3",
                                       "spin=1,yield=2,sleep=3",
                                       "spin:1,yield:2K,sleep:3",
                                       "spin:1"};
    static const char *const amount[] = {"0",    "65536", "-1",
                                         "Half", "all",   "1x",
                                         "1,2",  "half ", "99999999999999999999999"};
    static const char *const fault[] = {"alloc", "alloc:0", "foo:1", "alloc:1,",
                                        "alloc:x"};
    static const char *const watchdog[] = {"-1",     "86401",  "0.00001",  "1e3",  "1,",
                                           "1,stop", ",abort", "1,abort,", "abort"};
    static const char *const progress[] = {"-1", "86401", "0.0000001", "1e3", "1.", "1s"};

    for (size_t i = 0; i < JDI_ARRAY_LEN(idle); i++)
        refuse_for("JACKDAW_IDLE", idle[i], "",
                   "auto, or spin:US,yield:US,sleep:US with US up to 1000000");
    refuse_for("JACKDAW_IDLE", "", "empty",
               "auto, or spin:US,yield:US,sleep:US with US up to 1000000");
    for (size_t i = 0; i < JDI_ARRAY_LEN(amount); i++)
        refuse_for("JACKDAW_STEAL_AMOUNT", amount[i], "", "half, one, or 1 to 65535");
    for (size_t i = 0; i < JDI_ARRAY_LEN(amount); i++)
        refuse_for("JACKDAW_LOCAL_AMOUNT", amount[i], "",
                   "same, half, one, or 1 to 65535");
    refuse_for("JACKDAW_STEAL_AMOUNT", "same", "", "half, one, or 1 to 65535");
    refuse_for("JACKDAW_STEAL_AMOUNT", "", "empty", "half, one, or 1 to 65535");
    for (size_t i = 0; i < JDI_ARRAY_LEN(watchdog); i++)
        refuse_for("JACKDAW_WATCHDOG", watchdog[i], "",
                   "0, or seconds from 0.0001 to 86400, and ,report or ,abort");
    for (size_t i = 0; i < JDI_ARRAY_LEN(progress); i++)
        refuse_for("JACKDAW_PROGRESS", progress[i], "",
                   "0, or seconds from 0.000001 to 86400; 0.1 at the least but in the "
                   "simulator");
    for (size_t i = 0; i < JDI_ARRAY_LEN(fault); i++)
        refuse_for(
            "JACKDAW_FAULT", fault[i], "",
            "SITE:N,... with N from 1 and a SITE of alloc, thread, stack, send, lose");
}

int main(void)
{
    refuse("JACKDAW_WORKERS", "abc",
           "JACKDAW_WORKERS=abc: not a number; allowed: 0 to 1024");
    test_numbers();
    test_factors();
    test_sizes();
    test_words();
    test_texts();
    return done_testing();
}
