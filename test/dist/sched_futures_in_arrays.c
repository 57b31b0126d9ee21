/*
 * sched_futures_in_arrays.c
 *
 * Role: each rank names the futures of all ranks' arrays without being told, as an exchange with neighbours
 *       shows; names outside of an array, and of one that was destroyed, are refused; who waits then is told.
 *       Arguments: steps of the exchange.
 * Owner: as sched_futures_kit.h.
 * See: include/jackdaw.h; doc/data.md "Futures".
 */
#include "test/dist/sched_futures_kit.h"

enum { WAITER, MEDDLER };
enum { LONG = 1000, FEW = 3, BULK = 300000 };

/* Rank r tells the value of each step to its neighbours, and starts from its own number. */
static bool exchange(jd_self *me, uint64_t steps)
{
    uint32_t n = jd_nranks(me), mine = jd_rank(me);
    uint32_t left = (mine + n - 1) % n, right = (mine + 1) % n;
    uint64_t value = mine, sum = 0, a, b;
    jd_futures row;
    must(me, jd_futures_create(me, (uint32_t)(2 * steps), &row));
    for (uint32_t i = 0; i < steps; i++) {
        must(me,
             jd_future_set(me, jd_futures_at(row, left, 2 * i), &value, sizeof value));
        must(me, jd_future_set(me, jd_futures_at(row, right, 2 * i + 1), &value,
                               sizeof value));
        must(me, jd_future_get(me, jd_futures_at(row, mine, 2 * i), &a, sizeof a));
        must(me, jd_future_get(me, jd_futures_at(row, mine, 2 * i + 1), &b, sizeof b));
        value = a + b - value;
    }
    must(me, jd_futures_destroy(me, row));
    must(me, jd_allreduce_u64(me, &value, 1, JD_SUM));
    for (uint32_t r = 0; r < n; r++)
        sum += r;
    return value == sum; /* a step keeps the sum */
}

/* Sees the end of the array, because nobody sets its future. */
static void waiter(jd_self *me, void *arg)
{
    const struct wish w = *(const struct wish *)arg;
    uint64_t got;
    struct notes *t = notes_of(me, w.mem);
    count(&t->never, 1);
    int error = jd_future_get(me, w.future, &got, sizeof got);
    count(error == JD_EINVAL ? &t->ran : &t->early, 1);
}

static void test_refusals(jd_self *me)
{
    uint32_t next = (jd_rank(me) + 1) % jd_nranks(me);
    unsigned char bytes[LONG] = {1}, got[LONG] = {0};
    uint64_t word = 1;
    jd_futures a, b;
    must(me, jd_futures_create(me, FEW, &a));
    must(me, jd_futures_create(me, 0, &b));
    jd_future one = jd_futures_at(a, next, 0);
    ok_all(me,
           jd_future_set(me, jd_futures_at(a, next, FEW), &word, 8) == JD_EINVAL &&
               jd_future_ready(me, jd_futures_at(b, next, 0)) == JD_EINVAL &&
               jd_future_ready(me, jd_futures_at(a, jd_nranks(me), 0)) == JD_EINVAL,
           "an array ends");
    ok_all(me, jd_future_destroy(me, one) == JD_EINVAL,
           "one of its futures is not destroyed");
    jd_mem inside = {(a.number & INT64_MAX) >> 32};
    ok_all(me,
           jd_put(me, inside, next, 0, &word, 8) == JD_EINVAL &&
               jd_mem_local(me, inside, NULL) == NULL &&
               jd_mem_destroy(me, inside) == JD_EINVAL,
           "nor is it memory for jd_put");
    must(me, jd_future_set(me, one, bytes, LONG));
    must(me, jd_future_get(me, jd_futures_at(a, jd_rank(me), 0), got, LONG));
    ok_all(me, got[0] == 1 && jd_future_set(me, one, &word, 8) == JD_ESTATE,
           "a longer value is set once");
    must(me, jd_futures_destroy(me, a));
    must(me, jd_barrier(me));
    ok_all(me,
           jd_future_set(me, one, &word, 8) == JD_EINVAL &&
               jd_futures_destroy(me, a) == JD_EINVAL,
           "a name that is out of date is refused");
    must(me, jd_futures_destroy(me, b));
}

/* Tasks of a collection, in which the body goes on, wait when the array ends. */
static void test_end(jd_self *me, jd_mem mem)
{
    uint32_t n = jd_nranks(me);
    struct wish w = {.mem = mem};
    struct notes *t = notes_of(me, mem);
    jd_futures a;
    jd_coll *c;
    must(me, jd_futures_create(me, n, &a));
    must(me, jd_coll_create(me, NULL, &c));
    for (uint32_t r = 0; r < n; r++) {
        w.future = jd_futures_at(a, r, jd_rank(me));
        must(me, jd_coll_add(me, c, WAITER, &w, sizeof w));
    }
    must(me, jd_coll_start(me, c));
    for (uint64_t begun = 0; begun < (uint64_t)n * n;) {
        begun = sum_of(me, atomic_load(&t->never));
        jd_yield(me);
    }
    must(me, jd_futures_destroy(me, a));
    must(me, jd_coll_wait(me, c));
    ok_all(me, all(me, &t->ran) == (uint64_t)n * n && all(me, &t->early) == 0,
           "who waits for one is told when the array ends");
    must(me, jd_coll_destroy(me, c));
}

/* Tasks of a collection read a long value, set and get, while the body destroys the array and makes the next
 * one: whoever is late gets JD_EINVAL, and nobody a value of another array. */
static void meddler(jd_self *me, void *arg)
{
    const struct wish w = *(const struct wish *)arg;
    struct notes *t = notes_of(me, w.mem);
    const size_t size = BULK;
    unsigned char *bytes = malloc(size);
    if (!bytes)
        jd_abort(me, 99, "no memory for the test");
    memset(bytes, (int)w.value, size);
    int set = jd_future_set(me, w.future, bytes, size);
    memset(bytes, 0, size);
    int got = jd_future_get(me, w.future, bytes, size);
    bool right = got == JD_EINVAL || (!got && bytes[0] == (unsigned char)w.value &&
                                      bytes[size - 1] == bytes[0]);
    right = right && (!set || set == JD_EINVAL || set == JD_ESTATE);
    count(right ? &t->ran : &t->early, 1);
    free(bytes);
}

static const jd_task_def tasks[] = {
    [WAITER] = JD_TASK(waiter), [MEDDLER] = JD_TASK(meddler), JD_TASK_END};

static void test_late(jd_self *me, jd_mem mem, uint64_t steps)
{
    uint32_t n = jd_nranks(me);
    struct notes *t = notes_of(me, mem);
    jd_coll *c;
    must(me, jd_coll_create(me, NULL, &c));
    for (uint64_t i = 1; i <= steps; i++) {
        jd_futures a;
        must(me, jd_futures_create(me, n, &a));
        for (uint32_t r = 0; r < n; r++) {
            struct wish w = {
                .mem = mem, .future = jd_futures_at(a, r, i % n), .value = i};
            must(me, jd_coll_add(me, c, MEDDLER, &w, sizeof w));
            must(me, jd_coll_add(me, c, MEDDLER, &w, sizeof w));
        }
        must(me, jd_coll_start(me, c));
        for (uint64_t k = 0; k < i % 4; k++)
            jd_yield(me);
        must(me, jd_futures_destroy(me, a));
        must(me, jd_coll_wait(me, c));
    }
    ok_all(me, all(me, &t->early) == 0, "who is late is told so");
    ok_all(me, all(me, &t->ran) == 2 * (uint64_t)n * n * steps, "each time");
    must(me, jd_coll_destroy(me, c));
}

static int body(jd_self *me, int argc, char **argv)
{
    uint64_t steps = argc > 1 ? (uint64_t)atol(argv[1]) : 20;
    jd_mem mem = begin_notes(me);
    ok_all(me, exchange(me, steps), "neighbours exchange values");
    ok_all(me, exchange(me, steps), "and again");
    test_refusals(me);
    test_end(me, mem);
    test_late(me, mem, steps);
    must(me, jd_mem_destroy(me, mem));
    jd_futures left; /* to the end of the job */
    unsigned char bytes[LONG] = {1};
    must(me, jd_futures_create(me, 2, &left));
    must(me, jd_future_set(me, jd_futures_at(left, jd_rank(me), 1), bytes, LONG));
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
