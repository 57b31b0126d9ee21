/*
 * sched_futures_reach_all_who_wait.c
 *
 * Role: everybody who waits for a future gets its value, on every rank; and a number goes from rank to
 *       rank through many futures.  Argument: how many tasks wait at once on each rank.
 * Owner: as sched_futures_kit.h.
 * See: include/jackdaw.h, doc/data.md.
 */
#include "test/dist/sched_futures_kit.h"

enum { WAITER, SETTER, RELAY };
enum { LAPS = 200 };

static void waiter(jd_self *me, void *arg)
{
    const struct wish w = *(const struct wish *)arg;
    uint64_t got = 0;
    must(me, jd_future_get(me, w.future, &got, sizeof got));
    count(&notes_of(me, w.mem)->ran, 1);
    count(&notes_of(me, w.mem)->sum, got);
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
                                    [RELAY] = JD_TASK(relay),
                                    JD_TASK_END};

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

static int body(jd_self *me, int argc, char **argv)
{
    jd_mem mem = begin_notes(me);
    test_everybody_gets(me, mem, argc > 1 ? (uint64_t)atol(argv[1]) : 20);
    test_relay(me, mem);
    must(me, jd_mem_destroy(me, mem));
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
