/*
 * sched_futures_that_are_gone_are_told.c
 *
 * Role: who waits for a future that is destroyed is told, on every rank; and what is gone, or never
 *       was, is not there, although another one takes its place.
 * Owner: as sched_futures_kit.h.
 * See: include/jackdaw.h, doc/data.md.
 */
#include "test/dist/sched_futures_kit.h"

enum { STALE };

static void stale(jd_self *me, void *arg)
{
    const struct wish w = *(const struct wish *)arg;
    uint64_t got;
    if (jd_future_get(me, w.future, &got, sizeof got) == JD_EINVAL)
        count(&notes_of(me, w.mem)->ran, 1);
}

static const jd_task_def tasks[] = {[STALE] = JD_TASK(stale), JD_TASK_END};

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

static int body(jd_self *me, int argc, char **argv)
{
    jd_mem mem = begin_notes(me);
    (void)argc, (void)argv;
    test_stale(me, mem);
    must(me, jd_mem_destroy(me, mem));
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
