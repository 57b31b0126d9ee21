/*
 * sched_futures_start_tasks_that_await.c
 *
 * Role: a task that awaits futures starts after they were set and before its finish ends; what cannot
 *       be awaited is refused.
 * Owner: as sched_futures_kit.h.
 * See: include/jackdaw.h, doc/data.md.
 */
#include "test/dist/sched_futures_kit.h"

enum { NODE, SETTER, FLAG, BIG };
enum { DEPTH = 6, LEAVES = 1 << DEPTH, BIG_ARG = 5000, LARGEST = 16 << 20 };

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

static void big(jd_self *me, void *arg)
{
    const struct wish *w = arg;
    const unsigned char *bytes = arg;
    for (size_t i = sizeof *w; i < BIG_ARG; i++)
        if (bytes[i] != (unsigned char)i)
            jd_abort(me, 98, "byte %zu of a large argument is wrong", i);
    count(&notes_of(me, w->mem)->ran, 1);
}

static const jd_task_def tasks[] = {[NODE] = JD_TASK(node),
                                    [SETTER] = JD_TASK(setter),
                                    [FLAG] = JD_TASK(flag),
                                    [BIG] = JD_TASK(big),
                                    JD_TASK_END};

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

static int body(jd_self *me, int argc, char **argv)
{
    jd_mem mem = begin_notes(me);
    (void)argc, (void)argv;
    test_tree(me, mem);
    test_finish_waits(me, mem);
    test_spmd(me, mem);
    test_await_refusals(me, mem);
    must(me, jd_mem_destroy(me, mem));
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
