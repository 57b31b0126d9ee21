/*
 * sched_futures_end_with_a_cancelled_finish.c
 *
 * Role: tasks that never begin, and begun ones that wait for ever, end with their finish when it is
 *       cancelled.  Arguments: how many tasks wait at once on each rank, how many finishes.
 * Owner: as sched_futures_kit.h.
 * See: include/jackdaw.h, doc/data.md; doc/async.md "Cancellation".
 */
#include "test/dist/sched_futures_kit.h"

enum { NEVER, HOPELESS, STOPPER };

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

static const jd_task_def tasks[] = {[NEVER] = JD_TASK(never),
                                    [HOPELESS] = JD_TASK(hopeless),
                                    [STOPPER] = JD_TASK(stopper),
                                    JD_TASK_END};

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
    jd_mem mem = begin_notes(me);
    for (long i = 0; i < (argc > 2 ? atol(argv[2]) : 3); i++)
        test_cancel(me, mem, argc > 1 ? (uint64_t)atol(argv[1]) : 20);
    must(me, jd_mem_destroy(me, mem));
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
