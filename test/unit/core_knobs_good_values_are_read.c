/*
 * core_knobs_good_values_are_read.c
 *
 * Role: defaults, the limits of every range, words and their synonyms, what is shown of a
 *       value and where it comes from.
 * Owner: one thread.
 * Invariants: I2 of core/knobs.c: a default that its own row refuses would show here.
 * See: core/knobs.c, core/knobs.def.
 */
#include "core/fault.h"
#include "core/idle.h"
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
    return s && !strcmp(s->name, name) ? s->value : NULL;
}

static size_t row_of(const char *name)
{
    for (size_t i = 0; jdi_knobs_row(i); i++)
        if (!strcmp(jdi_knobs_row(i)->name, name))
            return i;
    bail_out("no row %s", name);
}

static struct jdi_knobs read_one(const char *name, const char *value)
{
    struct setting s = {name, value};
    struct jdi_knobs k;
    char err[256];

    if (jdi_knobs_read(&k, lookup, name ? &s : NULL, err, sizeof err)) {
        fail("%s", err);
        memset(&k, 0, sizeof k);
    }
    return k;
}

/* JACKDAW_<name>=value is shown as `shown`. */
static void shows(const char *name, const char *value, const char *shown)
{
    struct jdi_knobs k = read_one(name, value);
    size_t row = row_of(name);
    char text[128] = "";

    jdi_knobs_show(&k, row, text, sizeof text);
    is_str(text, shown, "%s=%s is shown as %s", name, value, shown);
    is_str(jdi_knobs_origin(&k, row), "environment", "and comes from there");
}

static void test_defaults(void)
{
    struct jdi_knobs k = read_one(NULL, NULL);
    bool same = true, documented = true;
    char text[128];

    for (size_t i = 0; jdi_knobs_row(i); i++) {
        const struct jdi_knob_row *row = jdi_knobs_row(i);
        jdi_knobs_show(&k, i, text, sizeof text);
        same = same && !strcmp(text, row->def);
        same = same && !strcmp(jdi_knobs_origin(&k, i), "default");
        documented = documented && *row->range && *row->text;
        documented = documented && !strncmp(row->name, "JACKDAW_", 8);
    }
    ok(same, "every default is accepted and shown as it is written");
    ok(documented, "every row has a name, a range and a text");
    ok(k.workers == 0 && k.stack_size == 262144 && k.comm == JDI_COMM_AUTO &&
           k.credits == 16 && k.tree_arity == 4 && k.singleton == 0,
       "some of them by value");
}

static void test_numbers(void)
{
    is_u64((uint64_t)read_one("JACKDAW_WORKERS", "0").workers, 0, "a lower end");
    is_u64((uint64_t)read_one("JACKDAW_WORKERS", "1024").workers, 1024, "an upper end");
    is_u64((uint64_t)read_one("JACKDAW_WORKERS", "007").workers, 7, "zeroes in front");
    is_u64((uint64_t)read_one("JACKDAW_SEED", "9223372036854775807").seed, INT64_MAX,
           "the largest of all");
    is_u64(read_one("JACKDAW_STACK_SIZE", "16K").stack_size, 16384, "a size's lower end");
    is_u64(read_one("JACKDAW_STACK_SIZE", "1G").stack_size, 1u << 30, "its upper end");
    is_u64(read_one("JACKDAW_STACK_SIZE", "1m").stack_size, 1u << 20, "a small suffix");
    is_u64(read_one("JACKDAW_STACK_SIZE", "20000").stack_size, 20000, "no suffix");
    shows("JACKDAW_STACK_SIZE", "1048576", "1M");
    shows("JACKDAW_STACK_SIZE", "1024K", "1M");
    shows("JACKDAW_STACK_SIZE", "20000", "20000");
    shows("JACKDAW_WORKERS", "007", "7");
}

/* Its nanoseconds; UINT64_MAX: refused, or not as said. */
static uint64_t watchdog(const char *text, bool aborts)
{
    uint64_t ns;
    bool found;
    int error = jdi_knobs_watchdog(text, &ns, &found);
    return error || found != aborts ? UINT64_MAX : ns;
}

static void test_seconds(void)
{
    uint64_t ns;
    is_u64(watchdog("0", false), 0, "no watchdog");
    is_u64(watchdog("86400", false), UINT64_C(86400000000000), "seconds alone report");
    is_u64(watchdog("2,report", false), UINT64_C(2000000000), "and so they do by name");
    is_u64(watchdog("0.0001,abort", true), 100000, "or the job is ended");
    ok(!jdi_knobs_progress("0", &ns) && ns == 0, "no line");
    ok(!jdi_knobs_progress("0.000001", &ns) && ns == 1000, "the shortest interval");
    ok(!jdi_knobs_progress("86400", &ns) && ns == UINT64_C(86400000000000),
       "the longest");
    ok(!jdi_knobs_progress("1.25", &ns) && ns == 1250000000, "one between");
}

static double factor(const char *text)
{
    double value = 0;
    return jdi_knobs_factor(text, &value) ? -1 : value;
}

static void test_factors(void)
{
    ok(factor("1") == 1 && factor("16") == 16 && factor("1.003") == 1.003 &&
           factor("1.000001") == 1.000001 && factor("15.999999") == 15.999999 &&
           factor("1.5") == 1.5 && factor("16.000000") == 16,
       "factors with and without decimals");
    shows("JACKDAW_BALANCE_DONATE", "1.05", "1.05");
    is_u64((uint64_t)read_one("JACKDAW_BALANCE_ARITY", "64").balance_arity, 64,
           "a tree as wide as can be");
}

static void test_words(void)
{
    ok(read_one("JACKDAW_COMM", "auto").comm == JDI_COMM_AUTO &&
           read_one("JACKDAW_COMM", "inline").comm == JDI_COMM_INLINE &&
           read_one("JACKDAW_COMM", "dedicated").comm == JDI_COMM_DEDICATED,
       "the words of COMM");
    is_str(read_one("JACKDAW_BIND", "list:0,4-7").bind, "list:0,4-7",
           "BIND keeps its text");
    ok(read_one("JACKDAW_OVERSUBSCRIBED", "no").oversubscribed == JDI_TRI_NO &&
           read_one("JACKDAW_OVERSUBSCRIBED", "0").oversubscribed == JDI_TRI_NO &&
           read_one("JACKDAW_OVERSUBSCRIBED", "yes").oversubscribed == JDI_TRI_YES &&
           read_one("JACKDAW_OVERSUBSCRIBED", "1").oversubscribed == JDI_TRI_YES,
       "two words for one value");
    ok(read_one("JACKDAW_ULT", "argobots").ult == JDI_ENGINE_ARGOBOTS &&
           read_one("JACKDAW_ULT", "boost").ult == JDI_ENGINE_BOOST,
       "the words of ULT");
    ok(read_one("JACKDAW_STEAL", "random").steal == JDI_STEAL_KIND_RANDOM &&
           read_one("JACKDAW_STEAL", "baseline").steal == JDI_STEAL_KIND_BASELINE &&
           read_one("JACKDAW_STEAL", "success-only").steal ==
               JDI_STEAL_KIND_SUCCESS_ONLY &&
           read_one("JACKDAW_STEAL", "lifeline").steal == JDI_STEAL_KIND_LIFELINE &&
           read_one("JACKDAW_STEAL", "none").steal == JDI_STEAL_KIND_NONE &&
           read_one("JACKDAW_STEAL", "local").steal == JDI_STEAL_KIND_LOCAL,
       "the words of STEAL");
    ok(read_one("JACKDAW_VICTIM", "last").victim == JDI_VICTIM_LAST &&
           read_one("JACKDAW_VICTIM", "near").victim == JDI_VICTIM_NEAR,
       "the words of VICTIM");
    ok(read_one("JACKDAW_SINGLETON", "yes").singleton == 1 &&
           read_one("JACKDAW_SINGLETON", "0").singleton == 0,
       "the words of SINGLETON");
    shows("JACKDAW_OVERSUBSCRIBED", "1", "yes");
    shows("JACKDAW_COMM", "dedicated", "dedicated");
}

static void test_amount(void)
{
    unsigned n = 99;

    ok(!jdi_knobs_amount("half", &n) && n == JDI_AMOUNT_HALF, "half");
    ok(!jdi_knobs_amount("one", &n) && n == 1, "one");
    ok(!jdi_knobs_amount("65535", &n) && n == 65535, "65535");
    ok(jdi_knobs_amount("65536", &n) == JD_EINVAL && n == 65535,
       "one more is refused and changes nothing");
    ok(!jdi_knobs_local_amount("same", 8, &n) && n == 8, "same: as between ranks");
    ok(!jdi_knobs_local_amount("one", 8, &n) && n == 1, "one inside, eight outside");
    ok(!jdi_knobs_local_amount("half", 8, &n) && n == JDI_AMOUNT_HALF, "half inside");
    shows("JACKDAW_LOCAL_AMOUNT", "same", "same");
    shows("JACKDAW_LOCAL_AMOUNT", "008", "8");
    shows("JACKDAW_STEAL_AMOUNT", "1", "one");
    shows("JACKDAW_STEAL_AMOUNT", "half", "half");
    shows("JACKDAW_STEAL_AMOUNT", "0050", "50");
}

static void test_idle(void)
{
    struct jdi_idle_policy p = {0};

    ok(!jdi_knobs_idle("auto", false, &p) && p.spin_ns == 20000 && p.yield_ns == 100000 &&
           p.sleep_ns == 150000,
       "auto with cores to spare");
    ok(!jdi_knobs_idle("auto", true, &p) && p.spin_ns == 2000 && p.yield_ns == 20000 &&
           p.sleep_ns == 150000,
       "auto with more threads than cores");
    ok(!jdi_knobs_idle("spin:0,yield:5,sleep:1000000", true, &p) && p.spin_ns == 0 &&
           p.yield_ns == 5000 && p.sleep_ns == 1000000000,
       "stages by hand");
    ok(jdi_knobs_idle("spin:1", true, &p) == JD_EINVAL && p.yield_ns == 5000,
       "a bad text changes nothing");
    shows("JACKDAW_IDLE", "auto", "auto");
    shows("JACKDAW_IDLE", "spin:01,yield:2,sleep:3", "spin:1,yield:2,sleep:3");
}

static void test_fault(void)
{
    size_t row = row_of("JACKDAW_FAULT");

    shows("JACKDAW_FAULT", "alloc:7,send:1", "alloc:7,send:1");
    shows("JACKDAW_FAULT", "", "");
#define JDI_FAULT(name, text)                                                            \
    ok(strstr(jdi_knobs_row(row)->range, #name), "the range of FAULT names " #name);
#include "core/fault.def"
#undef JDI_FAULT
}

int main(void)
{
    test_defaults();
    test_numbers();
    test_seconds();
    test_factors();
    test_words();
    test_amount();
    test_idle();
    test_fault();
    ok(!jdi_knobs_row(1000), "past the end there is no row");
    return done_testing();
}
