/*
 * sched_futures.c
 *
 * Role: a future is set once, and everybody who waits for it gets the value.  A task that awaits
 *       futures starts after they were set and before its finish ends.  What is not allowed is
 *       refused.  Argument: how many tasks wait at once on each rank.
 * Owner: the body; any task of a rank writes the notes of that rank.
 * Invariants: I1 all ranks name the same future: share().
 * See: include/jackdaw.h, doc/data.md.
 */
#include "test/dist/sched_kit.h"

enum { WAITER, SETTER, NODE, FLAG, STALE, BIG, NEVER, HOPELESS, STOPPER, RELAY };
enum { DEPTH = 6, LEAVES = 1 << DEPTH, BIG_ARG = 5000, LAPS = 200, LARGEST = 16 << 20 };

/* Of one rank, in registered memory: tasks find theirs wherever they run. */
struct notes {
    _Atomic uint64_t ran, sum, canceled, never, early;
};

struct wish {
    jd_mem mem;
    jd_future future, other, result;
    uint64_t value;
};

static struct notes *notes_of(jd_self *me, jd_mem mem)
{
    return jd_mem_local(me, mem, NULL);
}

static void count(_Atomic uint64_t *word, uint64_t by)
{
    atomic_fetch_add_explicit(word, by, memory_order_relaxed);
}

/* One future, of rank `home`, that all ranks know.  Collective. */
static jd_future share(jd_self *me, uint32_t home)
{
    jd_future f = {0};
    if (jd_rank(me) == home)
        must(me, jd_future_create(me, &f));
    must(me, jd_allreduce_u64(me, &f.number, 1, JD_MAX));
    f.home = home;
    return f;
}

static void unshare(jd_self *me, jd_future f)
{
    must(me, jd_barrier(me));
    if (jd_rank(me) == f.home)
        must(me, jd_future_destroy(me, f));
}

/* ---- tasks -------------------------------------------------------------------------- */

static void waiter(jd_self *me, void *arg)
{
    const struct wish w = *(const struct wish *)arg;
    uint64_t got = 0;
    must(me, jd_future_get(me, w.future, &got, sizeof got));
    count(&notes_of(me, w.mem)->ran, 1);
    count(&notes_of(me, w.mem)->sum, got);
}

static void setter(jd_self *me, void *arg)
{
    const struct wish w = *(const struct wish *)arg;
    must(me, jd_future_set(me, w.future, &w.value, sizeof w.value));
}

/* The sum of two futures, which must be there. */
static void node(jd_self *me, void *arg)
{
    const struct wish w = *(const struct wish *)arg;
    uint64_t a = 0, b = 0;
    if (jd_future_ready(me, w.future) != 1 || jd_future_ready(me, w.other) != 1)
        count(&notes_of(me, w.mem)->early, 1);
    must(me, jd_future_get(me, w.future, &a, sizeof a));
    must(me, jd_future_get(me, w.other, &b, sizeof b));
    must(me, jd_future_destroy(me, w.future));
    must(me, jd_future_destroy(me, w.other));
    a += b;
    must(me, jd_future_set(me, w.result, &a, sizeof a));
}

static void flag(jd_self *me, void *arg)
{
    const struct wish w = *(const struct wish *)arg;
    count(&notes_of(me, w.mem)->ran, 1);
}

static void stale(jd_self *me, void *arg)
{
    const struct wish w = *(const struct wish *)arg;
    uint64_t got;
    if (jd_future_get(me, w.future, &got, sizeof got) == JD_EINVAL)
        count(&notes_of(me, w.mem)->ran, 1);
}

static void big(jd_self *me, void *arg)
{
    const struct wish *w = arg;
    const unsigned char *bytes = arg;
    for (size_t i = sizeof *w; i < BIG_ARG; i++)
        if (bytes[i] != (unsigned char)i)
            jd_abort(me, 98, "byte %zu of a large argument is wrong", i);
    count(&notes_of(me, w->mem)->ran, 1);
}

static void never(jd_self *me, void *arg)
{
    const struct wish w = *(const struct wish *)arg;
    count(&notes_of(me, w.mem)->never, 1);
}

/* Nobody sets this future: only a cancellation ends it. */
static void hopeless(jd_self *me, void *arg)
{
    const struct wish w = *(const struct wish *)arg;
    uint64_t got;
    count(&notes_of(me, w.mem)->ran, 1);
    if (jd_future_get(me, w.future, &got, sizeof got) == JD_ECANCELED &&
        jd_future_wait(me, w.future, NULL) == JD_ECANCELED)
        count(&notes_of(me, w.mem)->canceled, 1);
}

static void stopper(jd_self *me, void *arg)
{
    (void)arg;
    must(me, jd_cancel(me, jd_finish_mine(me)));
}

/* Passes a number on to the next rank through a future of its own, `value` times. */
static void relay(jd_self *me, void *arg)
{
    struct wish w = *(const struct wish *)arg;
    uint64_t sum = 0;
    must(me, jd_future_get(me, w.future, &sum, sizeof sum));
    must(me, jd_future_destroy(me, w.future));
    sum++;
    if (!--w.value) {
        must(me, jd_future_set(me, w.result, &sum, sizeof sum));
        return;
    }
    must(me, jd_future_create(me, &w.future));
    must(me, jd_async_at(me, (jd_rank(me) + 1) % jd_nranks(me), RELAY, &w, sizeof w));
    must(me, jd_future_set(me, w.future, &sum, sizeof sum));
}

static const jd_task_def tasks[] = {[WAITER] = JD_TASK(waiter),
                                    [SETTER] = JD_TASK(setter),
                                    [NODE] = JD_TASK(node),
                                    [FLAG] = JD_TASK(flag),
                                    [STALE] = JD_TASK(stale),
                                    [BIG] = JD_TASK(big),
                                    [NEVER] = JD_TASK(never),
                                    [HOPELESS] = JD_TASK(hopeless),
                                    [STOPPER] = JD_TASK(stopper),
                                    [RELAY] = JD_TASK(relay),
                                    JD_TASK_END};

/* What the tasks of all ranks have added to a word of their notes.  Collective. */
static uint64_t all(jd_self *me, _Atomic uint64_t *word)
{
    uint64_t sum = sum_of(me, atomic_load(word));
    must(me, jd_barrier(me));
    atomic_store(word, 0);
    must(me, jd_barrier(me));
    return sum;
}

/* ---- get and set -------------------------------------------------------------------- */

static void test_everybody_gets(jd_self *me, jd_mem mem, uint64_t nwaiters)
{
    uint32_t n = jd_nranks(me);
    for (uint32_t home = 0; home<n; home += n> 1 ? n - 1 : 1) {
        struct wish w = {.mem = mem, .future = share(me, home), .value = 41};
        jd_scope scope;
        must(me, jd_finish_begin(me, &scope));
        for (uint64_t i = 0; i < nwaiters; i++)
            must(me, jd_async(me, WAITER, &w, sizeof w));
        must(me, jd_barrier(me));
        ok_all(me, jd_future_ready(me, w.future) == 0, "not set");
        must(me, jd_barrier(me));
        if (jd_rank(me) == n / 2)
            must(me, jd_async(me, SETTER, &w, sizeof w));
        must(me, jd_finish_end(me, &scope));
        uint64_t got = 0;
        must(me, jd_future_get(me, w.future, &got, sizeof got));
        ok_all(me, got == 41 && jd_future_ready(me, w.future) == 1, "every body gets it");
        ok_all(me,
               all(me, &notes_of(me, mem)->sum) == 41 * nwaiters * n &&
                   all(me, &notes_of(me, mem)->ran) == nwaiters * n,
               "and %llu tasks on each rank, home %u", (unsigned long long)nwaiters,
               home);
        unshare(me, w.future);
    }
}

static void test_set_once(jd_self *me)
{
    jd_future f = share(me, jd_nranks(me) - 1);
    uint64_t value = 100 + jd_rank(me), got[1] = {0};
    int error = jd_future_set(me, f, &value, sizeof value);
    ok_all(me, error == 0 || error == JD_ESTATE, "a second set is JD_ESTATE");
    ok_all(me, sum_of(me, error == 0) == 1, "one of all is the first");
    must(me, jd_future_get(me, f, got, sizeof got));
    ok_all(me, sum_of(me, error == 0 ? value : 0) == *got, "and it is its value");
    unshare(me, f);
}

static void test_sizes(jd_self *me)
{
    static const size_t sizes[] = {0, 1, 4096, 100001, LARGEST};
    unsigned char *bytes = malloc(LARGEST + 1);
    if (!bytes)
        jd_abort(me, 99, "no memory for the test");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        jd_future f = share(me, 0);
        size_t n = sizes[i], told = 99;
        memset(bytes, (int)i + 1, n);
        if (jd_rank(me) == jd_nranks(me) - 1)
            must(me, jd_future_set(me, f, bytes, n));
        must(me, jd_future_wait(me, f, &told));
        memset(bytes, 0, n + 1);
        bool small = n > 0 && jd_future_get(me, f, bytes, n - 1) != JD_EINVAL;
        bool wrong = small || jd_future_get(me, f, bytes, n + 1) != JD_EINVAL;
        ok_all(me, told == n && !wrong && !bytes[0], "%zu bytes: another size is refused",
               n);
        must(me, jd_future_get(me, f, n ? bytes : NULL, n));
        bool right = !bytes[n];
        for (size_t k = 0; k < n; k++)
            right = right && bytes[k] == i + 1;
        ok_all(me, right, "%zu bytes", n);
        unshare(me, f);
    }
    jd_future f = share(me, 0);
    ok_all(me, jd_future_set(me, f, bytes, LARGEST + 1) == JD_ETOOBIG, "and no more");
    ok_all(me, jd_future_set(me, f, NULL, 1) == JD_EINVAL, "bytes from nowhere");
    unshare(me, f);
    free(bytes);
}

static bool is_gone(jd_self *me, jd_future f)
{
    uint64_t word = 0;
    return jd_future_get(me, f, &word, sizeof word) == JD_EINVAL &&
           jd_future_wait(me, f, NULL) == JD_EINVAL &&
           jd_future_ready(me, f) == JD_EINVAL &&
           jd_future_set(me, f, &word, sizeof word) == JD_EINVAL &&
           jd_future_destroy(me, f) == JD_EINVAL;
}

static void test_stale(jd_self *me, jd_mem mem)
{
    uint32_t n = jd_nranks(me);
    struct wish w = {.mem = mem, .future = share(me, 0)};
    jd_scope scope;
    must(me, jd_finish_begin(me, &scope));
    must(me,
         jd_async_local(me, STALE, &w, sizeof w)); /* may have begun to wait, or not */
    must(me, jd_async_await(me, &w.future, 1, STALE, &w, sizeof w));
    must(me, jd_barrier(me));
    if (jd_rank(me) == n - 1) /* any rank may */
        must(me, jd_future_destroy(me, w.future));
    must(me, jd_finish_end(me, &scope));
    ok_all(me, all(me, &notes_of(me, mem)->ran) == 2 * (uint64_t)n,
           "who waits for a future that is destroyed is told");
    jd_future next = share(me, 0);
    ok_all(me, is_gone(me, w.future), "a destroyed future is gone, on every rank");
    ok_all(me, jd_future_ready(me, next) == 0, "and is not the next one");
    unshare(me, next);
    ok_all(me, is_gone(me, next), "nor is that once it is destroyed");
    ok_all(me,
           is_gone(me, (jd_future){0}) &&
               is_gone(me, (jd_future){.number = 1, .home = n}) &&
               is_gone(me, (jd_future){.number = UINT64_MAX}),
           "what never was is not there either");
}

/* Handed on from rank to rank, each time by a new future. */
static void test_relay(jd_self *me, jd_mem mem)
{
    struct wish w = {.mem = mem, .value = LAPS};
    uint64_t sum = 0;
    jd_scope scope;
    must(me, jd_future_create(me, &w.future));
    must(me, jd_future_create(me, &w.result));
    must(me, jd_finish_begin(me, &scope));
    must(me, jd_async(me, RELAY, &w, sizeof w));
    must(me, jd_future_set(me, w.future, &sum, sizeof sum));
    must(me, jd_future_get(me, w.result, &sum, sizeof sum));
    must(me, jd_finish_end(me, &scope));
    ok_all(me, sum == LAPS, "a number went through %d futures", LAPS);
    must(me, jd_future_destroy(me, w.result));
}

/* ---- await -------------------------------------------------------------------------- */

/* A tree of sums, the root first: nothing can run but in the order of the futures. */
static void test_tree(jd_self *me, jd_mem mem)
{
    jd_future f[2 * LEAVES];
    jd_scope scope;
    uint64_t sum = 0;
    for (int i = 1; i < 2 * LEAVES; i++)
        must(me, jd_future_create(me, &f[i]));
    must(me, jd_finish_begin(me, &scope));
    for (uint32_t i = 1; i < LEAVES; i++) {
        struct wish w = {mem, f[2 * i], f[2 * i + 1], f[i], 0};
        must(me, jd_async_await(me, &f[2 * i], 2, NODE, &w, sizeof w));
    }
    for (uint32_t i = LEAVES; i < 2 * LEAVES; i++) {
        struct wish w = {.mem = mem, .future = f[i], .value = i};
        must(me,
             jd_async_at(me, (jd_rank(me) + i) % jd_nranks(me), SETTER, &w, sizeof w));
    }
    must(me, jd_finish_end(me, &scope));
    must(me, jd_future_get(me, f[1], &sum, sizeof sum));
    ok_all(me, sum == (3 * LEAVES - 1) * (uint64_t)LEAVES / 2, "a tree of sums");
    ok_all(me, all(me, &notes_of(me, mem)->early) == 0, "none started too early");
    must(me, jd_future_destroy(me, f[1]));
}

static void test_finish_waits(jd_self *me, jd_mem mem)
{
    struct wish w = {.mem = mem, .future = share(me, jd_nranks(me) - 1)};
    jd_scope scope;
    unsigned char arg[BIG_ARG];
    for (size_t i = 0; i < BIG_ARG; i++)
        arg[i] = (unsigned char)i;
    memcpy(arg, &w, sizeof w);
    must(me, jd_finish_begin(me, &scope));
    must(me, jd_async_await(me, &w.future, 1, FLAG, &w, sizeof w));
    must(me, jd_async_await(me, NULL, 0, FLAG, &w, sizeof w));
    must(me, jd_async_await(me, (jd_future[]){w.future, w.future}, 2, BIG, arg, BIG_ARG));
    must(me, jd_barrier(me));
    if (jd_rank(me) == 0)
        must(me, jd_future_set(me, w.future, NULL, 0));
    must(me, jd_finish_end(me, &scope));
    ok_all(me, atomic_load(&notes_of(me, mem)->ran) >= (jd_nranks(me) == 1 ? 3 : 0),
           "a finish waits for tasks that await");
    ok_all(me, all(me, &notes_of(me, mem)->ran) == 3 * (uint64_t)jd_nranks(me),
           "of all ranks");
    unshare(me, w.future);
}

static void spmd(jd_self *me, void *arg)
{
    const struct wish *w = arg;
    must(me, jd_async_await(me, &w->future, 1, FLAG, w, sizeof *w));
    if (jd_rank(me) == 0) {
        struct wish s = *w;
        must(me, jd_async_at(me, jd_nranks(me) - 1, SETTER, &s, sizeof s));
    }
}

static void test_spmd(jd_self *me, jd_mem mem)
{
    struct wish w = {.mem = mem, .future = share(me, jd_nranks(me) / 2)};
    must(me, jd_finish_spmd(me, spmd, &w));
    ok_all(me, all(me, &notes_of(me, mem)->ran) == jd_nranks(me),
           "a finish of all ranks waits for them too");
    unshare(me, w.future);
}

static void test_await_refusals(jd_self *me, jd_mem mem)
{
    jd_future f;
    struct wish w = {.mem = mem};
    jd_scope scope;
    must(me, jd_future_create(me, &f));
    int outside = jd_async_await(me, &f, 1, FLAG, &w, sizeof w);
    must(me, jd_finish_begin(me, &scope));
    bool refused =
        jd_async_await(me, &f, 1, 1000, &w, sizeof w) == JD_EINVAL &&
        jd_async_await(me, NULL, 1, FLAG, &w, sizeof w) == JD_EINVAL &&
        jd_async_await(me, &(jd_future){0}, 1, FLAG, &w, sizeof w) == JD_EINVAL &&
        jd_async_await(me, &f, 1, FLAG, &w, (size_t)LARGEST + 1) == JD_ETOOBIG;
    must(me, jd_finish_end(me, &scope));
    ok_all(me, outside == JD_ESTATE && refused, "what cannot be awaited is refused");
    must(me, jd_future_destroy(me, f));
}

/* Tasks that never begin, and begun ones that wait for ever, end with their finish. */
static void test_cancel(jd_self *me, jd_mem mem, uint64_t nwaiters)
{
    uint32_t n = jd_nranks(me);
    struct wish w = {.mem = mem, .future = share(me, n - 1)};
    jd_scope scope;
    must(me, jd_finish_begin(me, &scope));
    for (uint64_t i = 0; i < nwaiters; i++) {
        must(me, jd_async(me, HOPELESS, &w, sizeof w));
        must(me, jd_async_at(me, (uint32_t)i % n, HOPELESS, &w, sizeof w));
        must(me, jd_async_await(me, &w.future, 1, NEVER, &w, sizeof w));
    }
    if (jd_rank(me) == 0)
        jd_yield(me);
    must(me, jd_async_local(me, STOPPER, NULL, 0));
    int error = jd_finish_end(me, &scope);
    ok_all(me, error == JD_ECANCELED, "a cancelled finish ends");
    ok_all(me, all(me, &notes_of(me, mem)->never) == 0, "what awaits does not begin");
    struct notes *t = notes_of(me, mem);
    uint64_t begun = all(me, &t->ran);
    ok_all(me, all(me, &t->canceled) == begun, "who waits is told");
    ok_all(me, jd_future_ready(me, w.future) == 0, "the future is as it was");
    unshare(me, w.future);
}

static int body(jd_self *me, int argc, char **argv)
{
    uint64_t nwaiters = argc > 1 ? (uint64_t)atol(argv[1]) : 20;
    jd_mem mem;
    must(me, jd_mem_create(me, NULL, sizeof(struct notes), &mem));
    test_everybody_gets(me, mem, nwaiters);
    test_set_once(me);
    test_sizes(me);
    test_stale(me, mem);
    test_relay(me, mem);
    test_tree(me, mem);
    test_finish_waits(me, mem);
    test_spmd(me, mem);
    test_await_refusals(me, mem);
    for (long i = 0; i < (argc > 2 ? atol(argv[2]) : 3); i++)
        test_cancel(me, mem, nwaiters);
    jd_future left; /* to the end of the job, set or not */
    must(me, jd_future_create(me, &left));
    must(me, jd_future_set(me, left, &nwaiters, sizeof nwaiters));
    must(me, jd_future_create(me, &left));
    must(me, jd_mem_destroy(me, mem));
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
