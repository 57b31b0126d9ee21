/*
 * kpn.c - two Kahn process networks: tasks that only read from channels and write to channels.
 *
 * Role: the sieve of Eratosthenes, a chain that grows by a filter for each prime; and a tree that merges sorted
 *       streams.  A process waits for one channel at a time and never asks whether something is there.  So
 *       what comes out does not depend on who runs when (Kahn, 1974), and is checked.
 * Owner: rank 0; a channel belongs to the one process that reads from it.
 * Invariants: I1 only rank 0 prints. I2 each channel has one writer, which closes it, and one reader, which
 *             destroys it.
 * See: examples/README.md; jd_channel in jackdaw.h.
 */
#include "examples/options.h"
#include "jackdaw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS, SIFT, FILTER, SOURCE, MERGE };

static const char usage[] = "usage: kpn [OPTION VALUE]...\n"
                            "  -n N   the sieve finds the primes up to N (2000)\n"
                            "  -l L   the tree merges 2^L streams (5)\n"
                            "  -i I   of I numbers each (1000)\n"
                            "  -c C   the capacity of a channel, 0: none (8)\n"
                            "  -h     this text\n"
                            "It runs on rank 0.\n";

struct options {
    int64_t limit, levels, items, capacity;
};

/* A process: what it reads and writes, and a number. */
struct process {
    jd_channel in, other, out;
    uint64_t number;
};

/* What has come out of a network: how many, and a sum that depends on their order. */
struct result {
    uint64_t count, digest;
    int in_order; /* none was smaller than the one before */
};

static void must(jd_self *me, int error)
{
    if (error)
        jd_abort(me, 1, "kpn: %s", jd_strerror(error));
}

/* ---- channels ----------------------------------------------------------------------- */

static jd_channel new_channel(jd_self *me)
{
    const struct options *o = jd_local(me);
    jd_channel c;
    must(me, jd_channel_create(me, sizeof(uint64_t), (size_t)o->capacity, &c));
    return c;
}

static void put(jd_self *me, jd_channel c, uint64_t x)
{
    must(me, jd_channel_send(me, c, &x, JD_FOREVER));
}

/* False at the end of the stream; then the channel is gone. */
static int get(jd_self *me, jd_channel c, uint64_t *x)
{
    int error = jd_channel_receive(me, c, x, JD_FOREVER);
    if (!error)
        return 1;
    must(me, error == JD_ECLOSED ? 0 : error);
    must(me, jd_channel_destroy(me, c));
    return 0;
}

static void end(jd_self *me, jd_channel c)
{
    must(me, jd_channel_close(me, c));
}

static void begin_process(jd_self *me, jd_task task, struct process p)
{
    must(me, jd_async_local(me, task, &p, sizeof p));
}

/* ---- the sieve ---------------------------------------------------------------------- */

static void numbers(jd_self *me, void *arg)
{
    const struct process p = *(struct process *)arg;
    for (uint64_t i = 2; i <= p.number; i++)
        put(me, p.out, i);
    end(me, p.out);
}

/* Lets through what its number does not divide. */
static void filter(jd_self *me, void *arg)
{
    const struct process p = *(struct process *)arg;
    uint64_t x;
    while (get(me, p.in, &x))
        if (x % p.number)
            put(me, p.out, x);
    end(me, p.out);
}

/* The first number that comes through all filters is a prime, and gets a filter. */
static void sift(jd_self *me, void *arg)
{
    const struct process p = *(struct process *)arg;
    jd_channel in = p.in;
    uint64_t prime;
    while (get(me, in, &prime)) {
        struct process next = {.in = in, .out = new_channel(me), .number = prime};
        begin_process(me, FILTER, next);
        put(me, p.out, prime);
        in = next.out;
    }
    end(me, p.out);
}

static jd_channel make_sieve(jd_self *me, const struct options *o)
{
    struct process first = {.out = new_channel(me), .number = (uint64_t)o->limit};
    struct process last = {.in = first.out, .out = new_channel(me)};
    begin_process(me, SIFT, last);
    begin_process(me, NUMBERS, first);
    return last.out;
}

/* ---- the merge ---------------------------------------------------------------------- */

/* Item i of a stream: i plus something small that grows. */
static uint64_t item(uint64_t stream, uint64_t i)
{
    return i * 1000 + (stream * 7919 + i * 104729) % 1000;
}

static void source(jd_self *me, void *arg)
{
    const struct process p = *(struct process *)arg;
    const struct options *o = jd_local(me);
    for (uint64_t i = 0; i < (uint64_t)o->items; i++)
        put(me, p.out, item(p.number, i));
    end(me, p.out);
}

static void merge(jd_self *me, void *arg)
{
    const struct process p = *(struct process *)arg;
    uint64_t a, b;
    int has_a = get(me, p.in, &a), has_b = get(me, p.other, &b);
    while (has_a || has_b) {
        if (has_a && (!has_b || a <= b)) {
            put(me, p.out, a);
            has_a = get(me, p.in, &a);
        } else {
            put(me, p.out, b);
            has_b = get(me, p.other, &b);
        }
    }
    end(me, p.out);
}

/* A tree of 2^levels streams, from number `stream` on. */
static jd_channel make_tree(jd_self *me, int64_t levels, uint64_t stream)
{
    struct process p = {.out = new_channel(me), .number = stream};
    if (levels == 0) {
        begin_process(me, SOURCE, p);
        return p.out;
    }
    p.in = make_tree(me, levels - 1, stream);
    p.other = make_tree(me, levels - 1, stream + (UINT64_C(1) << (levels - 1)));
    begin_process(me, MERGE, p);
    return p.out;
}

static const jd_task_def tasks[] = {
    [NUMBERS] = JD_TASK(numbers), [SIFT] = JD_TASK(sift),   [FILTER] = JD_TASK(filter),
    [SOURCE] = JD_TASK(source),   [MERGE] = JD_TASK(merge), JD_TASK_END};

/* ---- results ------------------------------------------------------------------------ */

static void note(struct result *r, uint64_t x, uint64_t before)
{
    r->in_order = r->in_order && (!r->count || x >= before);
    r->count++;
    r->digest = r->digest * 31 + x;
}

/* Read a network to its end. */
static struct result read_all(jd_self *me, jd_channel out)
{
    struct result r = {.in_order = 1};
    uint64_t x, before = 0;
    while (get(me, out, &x)) {
        note(&r, x, before);
        before = x;
    }
    return r;
}

static struct result primes(uint64_t limit)
{
    struct result r = {.in_order = 1};
    for (uint64_t n = 2; n <= limit; n++) {
        uint64_t d = 2;
        while (d * d <= n && n % d)
            d++;
        if (d * d > n)
            note(&r, n, 0);
    }
    return r;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static struct result sorted(jd_self *me, const struct options *o)
{
    struct result r = {.in_order = 1};
    uint64_t streams = UINT64_C(1) << o->levels, items = (uint64_t)o->items;
    uint64_t *all = malloc(streams * items * sizeof *all);
    must(me, all ? 0 : JD_ENOMEM);
    for (uint64_t i = 0; i < streams * items; i++)
        all[i] = item(i / items, i % items);
    qsort(all, streams * items, sizeof *all, by_size);
    for (uint64_t i = 0; i < streams * items; i++)
        note(&r, all[i], 0);
    free(all);
    return r;
}

static int print_result(const char *what, struct result got, struct result want,
                        double seconds)
{
    int wrong = !got.in_order || got.count != want.count || got.digest != want.digest;
    printf("%s: %llu numbers, digest %016llx, in %.6f s%s\n", what,
           (unsigned long long)got.count, (unsigned long long)got.digest, seconds,
           wrong ? ": WRONG" : "");
    return wrong;
}

/* Make a network, and read it, in a finish of its own. */
static struct result run_network(jd_self *me, const struct options *o, int is_sieve,
                                 double *seconds)
{
    jd_scope s;
    double begin = jd_now(me);
    must(me, jd_finish_begin(me, &s));
    struct result r =
        read_all(me, is_sieve ? make_sieve(me, o) : make_tree(me, o->levels, 0));
    must(me, jd_finish_end(me, &s));
    *seconds = jd_now(me) - begin;
    return r;
}

static int run_all(jd_self *me, struct options *o)
{
    double seconds;
    jd_set_local(me, o);
    struct result r = run_network(me, o, 1, &seconds);
    int wrong = print_result("sieve", r, primes((uint64_t)o->limit), seconds);
    r = run_network(me, o, 0, &seconds);
    return print_result("merge", r, sorted(me, o), seconds) || wrong;
}

/* 0, or the argument that is wrong; -1: the user wants the text. */
static int read_options(int argc, char **argv, struct options *o)
{
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        int right = 0;
        if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
            return -1;
        if (!strcmp(argv[i], "-n"))
            right = read_number(value, 1, 1000000, &o->limit);
        else if (!strcmp(argv[i], "-l"))
            right = read_number(value, 0, 16, &o->levels);
        else if (!strcmp(argv[i], "-i"))
            right = read_number(value, 0, 1000000, &o->items);
        else if (!strcmp(argv[i], "-c"))
            right = read_number(value, 0, 1000000, &o->capacity);
        if (!right)
            return i;
    }
    return 0;
}

static int body(jd_self *me, int argc, char **argv)
{
    struct options o = {.limit = 2000, .levels = 5, .items = 1000, .capacity = 8};
    int bad = read_options(argc, argv, &o);
    if (bad)
        return end_with_usage(me, "kpn", argv, bad, usage);
    return jd_rank(me) == 0 ? run_all(me, &o) : 0;
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
